/* inbox.c - threads with addresses, and the messages that have come for them. */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "node.h"

static void packed_link(struct tpl *node, struct arrived *arrived)
{
    arrived->node = node;
    arrived->place = &node->packed;
    arrived->next_packed = node->packed;
    if (arrived->next_packed)
        arrived->next_packed->place = &arrived->next_packed;
    node->packed = arrived;
}

static void packed_unlink(struct arrived *arrived)
{
    *arrived->place = arrived->next_packed;
    if (arrived->next_packed)
        arrived->next_packed->place = arrived->place;
}

/* While the node is there; its end has freed the buffers of all others. */
static void packed_free_buffer(struct arrived *arrived)
{
    struct tpl *node = arrived->node;
    node_come(node);
    packed_unlink(arrived);
    node_unlock(node);
    ground_free(&node->ground, arrived->message.buffer);
    node_lock(node);
    node_go(node);
}

void inboxes_free_buffers(struct tpl *node)
{
    struct arrived *arrived;
    while ((arrived = node->packed) != NULL) {
        packed_unlink(arrived);
        ground_free(&node->ground, arrived->message.buffer);
        arrived->message.buffer = 0;
    }
}

void tpl_free(struct tpl_message *message)
{
    if (!message)
        return;
    if (message->buffer > 0)
        packed_free_buffer((struct arrived *)(void *)message);
    free(message->data);
    free(message);
}

static void member_free(struct member *member)
{
    struct arrived *arrived;
    while ((arrived = member->first) != NULL) {
        member->first = arrived->next;
        tpl_free(&arrived->message);
    }
    if (member->descriptor >= 0)
        close(member->descriptor);
    pthread_cond_destroy(&member->arrival);
    free(member);
}

/* Its descriptor tells whether a receive finds something, be it the end of the node. */
static void member_show(struct member *member)
{
    const uint64_t one = 1;
    uint64_t written;
    const bool readable = member->first || member->node->ended;
    if (member->descriptor < 0 || readable == member->readable)
        return;
    ssize_t done = readable ? write(member->descriptor, &one, sizeof one)
                            : read(member->descriptor, &written, sizeof written);
    if (done > 0)
        member->readable = readable;
}

static struct member *member_new(struct tpl *node)
{
    struct member *member = calloc(1, sizeof *member);
    if (!member)
        return NULL;
    if (pthread_setspecific(node->here, member) != 0) {
        free(member);
        return NULL;
    }
    member->node = node;
    member->number = ++node->last_member;
    member->last = &member->first;
    member->descriptor = -1;
    condition_start(&member->arrival);
    member->next = node->members;
    node->members = member;
    node_busy(node);
    return member;
}

static struct member *member_of_caller(struct tpl *node)
{
    struct member *member = pthread_getspecific(node->here);
    return member ? member : member_new(node);
}

bool inbox_open(struct tpl *node)
{
    return member_of_caller(node) != NULL;
}

int inbox_number(struct tpl *node)
{
    const struct member *member = pthread_getspecific(node->here);
    return member ? member->number : TPL_POOL;
}

struct tpl_address tpl_here(struct tpl *node)
{
    node_lock(node);
    const struct member *member = member_of_caller(node);
    struct tpl_address address = {node->ground.tid, member ? member->number : TPL_NO_MEMORY};
    node_unlock(node);
    return address;
}

int tpl_descriptor(struct tpl *node)
{
    if (!node)
        return TPL_BAD;
    node_lock(node);
    struct member *member = member_of_caller(node);
    if (member && member->descriptor < 0) {
        member->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        member_show(member);
    }
    int descriptor = member ? member->descriptor : -1;
    node_unlock(node);
    return descriptor < 0 ? TPL_NO_MEMORY : descriptor;
}

static bool fits(struct tpl_address from, int kind, const struct wanted *wanted)
{
    return (wanted->kind == TPL_ANY || wanted->kind == kind) &&
           (wanted->from.tid == 0 || wanted->from.tid == from.tid) &&
           (wanted->from.thread == TPL_ANY || wanted->from.thread == from.thread);
}

/* One message to the thread is no longer on its way. */
static void inbox_give_credit(struct tpl *node, int tid, int thread, int window)
{
    struct peer *peer = peer_find(node, tid);
    if (peer)
        peer_owe_credit(node, peer, thread, window);
}

void tpl_retire(struct tpl *node)
{
    struct member *member = pthread_getspecific(node->here);
    if (!member)
        return;
    node_lock(node);
    struct member **link = &node->members;
    while (*link != member)
        link = &(*link)->next;
    *link = member->next;
    for (struct arrived *arrived = member->first; arrived; arrived = arrived->next)
        inbox_give_credit(node, arrived->message.from.tid, member->number, arrived->window);
    peers_pay(node, member->number);
    node_rest(node);
    node_unlock(node);
    pthread_setspecific(node->here, NULL);
    member_free(member);
}

static struct member *inbox_find(struct tpl *node, int number)
{
    struct member *member = node->members;
    while (member && member->number != number)
        member = member->next;
    return member;
}

