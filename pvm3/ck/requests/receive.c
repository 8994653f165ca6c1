/* receive.c - how a thread gets a message of an endpoint: waiting, looking, interrupted. */
#include "ck/requests/request.h"

/* The thread does not return to its call: a message that it has already goes to others. */
static void receive_abandon(struct waiter *waiter)
{
    struct request *request = request_of(waiter);
    struct endpoint *endpoint = request->endpoint;
    bool inside = !waiter_was_relieved(waiter);
    request_discard(request);
    if (inside)
        endpoint_leave(endpoint);
}

/*
 * Waits for the posted receiver and withdraws it. With the lock. False if the thread was relieved:
 * it has left the endpoint, and given up the lock.
 */
static bool endpoint_await(struct endpoint *endpoint, struct receiver *receiver,
                           const struct timespec *deadline)
{
    if (waiting_wait(&endpoint->party, &receiver->waiter, deadline) == WAITING_RELIEVED)
        return false;
    inbox_withdraw(&endpoint->inbox, receiver);
    endpoint_rest(endpoint);
    return true;
}

/* Of a receiver that was waited for. */
static int receiver_result(const struct receiver *receiver)
{
    if (receiver->message)
        return 0;
    return receiver->waiter.done ? receiver->error : receiver->waiter.recalled ? CK_RECALLED : 0;
}

int endpoint_call(struct endpoint *endpoint, const struct parcel *parcel, bool introduced,
                  const struct pattern *answer, struct message **reply)
{
    lock_acquire(&endpoint->waiting->lock);
    waiting_heed_jump(endpoint->waiting);
    bool gone = endpoint->gone != ADDRESS_NONE && endpoint->gone == parcel->destination;
    if (gone || !endpoint_enter(endpoint, introduced)) {
        lock_release(&endpoint->waiting->lock);
        return gone ? CK_PEER_OVER : CK_LOST;
    }
    int result = CK_NO_MEMORY;
    struct request *request = request_new(endpoint, answer);
    if (request) {
        request->receiver.waiter.abandon = receive_abandon;
        request_open(request, NULL, 0);
        result = endpoint_send_as(endpoint, parcel, false, NULL);
        if (result == 0) {
            endpoint_await(endpoint, &request->receiver, NULL);
            result = receiver_result(&request->receiver);
        }
        *reply = request_end(request);
    }
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting->lock);
    return result;
}

/* A receive that nobody has to settle lets the thread that gives it a message end its wait. */
static void endpoint_open_receive(struct endpoint *endpoint, struct request *request, void *memory,
                                  size_t size)
{
    struct waiter *waiter = &request->receiver.waiter;
    waiter->abandon = receive_abandon;
    waiter->interruptible = true;
    waiter->cancellable = endpoint_may_cancel(endpoint);
    waiter->recallable = endpoint_may_recall(endpoint);
    waiter->relievable = !memory;
    if (endpoint->sends_blind > 0)
        endpoint->sends_blind = 0;
    request_open(request, memory, size);
}

/* A receive whose message has not come yet. With the lock, which is given up. */
static int endpoint_receive_later(struct endpoint *endpoint, const struct pattern *pattern,
                                  const struct timespec *deadline, void *memory, size_t size,
                                  struct message **message)
{
    bool inside = endpoint_enter(endpoint, true), locked = true;
    int result = inside ? CK_NO_MEMORY : CK_LOST;
    struct request *request = inside ? request_new(endpoint, pattern) : NULL;
    if (request) {
        endpoint_open_receive(endpoint, request, memory, size);
        locked = endpoint_await(endpoint, &request->receiver, deadline);
        result = receiver_result(&request->receiver);
        *message = request_end(request);
        if (*message)
            message_fetch(*message);
    }
    if (inside && locked)
        endpoint_leave(endpoint);
    if (locked)
        lock_release(&endpoint->waiting->lock);
    return result;
}

static int endpoint_receive_at(struct endpoint *endpoint, const struct pattern *pattern,
                               const struct timespec *deadline, void *memory, size_t size,
                               struct message **message)
{
    int result = 0;
    waiting_acquire(endpoint->waiting);
    waiting_heed_jump(endpoint->waiting);
    waiting_run_errand(&endpoint->party); /* of messages of the task to itself, mostly */
    *message = inbox_take(&endpoint->inbox, pattern);
    if (!*message && endpoint_is_recalled(endpoint))
        result = CK_RECALLED;
    if (*message || result < 0)
        lock_release(&endpoint->waiting->lock);
    else
        result = endpoint_receive_later(endpoint, pattern, deadline, memory, size, message);
    endpoint_accept(endpoint, *message);
    return result;
}

int endpoint_receive(struct endpoint *endpoint, const struct pattern *pattern,
                     const struct timespec *deadline, struct message **message)
{
    return endpoint_receive_at(endpoint, pattern, deadline, NULL, 0, message);
}

int endpoint_receive_into(struct endpoint *endpoint, const struct pattern *pattern, void *memory,
                          size_t size, struct message **message)
{
    return endpoint_receive_at(endpoint, pattern, NULL, memory, size, message);
}

/*
 * Finds a message that matches. If no queued message matches, lets in one message from outside; if
 * none is outside, looks until one is, as long as looking brings anything. *happened tells whether
 * anything came or was let in. With the lock.
 */
