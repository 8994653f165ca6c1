/* peer.c - the processes that a node has to do with, and what is on its way to them. */
#include <stdlib.h>

#include "node.h"

/* Credit is given for this part of the window at a time: the sender has the rest meanwhile. */
#define PAID_PART 4

static unsigned bucket_of(int tid)
{
    return (unsigned)tid % BUCKETS;
}

struct peer *peer_find(struct tpl *node, int tid)
{
    struct peer *peer = node->peers[bucket_of(tid)];
    while (peer && peer->tid != tid)
        peer = peer->next;
    return peer;
}

static struct peer *peer_new(struct tpl *node, int tid)
{
    struct peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->tid = tid;
    peer->number = -1;
    peer->next = node->peers[bucket_of(tid)];
    node->peers[bucket_of(tid)] = peer;
    return peer;
}

/* A peer is watched from the first moment on, so that nothing waits for a dead process. */
struct peer *peer_get(struct tpl *node, int tid)
{
    struct peer *peer = peer_find(node, tid);
    if (peer)
        return peer;
    peer = peer_new(node, tid);
    if (peer && tid != node->ground.tid)
        node_post(node, &(struct letter){.type = LETTER_DEATH, .peer = tid});
    return peer;
}

static void peer_free(struct peer *peer)
{
    struct channel *channel;
    while ((channel = peer->channels) != NULL) {
        peer->channels = channel->next;
        pthread_cond_destroy(&channel->room);
        free(channel);
    }
    struct debt *debt;
    while ((debt = peer->debts) != NULL) {
        peer->debts = debt->next;
        free(debt);
    }
    free(peer);
}

struct peer *peer_hold(struct peer *peer)
{
    peer->users++;
    return peer;
}

static void peer_free_unless_held(struct peer *peer)
{
    if (peer->dead && peer->number < 0 && peer->users == 0)
        peer_free(peer);
}

void peer_let_go(struct peer *peer)
{
    peer->users--;
    peer_free_unless_held(peer);
}

void peer_bury(struct tpl *node, struct peer *peer)
{
    peer->dead = true;
    peer_wake(peer);
    if (peer->number >= 0)
        return;
    struct peer **link = &node->peers[bucket_of(peer->tid)];
    while (*link != peer)
        link = &(*link)->next;
    *link = peer->next;
    peer_free_unless_held(peer);
}

/* What it becomes next is another one, which gets nothing that was for this one. It is watched. */
void peer_note_gone(struct tpl *node, int tid)
{
    struct peer *peer = peer_new(node, tid);
    if (peer)
        peer->gone = true;
    else
        node_end(node, TPL_NO_MEMORY);
}

static struct channel *peer_channel(struct peer *peer, int thread)
{
    struct channel *channel = peer->channels;
    while (channel && channel->thread != thread)
        channel = channel->next;
    if (channel)
        return channel;
    channel = calloc(1, sizeof *channel);
    if (!channel)
        return NULL;
    channel->thread = thread;
    condition_start(&channel->room);
    channel->next = peer->channels;
    peer->channels = channel;
    return channel;
}

static void channel_free_if_empty(struct peer *peer, struct channel *channel)
{
    if (channel->under_way > 0 || channel->waiting > 0)
        return;
    struct channel **link = &peer->channels;
    while (*link != channel)
        link = &(*link)->next;
    *link = channel->next;
    pthread_cond_destroy(&channel->room);
    free(channel);
}

bool peer_has_room(const struct tpl *node, const struct peer *peer, int thread)
{
    const struct channel *channel = peer->channels;
    while (channel && channel->thread != thread)
        channel = channel->next;
    return !channel || channel->under_way < node->options.window;
}

int peer_take_room(struct tpl *node, struct peer *peer, int thread, const struct timespec *deadline)
{
    struct channel *channel = peer_channel(peer, thread);
    if (!channel)
        return TPL_NO_MEMORY;
    bool in_time = true;
    channel->waiting++;
    while (!node->ended && !peer->dead && !peer->gone && in_time &&
           channel->under_way >= node->options.window)
        in_time = node_sleep(node, &channel->room, deadline);
    channel->waiting--;
    int result = node->ended                                  ? node->ended
                 : peer->dead || peer->gone                   ? TPL_DEAD
                 : channel->under_way >= node->options.window ? TPL_LATE
                                                              : TPL_OK;
    channel->under_way += result == TPL_OK;
    channel_free_if_empty(peer, channel);
    return result;
}

void peer_give_room(struct peer *peer, int thread, int number)
{
    struct channel *channel = peer->channels;
    while (channel && channel->thread != thread)
        channel = channel->next;
    if (!channel || number <= 0)
        return;
    channel->under_way -= number < channel->under_way ? number : channel->under_way;
    pthread_cond_broadcast(&channel->room);
    channel_free_if_empty(peer, channel);
}

void peer_pay(struct tpl *node, struct peer *peer, int thread, int number)
{
    if (peer->tid == node->ground.tid)
        peer_give_room(peer, thread, number);
    else if (!peer->dead)
        node_post(node, &(struct letter){
                            .type = LETTER_CREDIT, .peer = peer->tid, .to = thread, .id = number});
}

void peer_owe_credit(struct tpl *node, struct peer *peer, int thread, int window)
{
    struct debt *debt = peer->debts;
    while (debt && debt->thread != thread)
        debt = debt->next;
    if (!debt) {
        debt = calloc(1, sizeof *debt);
        if (!debt) {
            node_end(node, TPL_NO_MEMORY);
            return;
        }
        debt->thread = thread;
        debt->next = peer->debts;
        peer->debts = debt;
    }
    if (++debt->number * PAID_PART < window)
        return;
    peer_pay(node, peer, thread, debt->number);
    debt->number = 0;
}

static void peer_pay_all(struct tpl *node, struct peer *peer, int thread)
{
    struct debt **link = &peer->debts;
    while (*link && (*link)->thread != thread)
        link = &(*link)->next;
    struct debt *debt = *link;
    if (!debt)
        return;
    if (debt->number > 0)
        peer_pay(node, peer, thread, debt->number);
    *link = debt->next;
    free(debt);
}

void peers_pay(struct tpl *node, int thread)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct peer *peer = node->peers[i]; peer; peer = peer->next)
            peer_pay_all(node, peer, thread);
}

void peer_wake(struct peer *peer)
{
    for (struct channel *channel = peer->channels; channel; channel = channel->next)
        pthread_cond_broadcast(&channel->room);
}

void peers_tell_of_end(struct tpl *node)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct peer *peer = node->peers[i]; peer; peer = peer->next)
            if (peer->number < 0 && !peer->gone && peer->tid != node->ground.tid)
                node_post(node, &(struct letter){.type = LETTER_GONE, .peer = peer->tid});
}

void peers_free(struct tpl *node)
{
    for (int i = 0; i < BUCKETS; i++) {
        struct peer *peer;
        while ((peer = node->peers[i]) != NULL) {
            node->peers[i] = peer->next;
            peer_free(peer);
        }
    }
}
