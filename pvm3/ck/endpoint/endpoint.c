/* endpoint.c - brings the inbox and the waiting threads together. */
#include "ck/endpoint/endpoint.h"

#include "core/rarely.h"

/* Sends that look after a call that does not wait. */
#define SENDS_AFTER_POLL 64

/* Looks of one send: what was there when it began takes no more, unless it is long. */
#define LOOKS_BY_SEND 64

/* Wakes the examinations that go on with `message`, which has been queued. */
static void endpoint_wake_examinations(struct endpoint *endpoint, const struct message *message)
{
    for (struct examination *examination = endpoint->inbox.examinations; examination;
         examination = examination->other)
        if (examination->next == message)
            waiting_wake(endpoint->waiting, &examination->waiter);
}

/* Wakes the receiver that `message` was given to, or the examinations that it was shown to. */
static void endpoint_tell(struct endpoint *endpoint, const struct message *message,
                          struct receiver *receiver)
{
    if (receiver) {
        waiting_wake(endpoint->waiting, &receiver->waiter);
    } else {
        endpoint_wake_examinations(endpoint, message);
        if (endpoint->waiting->looker != &endpoint->party) /* who only looks adjusts it itself */
            wait_descriptor_ring(&endpoint->wait_descriptor);
    }
}

void endpoint_fetch(struct endpoint *endpoint)
{
    waiting_fetch(endpoint->waiting);
    cache_line_fetch(&endpoint->users);
    cache_line_fetch(&endpoint->inbox);
    cache_line_fetch(&endpoint->inbox.arrivals);
}

/*
 * The receiver, which accepts at once, has a message whose sender may wait for that. The thread that
 * brings the message must not send: an errand does.
 */
RARELY static void endpoint_owe_receipt(struct endpoint *endpoint, struct message *message)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    struct message *receipt = dialect->receipt ? dialect->receipt(message) : NULL;
    struct message **end = &endpoint->receipts;
    if (!receipt)
        return;
    receipt->header.wait = message->header.wait;
    receipt->header.destination = message->header.source;
    message->header.wait = 0;
    while (*end)
        end = &(*end)->next;
    receipt->next = NULL;
    *end = receipt;
    waiting_request_errand(&endpoint->party);
}

static void endpoint_give(struct endpoint *endpoint, struct message *message,
                          struct receiver *receiver)
{
    if (receiver && receiver->accepts && message->header.wait != 0)
        endpoint_owe_receipt(endpoint, message);
    endpoint_tell(endpoint, message, receiver);
}

void endpoint_deliver_locked(struct endpoint *endpoint, struct message *message)
{
    endpoint_give(endpoint, message, inbox_arrive(&endpoint->inbox, message));
}

void endpoint_deliver_again(struct endpoint *endpoint, struct message *message)
{
    struct receiver *receiver = inbox_deliver_again(&endpoint->inbox, message);
    endpoint_give(endpoint, message, receiver);
    for (struct examination *examination = endpoint->inbox.examinations; examination && !receiver;
         examination = examination->other)
        waiting_wake(endpoint->waiting, &examination->waiter);
}

bool endpoint_may_cancel(const struct endpoint *endpoint)
{
    const struct endpoint_owner *owner = &endpoint->owner;
    return owner->cancellable && owner->cancellable(owner->owner);
}

unsigned endpoint_may_recall(const struct endpoint *endpoint)
{
    const struct endpoint_owner *owner = &endpoint->owner;
    return owner->recallable ? owner->recallable(owner->owner) : 0;
}

void endpoint_deliver(struct endpoint *endpoint, struct message *message)
{
    lock_acquire(&endpoint->waiting->lock);
    endpoint_deliver_locked(endpoint, message);
    lock_release(&endpoint->waiting->lock);
}

void endpoint_heed(struct endpoint *endpoint, enum word word, bool heed)
{
    if (heed)
        atomic_fetch_and(&endpoint->unheeded, ~(1u << word));
    else
        atomic_fetch_or(&endpoint->unheeded, 1u << word);
}

void endpoint_take_own(struct endpoint *endpoint, struct message *message)
{
    if (!endpoint_intercept(endpoint, message))
        endpoint_deliver(endpoint, message);
}

void endpoint_rest(struct endpoint *endpoint)
{
    if (endpoint->wait_descriptor.set < 0)
        return;
    /* What was rung for is in the inbox, or in a ring, where a leader finds it if there is one. */
    wait_descriptor_answer(&endpoint->wait_descriptor);
    if (!waiting_is_led(endpoint->waiting) && !endpoint->waiting->looker &&
        engine_sleeps(endpoint->engine, NAP_UNTIL_ANYTHING))
        wait_descriptor_ring(&endpoint->wait_descriptor);
}

