/* endpoint.c - brings the port, the inbox and the waiting threads together. */
#include "ck/endpoint.h"

#include <errno.h>
#include <string.h>

#include <pvm3.h>

#include "core/tid.h"

/* Marks what goes out of the queue as done, under the lock of the inbox. */
static void endpoint_finish_outgoing(struct endpoint *endpoint, struct outgoing *outgoing)
{
    while (outgoing) {
        struct outgoing *next =
            outgoing->next; /* gone as soon as its thread sees that it is done */
        outgoing->waiter.done = true;
        waiting_wake(&endpoint->waiting, &outgoing->waiter);
        outgoing = next;
    }
}

static void endpoint_fail_receiver(struct endpoint *endpoint, struct receiver *receiver, int error)
{
    receiver->error = error;
    inbox_withdraw(&endpoint->inbox, receiver);
    receiver->waiter.done = true;
    waiting_wake(&endpoint->waiting, &receiver->waiter);
}

static void endpoint_fail_receivers(struct endpoint *endpoint, int error)
{
    while (endpoint->inbox.first)
        endpoint_fail_receiver(endpoint, endpoint->inbox.first, error);
}

void endpoint_give_up(struct endpoint *endpoint, uint32_t source)
{
    lock_acquire(&endpoint->waiting.lock);
    endpoint->gone = source;
    struct receiver *next;
    for (struct receiver *receiver = endpoint->inbox.first; receiver; receiver = next) {
        next = receiver->next;
        if (receiver->pattern.wait != 0 && receiver->pattern.source == source)
            endpoint_fail_receiver(endpoint, receiver, PvmDSysErr);
    }
    lock_release(&endpoint->waiting.lock);
}

/* Those that go on with `message`, which has been queued. */
static void endpoint_wake_examinations(struct endpoint *endpoint, const struct message *message)
{
    for (struct examination *examination = endpoint->inbox.examinations; examination;
         examination = examination->other)
        if (examination->next == message)
            waiting_wake(&endpoint->waiting, &examination->waiter);
}

/* Those that judge have no more to wait for. */
static void endpoint_fail_examinations(struct endpoint *endpoint, int error)
{
    for (struct examination *examination = endpoint->inbox.examinations; examination;
         examination = examination->other) {
        examination->error = error;
        examination->waiter.done = true;
        waiting_wake(&endpoint->waiting, &examination->waiter);
    }
}

/*
 * The receiver that an interruptible waiter belongs to; NULL when it is one that judges, for which
 * nothing is to be withdrawn.
 */
static struct receiver *endpoint_receiver_of(const struct endpoint *endpoint, struct waiter *waiter)
{
    for (const struct examination *examination = endpoint->inbox.examinations; examination;
         examination = examination->other)
        if (&examination->waiter == waiter)
            return NULL;
    return (struct receiver *)((char *)waiter - offsetof(struct receiver, waiter));
}

/* A receiver that is stopped stands in no list of the inbox: it is let go as well. */
static void endpoint_fail_paused(struct endpoint *endpoint, int error)
{
    struct waiter *paused;
    while ((paused = waiting_paused(&endpoint->waiting)) != NULL) {
        struct receiver *receiver = endpoint_receiver_of(endpoint, paused);
        if (receiver)
            receiver->error = error;
        paused->done = true;
        waiting_go_on(&endpoint->waiting, paused);
    }
}

/* Everything that waits fails with `error`, everything later with PvmSysErr. */
static void endpoint_lose(struct endpoint *endpoint, int error)
{
    struct outgoing *queued = stream_port_break(&endpoint->port);
    lock_acquire(&endpoint->waiting.lock);
    endpoint->lost = true;
    endpoint_finish_outgoing(endpoint, queued);
    endpoint_fail_receivers(endpoint, error);
    endpoint_fail_examinations(endpoint, error);
    endpoint_fail_paused(endpoint, error);
    pthread_cond_broadcast(&endpoint->waiting.changed);
    pthread_cond_broadcast(&endpoint->waiting.stoppable);
    lock_release(&endpoint->waiting.lock);
}

int endpoint_deliver(struct endpoint *endpoint, struct message *message)
{
    int error;
    lock_acquire(&endpoint->waiting.lock);
    struct receiver *receiver = inbox_deliver(&endpoint->inbox, message, &error);
    if (receiver)
        waiting_wake(&endpoint->waiting, &receiver->waiter);
    else if (error == 0)
        endpoint_wake_examinations(endpoint, message);
    lock_release(&endpoint->waiting.lock);
    return error;
}

/* False when memory was short for one of them. */
static bool endpoint_take_in(struct endpoint *endpoint, struct message *arrived)
{
    bool all = true;
    while (arrived) {
        struct message *message = arrived;
        arrived = message->next;
        message->next = NULL;
        if (!endpoint->owner.intercept(endpoint->owner.owner, message) &&
            endpoint_deliver(endpoint, message) < 0)
            all = false;
    }
    return all;
}