static struct message *endpoint_look_for(struct endpoint *endpoint, const struct pattern *pattern,
                                         bool *happened)
{
    struct inbox *inbox = &endpoint->inbox;
    endpoint_poll_begins(endpoint);
    bool open = endpoint_enter(endpoint, true);
    *happened = false;
    if (open)
        waiting_run_errand(&endpoint->party);
    struct message *found = inbox_find(inbox, pattern);
    while (open && !found && !inbox->outside && !endpoint->lost && waiting_look(&endpoint->party)) {
        *happened = true;
        found = inbox_find(inbox, pattern);
    }
    if (open)
        endpoint_leave(endpoint);
    if (found || !inbox_let_in(inbox))
        return found;
    *happened = true;
    return inbox_find(inbox, pattern);
}

int endpoint_claim(struct endpoint *endpoint, const struct pattern *pattern,
                   struct message **message)
{
    bool happened;
    lock_acquire(&endpoint->waiting->lock);
    waiting_heed_jump(endpoint->waiting);
    *message = endpoint_look_for(endpoint, pattern, &happened);
    if (*message)
        inbox_remove(&endpoint->inbox, *message);
    int result = !*message && endpoint->lost ? CK_LOST : 0;
    wait_descriptor_adjust(&endpoint->wait_descriptor, *message, happened,
                           inbox_has_messages(&endpoint->inbox));
    endpoint_rest(endpoint);
    lock_release(&endpoint->waiting->lock);
    return result;
}

void endpoint_give_back(struct endpoint *endpoint, struct message *message)
{
    lock_acquire(&endpoint->waiting->lock);
    endpoint_deliver_again(endpoint, message);
    lock_release(&endpoint->waiting->lock);
}

int endpoint_poll(struct endpoint *endpoint, const struct pattern *pattern,
                  struct message **message)
{
    int result = endpoint_claim(endpoint, pattern, message);
    endpoint_accept(endpoint, *message);
    return result;
}

int endpoint_probe(struct endpoint *endpoint, const struct pattern *pattern,
                   int (*look)(void *context, struct message *message), void *context)
{
    bool happened;
    int result = 0;
    lock_acquire(&endpoint->waiting->lock);
    waiting_heed_jump(endpoint->waiting);
    struct message *found = endpoint_look_for(endpoint, pattern, &happened);
    if (endpoint->lost)
        result = CK_LOST;
    else if (found)
        result = look(context, found);
    wait_descriptor_adjust(&endpoint->wait_descriptor, found, happened,
                           inbox_has_messages(&endpoint->inbox));
    endpoint_rest(endpoint);
    lock_release(&endpoint->waiting->lock);
    return result;
}

/* The wait id of no answer: what endpoint_wait_until waits for is not a message. */
#define RECHECK (-1)

int endpoint_wait_until(struct endpoint *endpoint, bool (*holds)(void *owner), void *owner)
{
    const struct pattern pattern = {.source = PATTERN_ANY_SOURCE, .wait = RECHECK};
    struct receiver receiver;
    int result = 0;
    receiver_start(&receiver, &pattern);
    lock_acquire(&endpoint->waiting->lock);
    while (result == 0 && !holds(owner)) {
        if (!endpoint_enter(endpoint, true)) {
            result = CK_LOST;
            break;
        }
        receiver.waiter.done = false;
        inbox_post(&endpoint->inbox, &receiver);
        endpoint_await(endpoint, &receiver, NULL);
        result = receiver_result(&receiver);
        endpoint_leave(endpoint);
        message_free(receiver.message); /* a peer made up that wait id */
        receiver.message = NULL;
    }
    lock_release(&endpoint->waiting->lock);
    return result;
}

void endpoint_recheck(struct endpoint *endpoint)
{
    struct receiver *next;
    lock_acquire(&endpoint->waiting->lock);
    for (struct receiver *receiver = endpoint->inbox.first; receiver; receiver = next) {
        next = receiver->next;
        if (receiver->pattern.wait == RECHECK) {
            inbox_withdraw(&endpoint->inbox, receiver);
            receiver->waiter.done = true;
            waiting_wake(endpoint->waiting, &receiver->waiter);
        }
    }
    lock_release(&endpoint->waiting->lock);
}

int endpoint_interrupt(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    int result = CK_LOST;
    if (endpoint_enter(endpoint, true)) {
        struct waiter *stopped = waiting_pause(&endpoint->party, &endpoint->lost);
        if (stopped) {
            struct receiver *receiver = inbox_receiver_of(&endpoint->inbox, stopped);
            if (receiver)
                inbox_withdraw(&endpoint->inbox, receiver);
            result = 0;
        }
        endpoint_leave(endpoint);
    }
    lock_release(&endpoint->waiting->lock);
    return result;
}

int endpoint_resume(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    struct waiter *stopped = waiting_paused(&endpoint->party);
    if (stopped) {
        struct receiver *receiver = inbox_receiver_of(&endpoint->inbox, stopped);
        if (receiver && !stopped->done) {
            receiver->message = inbox_take(&endpoint->inbox, &receiver->pattern);
            if (receiver->message)
                stopped->done = true;
            else
                inbox_post(&endpoint->inbox, receiver);
        }
        waiting_go_on(stopped);
    }
    lock_release(&endpoint->waiting->lock);
    return stopped ? 0 : CK_NOT_FOUND;
}