/* Whether to look once more for what a send lets in, or for all that has come. */
static bool endpoint_looks_on(struct endpoint *endpoint, bool all)
{
    if (endpoint->lost)
        return false;
    if (all)
        return waiting_catch_up(&endpoint->party);
    return !endpoint->inbox.outside && waiting_take_in(&endpoint->party);
}

/* A wait descriptor that was silenced in vain stays so: the caller asks for no message. */
static void endpoint_look_by_send(struct endpoint *endpoint, bool all)
{
    int looks = 0;
    while (looks < LOOKS_BY_SEND && endpoint_looks_on(endpoint, all))
        looks++;
    if (looks > 0)
        wait_descriptor_adjust(&endpoint->wait_descriptor, true, true,
                               inbox_has_messages(&endpoint->inbox));
    endpoint_rest(endpoint);
}

bool endpoint_lets_in_by_send(const struct endpoint *endpoint)
{
    return endpoint->inbox.outside || endpoint->sends_to_look > 0 ||
           atomic_load_explicit(&endpoint->sends_watch, memory_order_relaxed);
}

void endpoint_let_in_by_send(struct endpoint *endpoint)
{
    if (!endpoint_lets_in_by_send(endpoint)) {
        endpoint->sends_blind++;
        return;
    }
    if (!endpoint->inbox.outside) {
        endpoint->sends_to_look -= endpoint->sends_to_look > 0;
        endpoint_look_by_send(endpoint, false);
    }
    inbox_let_in(&endpoint->inbox);
    waiting_run_errand(&endpoint->party);
}

void endpoint_poll_begins(struct endpoint *endpoint)
{
    endpoint->sends_to_look = SENDS_AFTER_POLL;
    if (endpoint->sends_blind > 0 && endpoint_enter(endpoint, true)) {
        endpoint_look_by_send(endpoint, false);
        for (; endpoint->sends_blind > 0 && inbox_let_in(&endpoint->inbox); endpoint->sends_blind--)
            continue;
        endpoint_leave(endpoint);
    }
    endpoint->sends_blind = 0;
}

void endpoint_catch_up(struct endpoint *endpoint)
{
    endpoint_look_by_send(endpoint, true);
    inbox_let_in(&endpoint->inbox);
}

void endpoint_watch_by_sends(struct endpoint *endpoint, bool watch)
{
    atomic_exchange(&endpoint->sends_watch, watch); /* a plain write is a race to Helgrind */
}

int endpoint_descriptors(struct endpoint *endpoint, int *list, int room)
{
    int count = 0;
    lock_acquire(&endpoint->waiting->lock);
    endpoint->party.leave = NULL; /* a thread that leaves has to see to the wait descriptor */
    if (endpoint->attached && count++ < room)
        list[0] =
            wait_descriptor_open(&endpoint->wait_descriptor, endpoint->descriptor,
                                 endpoint->waiting->doorbell, inbox_has_messages(&endpoint->inbox));
    endpoint_rest(endpoint);
    const struct peer *peer = NULL;
    while (endpoint->attached && (peer = peers_next_address(&endpoint->peers, peer)) != NULL) {
        bool open;
        int descriptor = endpoint->under->descriptor(peer, &open);
        if (descriptor >= 0 && count++ < room)
            list[count - 1] = descriptor;
    }
    lock_release(&endpoint->waiting->lock);
    return count;
}

bool endpoint_pin(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    bool attached = endpoint->attached;
    endpoint->users += attached;
    lock_release(&endpoint->waiting->lock);
    return attached;
}

void endpoint_unpin(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting->lock);
}

void endpoint_hang_up(struct endpoint *endpoint)
{
    if (!endpoint_pin(endpoint))
        return;
    endpoint->under->hang_up(endpoint);
    endpoint_unpin(endpoint);
}

bool endpoint_has_route(struct endpoint *endpoint, uint32_t address)
{
    bool open = false;
    lock_acquire(&endpoint->waiting->lock);
    const struct peer *peer = peers_find(&endpoint->peers, address);
    if (peer)
        endpoint->under->descriptor(peer, &open);
    lock_release(&endpoint->waiting->lock);
    return open;
}

void endpoint_release(struct endpoint *endpoint, struct peer *peer)
{
    if (peers_release(&endpoint->peers, peer) && waiting_is_quiet(endpoint->waiting))
        peers_sweep(&endpoint->peers);
    if (endpoint->lost)
        sleepers_wake_all(&endpoint->waiting->changed);
}

bool endpoint_enter(struct endpoint *endpoint, bool introduced)
{
    if (endpoint->lost || (introduced && !endpoint->open))
        return false;
    endpoint->users++;
    return true;
}

void endpoint_leave(struct endpoint *endpoint)
{
    if (--endpoint->users == 0 && (endpoint->lost || endpoint->aloof))
        sleepers_wake_all(&endpoint->waiting->changed);
}

void endpoint_request_errand(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    waiting_request_errand(&endpoint->party);
    lock_release(&endpoint->waiting->lock);
}