/* There is something for it, or there will be nothing; so the node is not idle. */
static void member_wake(struct tpl *node, struct member *member)
{
    if (member->waiting)
        node_busy(node);
    member->waiting = false;
    pthread_cond_signal(&member->arrival);
}

void inbox_take(struct tpl *node, struct letter *letter)
{
    struct member *member = inbox_find(node, letter->to);
    struct arrived *arrived = member ? calloc(1, sizeof *arrived) : NULL;
    if (!arrived) {
        free(letter->data);
        peer_pay(node, peer_find(node, letter->peer), letter->to, 1);
        if (member)
            node_end(node, TPL_NO_MEMORY);
        return;
    }
    arrived->message = (struct tpl_message){
        {letter->peer, letter->from}, letter->kind, letter->size, letter->data, letter->buffer};
    arrived->window = letter->window;
    if (letter->buffer > 0)
        packed_link(node, arrived);
    letter->buffer = 0;
    *member->last = arrived;
    member->last = &arrived->next;
    if (fits(arrived->message.from, letter->kind, &member->wanted))
        member_wake(node, member);
    member_show(member);
}

void inboxes_take_death(struct tpl *node, int tid)
{
    for (struct member *member = node->members; member; member = member->next)
        if (member->wanted.from.tid == tid)
            member_wake(node, member);
}

static struct tpl_message *member_take(struct tpl *node, struct member *member)
{
    struct arrived **link = &member->first;
    while (*link && !fits((*link)->message.from, (*link)->message.kind, &member->wanted))
        link = &(*link)->next;
    struct arrived *arrived = *link;
    if (!arrived)
        return NULL;
    *link = arrived->next;
    if (member->last == &arrived->next)
        member->last = link;
    member_show(member);
    inbox_give_credit(node, arrived->message.from.tid, member->number, arrived->window);
    return &arrived->message;
}

/*
 * Nothing can end this but a message or a death; so the node may be idle. A node with its main
 * thread in here is not: threads that have no address, and so are not seen, may be about to send to
 * it.
 */
static void member_wait(struct tpl *node, struct member *member)
{
    member->waiting = true;
    node_rest(node);
}

static void member_go_on(struct tpl *node, struct member *member)
{
    if (member->waiting)
        node_busy(node);
    member->waiting = false;
}

/* The peer is that of which something is wanted, NULL for any; it is held. */
static int member_receive(struct tpl *node, struct member *member, const struct peer *peer,
                          const struct timespec *deadline, struct tpl_message **message)
{
    bool in_time = true;
    while (!node->ended && (*message = member_take(node, member)) == NULL &&
           !(peer && (peer->dead || peer->gone)) && in_time) {
        if (!deadline && !member->waiting && member->number != TPL_MAIN)
            member_wait(node, member);
        in_time = node_sleep(node, &member->arrival, deadline);
    }
    member_go_on(node, member);
    if (*message)
        return TPL_OK;
    if (node->ended)
        return node->ended;
    return peer && (peer->dead || peer->gone) ? TPL_DEAD : TPL_LATE;
}

static int receive(struct tpl *node, const struct wanted *wanted, const struct timespec *deadline,
                   struct tpl_message **message)
{
    struct member *member = member_of_caller(node);
    struct peer *peer = wanted->from.tid ? peer_get(node, wanted->from.tid) : NULL;
    if (!member || (wanted->from.tid && !peer))
        return TPL_NO_MEMORY;
    if (peer)
        peer_hold(peer);
    member->wanted = *wanted;
    int result = member_receive(node, member, peer, deadline, message);
    if (peer)
        peer_let_go(peer);
    return result;
}

static int receive_wanted(struct tpl *node, const struct wanted *wanted,
                          const struct timespec *deadline, struct tpl_message **message)
{
    if (message)
        *message = NULL;
    if (!node || !message || wanted->from.tid < 0 || wanted->from.thread < TPL_ANY)
        return TPL_BAD;
    node_come(node);
    int result = receive(node, wanted, deadline, message);
    node_go(node);
    return result;
}

int tpl_receive(struct tpl *node, int kind, const struct timespec *deadline,
                struct tpl_message **message)
{
    return receive_wanted(node, &(struct wanted){{0, TPL_ANY}, kind}, deadline, message);
}

int tpl_receive_from(struct tpl *node, struct tpl_address from, int kind,
                     const struct timespec *deadline, struct tpl_message **message)
{
    if (from.tid == 0)
        from.tid = TPL_BAD;
    return receive_wanted(node, &(struct wanted){from, kind}, deadline, message);
}

void inboxes_wake(struct tpl *node)
{
    for (struct member *member = node->members; member; member = member->next) {
        member_show(member);
        pthread_cond_broadcast(&member->arrival);
    }
}

void inboxes_free(struct tpl *node)
{
    pthread_key_delete(node->here);
    struct member *member;
    while ((member = node->members) != NULL) {
        node->members = member->next;
        member_free(member);
    }
}
