/*
 * failure.c - what waits at an endpoint fails: the endpoint is lost, a task is given up, or threads
 * are called back.
 */
#include "ck/endpoint/endpoint.h"
#include "ck/peers/way.h"

static void endpoint_fail_receiver(struct endpoint *endpoint, struct receiver *receiver, int error)
{
    receiver->error = error;
    inbox_withdraw(&endpoint->inbox, receiver);
    receiver->waiter.done = true;
    waiting_wake(endpoint->waiting, &receiver->waiter);
}

void endpoint_fail_receivers(struct endpoint *endpoint, int error)
{
    while (endpoint->inbox.first)
        endpoint_fail_receiver(endpoint, endpoint->inbox.first, error);
}

void endpoint_give_up(struct endpoint *endpoint, uint32_t source)
{
    lock_acquire(&endpoint->waiting->lock);
    endpoint->gone = source;
    struct receiver *next;
    for (struct receiver *receiver = endpoint->inbox.first; receiver; receiver = next) {
        next = receiver->next;
        if (receiver->pattern.wait != 0 && receiver->pattern.source == source)
            endpoint_fail_receiver(endpoint, receiver, CK_PEER_OVER);
    }
    lock_release(&endpoint->waiting->lock);
}

void endpoint_fail_if_hopeless(struct endpoint *endpoint, struct receiver *receiver)
{
    if (hopeless_is(&endpoint->inbox.hopeless, &receiver->pattern))
        endpoint_fail_receiver(endpoint, receiver, CK_PEER_OVER);
}

int endpoint_despair(struct endpoint *endpoint, const struct hopeless_case *added)
{
    struct receiver *next;
    lock_acquire(&endpoint->waiting->lock);
    bool known = hopeless_add(&endpoint->inbox.hopeless, added);
    for (struct receiver *receiver = endpoint->inbox.first; known && receiver; receiver = next) {
        next = receiver->next;
        endpoint_fail_if_hopeless(endpoint, receiver);
    }
    lock_release(&endpoint->waiting->lock);
    return known ? 0 : CK_NO_MEMORY;
}

void endpoint_hope(struct endpoint *endpoint, int owner)
{
    lock_acquire(&endpoint->waiting->lock);
    hopeless_remove(&endpoint->inbox.hopeless, owner);
    lock_release(&endpoint->waiting->lock);
}

void endpoint_fail_examinations(struct endpoint *endpoint, int error)
{
    for (struct examination *examination = endpoint->inbox.examinations; examination;
         examination = examination->other) {
        examination->error = error;
        examination->waiter.done = true;
        waiting_wake(endpoint->waiting, &examination->waiter);
    }
}

void endpoint_recall(struct endpoint *endpoint, enum recall reason, bool recall)
{
    lock_acquire(&endpoint->waiting->lock);
    endpoint->recalled &= ~(unsigned)reason;
    if (recall) {
        endpoint->recalled |= reason;
        waiting_recall(&endpoint->party, reason);
    }
    lock_release(&endpoint->waiting->lock);
}

/* A receiver that is stopped stands in no list of the inbox: it is let go as well. */
static void endpoint_fail_paused(struct endpoint *endpoint, int error)
{
    struct waiter *paused;
    while ((paused = waiting_paused(&endpoint->party)) != NULL) {
        struct receiver *receiver = inbox_receiver_of(&endpoint->inbox, paused);
        if (receiver)
            receiver->error = error;
        paused->done = true;
        waiting_go_on(paused);
    }
}

void endpoint_lose(struct endpoint *endpoint, int error)
{
    struct outgoing *queued = endpoint->under->cut(endpoint);
    lock_acquire(&endpoint->waiting->lock);
    endpoint->lost = true;
    peers_begin_end(&endpoint->peers);
    for (struct outgoing *strayed = endpoint->strayed; strayed; strayed = strayed->next)
        strayed->strayed--;
    endpoint_finish_outgoing(endpoint, endpoint->strayed);
    endpoint->strayed = NULL;
    endpoint_finish_outgoing(endpoint, queued);
    endpoint_fail_receivers(endpoint, error);
    endpoint_fail_examinations(endpoint, error);
    endpoint_fail_paused(endpoint, error);
    sleepers_wake_all(&endpoint->waiting->changed);
    sleepers_wake_all(&endpoint->party.stoppable);
    lock_release(&endpoint->waiting->lock);
    endpoint->under->lose(endpoint);
    if (endpoint_has_network(endpoint))
        endpoint->far->lose(endpoint);
}