/* The leader's look: what came, and what can go. */
static bool endpoint_look(void *owner)
{
    struct endpoint *endpoint = owner;
    struct message *arrived = NULL;
    const char *reason;
    int got = stream_port_receive(&endpoint->port, &arrived, &reason);
    if (!endpoint_take_in(endpoint, arrived)) {
        got = PvmNoMem;
        reason = "no memory to queue an arriving message";
    }
    if (got < 0) {
        endpoint->owner.lost(endpoint->owner.owner, reason);
        endpoint_lose(endpoint, got);
        return true;
    }
    if (reason)
        endpoint->owner.dropped(endpoint->owner.owner, reason);
    struct outgoing *finished = stream_port_flush(&endpoint->port);
    if (finished) {
        lock_acquire(&endpoint->waiting.lock);
        endpoint_finish_outgoing(endpoint, finished);
        lock_release(&endpoint->waiting.lock);
    }
    return got > 0 || finished;
}

static void endpoint_errand(void *owner)
{
    struct endpoint *endpoint = owner;
    endpoint->owner.errand(endpoint->owner.owner);
}

int endpoint_init(struct endpoint *endpoint, const struct endpoint_owner *owner)
{
    const struct waiting_work work = {endpoint_look, endpoint_errand, endpoint};
    memset(endpoint, 0, sizeof *endpoint);
    endpoint->owner = *owner;
    endpoint->lost = true;
    inbox_start(&endpoint->inbox);
    return waiting_init(&endpoint->waiting, LOCK_INBOX, &work);
}

void endpoint_destroy(struct endpoint *endpoint)
{
    waiting_destroy(&endpoint->waiting);
    inbox_finish(&endpoint->inbox);
}

int endpoint_attach(struct endpoint *endpoint, int descriptor)
{
    int error = stream_port_open(&endpoint->port, descriptor, endpoint->waiting.epoll);
    if (error < 0)
        return error;
    lock_acquire(&endpoint->waiting.lock);
    endpoint->attached = true;
    endpoint->open = false;
    endpoint->lost = false;
    endpoint->gone = 0;
    lock_release(&endpoint->waiting.lock);
    return 0;
}

void endpoint_open(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting.lock);
    endpoint->open = true;
    lock_release(&endpoint->waiting.lock);
}

int endpoint_descriptor(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting.lock);
    int descriptor = endpoint->attached ? endpoint->port.descriptor : -1;
    lock_release(&endpoint->waiting.lock);
    return descriptor;
}

void endpoint_detach(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting.lock);
    bool attached = endpoint->attached;
    endpoint->attached = false;
    lock_release(&endpoint->waiting.lock);
    if (!attached)
        return;
    endpoint_lose(endpoint, PvmSysErr);
    lock_acquire(&endpoint->waiting.lock);
    waiting_settle(&endpoint->waiting);
    while (endpoint->users > 0)
        lock_wait(&endpoint->waiting.lock, &endpoint->waiting.changed, NULL);
    const struct pattern any = {.source = TID_ANY, .tag = PATTERN_ANY, .context = PATTERN_ANY};
    struct message *message;
    while ((message = inbox_take(&endpoint->inbox, &any)) != NULL)
        endpoint->owner.discard(endpoint->owner.owner, message);
    lock_release(&endpoint->waiting.lock);
    stream_port_close(&endpoint->port);
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
    if (--endpoint->users == 0 && endpoint->lost)
        pthread_cond_broadcast(&endpoint->waiting.changed);
}

/*
 * Pushes and, when the way is full, waits. Between endpoint_enter and endpoint_leave, without
 * locks.
 */
static int endpoint_push(struct endpoint *endpoint, const struct parcel *parcels, int count,
                         uint32_t source)
{
    struct outgoing outgoing = {
        .result = PvmSysErr, .parcels = parcels, .count = count, .source = source};
    switch (stream_port_push(&endpoint->port, &outgoing)) {
    case PUSH_DONE:
        return 0;
    case PUSH_BROKEN:
        return PvmSysErr;
    case PUSH_PENDING:
        lock_acquire(&endpoint->waiting.lock);
        waiting_wait(&endpoint->waiting, &outgoing.waiter, NULL);
        lock_release(&endpoint->waiting.lock);
    }
    return outgoing.result;
}

int endpoint_send(struct endpoint *endpoint, const struct parcel *parcels, int count,
                  uint32_t source)
{
    lock_acquire(&endpoint->waiting.lock);
    bool entered = endpoint_enter(endpoint, true);
    lock_release(&endpoint->waiting.lock);
    if (!entered)
        return PvmSysErr;
    int result = endpoint_push(endpoint, parcels, count, source);
    lock_acquire(&endpoint->waiting.lock);
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting.lock);
    return result;
}

/* Waits for the posted receiver and withdraws it. With the lock. */
static int endpoint_await(struct endpoint *endpoint, struct receiver *receiver,
                          const struct timespec *deadline)
{
    waiting_wait(&endpoint->waiting, &receiver->waiter, deadline);
    inbox_withdraw(&endpoint->inbox, receiver);
    return receiver->waiter.done && !receiver->message ? receiver->error : 0;
}

int endpoint_call(struct endpoint *endpoint, const struct parcel *request, uint32_t source,
                  const struct pattern *answer, struct message **reply)
{
    struct receiver receiver = {.pattern = *answer};
    lock_acquire(&endpoint->waiting.lock);
    bool gone = endpoint->gone != 0 && endpoint->gone == request->destination;
    if (gone || !endpoint_enter(endpoint, source != TID_ANY)) {
        lock_release(&endpoint->waiting.lock);
        return gone ? PvmDSysErr : PvmSysErr;
    }
    inbox_post(&endpoint->inbox, &receiver);
    lock_release(&endpoint->waiting.lock);
    int result = endpoint_push(endpoint, request, 1, source);
    lock_acquire(&endpoint->waiting.lock);
    if (result == 0)
        result = endpoint_await(endpoint, &receiver, NULL);
    inbox_withdraw(&endpoint->inbox, &receiver);
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting.lock);
    *reply = receiver.message;
    return result;
}

int endpoint_receive(struct endpoint *endpoint, const struct pattern *pattern,
                     const struct timespec *deadline, struct message **message)
{
    struct receiver receiver = {.pattern = *pattern, .waiter.interruptible = true};
    int result = 0;
    lock_acquire(&endpoint->waiting.lock);
    receiver.message = inbox_take(&endpoint->inbox, pattern);
    if (!receiver.message) {
        if (endpoint_enter(endpoint, true)) {
            inbox_post(&endpoint->inbox, &receiver);
            result = endpoint_await(endpoint, &receiver, deadline);
            endpoint_leave(endpoint);
        } else {
            result = PvmSysErr;
        }
    }
    lock_release(&endpoint->waiting.lock);
    *message = receiver.message;
    return result;
}

/*
 * Looks, as long as looking brings anything, until a message that matches is queued. With the lock.
 */
static struct message *endpoint_look_for(struct endpoint *endpoint, const struct pattern *pattern)
{
    struct message *found = inbox_find(&endpoint->inbox, pattern);
    while (!found && !endpoint->lost && waiting_look(&endpoint->waiting))
        found = inbox_find(&endpoint->inbox, pattern);
    return found ? found : inbox_find(&endpoint->inbox, pattern);
}

int endpoint_poll(struct endpoint *endpoint, const struct pattern *pattern,
                  struct message **message)
{
    int result = 0;
    lock_acquire(&endpoint->waiting.lock);
    if (endpoint_enter(endpoint, true)) {
        endpoint_look_for(endpoint, pattern);
        endpoint_leave(endpoint);
    }
    *message = inbox_take(&endpoint->inbox, pattern);
    if (!*message && endpoint->lost)
        result = PvmSysErr;
    lock_release(&endpoint->waiting.lock);
    return result;
}

int endpoint_probe(struct endpoint *endpoint, const struct pattern *pattern,
                   int (*look)(void *context, struct message *message), void *context)
{
    int result = 0;
    lock_acquire(&endpoint->waiting.lock);
    if (endpoint_enter(endpoint, true)) {
        endpoint_look_for(endpoint, pattern);
        endpoint_leave(endpoint);
    }
    struct message *found = inbox_find(&endpoint->inbox, pattern);
    if (endpoint->lost)
        result = PvmSysErr;
    else if (found)
        result = look(context, found);
    lock_release(&endpoint->waiting.lock);
    return result;
}

void endpoint_request_errand(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting.lock);
    waiting_request_errand(&endpoint->waiting);
    lock_release(&endpoint->waiting.lock);
}

int endpoint_interrupt(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting.lock);
    int result = PvmSysErr;
    if (endpoint_enter(endpoint, true)) {
        struct waiter *stopped = waiting_pause(&endpoint->waiting, &endpoint->lost);
        if (stopped) {
            struct receiver *receiver = endpoint_receiver_of(endpoint, stopped);
            if (receiver)
                inbox_withdraw(&endpoint->inbox, receiver);
            result = 0;
        }
        endpoint_leave(endpoint);
    }
    lock_release(&endpoint->waiting.lock);
    return result;
}

int endpoint_resume(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting.lock);
    struct waiter *stopped = waiting_paused(&endpoint->waiting);
    if (stopped) {
        struct receiver *receiver = endpoint_receiver_of(endpoint, stopped);
        if (receiver) {
            receiver->message = inbox_take(&endpoint->inbox, &receiver->pattern);
            if (receiver->message)
                stopped->done = true;
            else
                inbox_post(&endpoint->inbox, receiver);
        }
        waiting_go_on(&endpoint->waiting, stopped);
    }
    lock_release(&endpoint->waiting.lock);
    return stopped ? 0 : PvmNotFound;
}
