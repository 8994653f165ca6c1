/* endpoint.c - brings the port, the inbox and the waiting threads together. */
#include "ck/endpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <pvm3.h>

#include "ck/direct.h"
#include "core/control.h"
#include "core/tid.h"

/* Ports that one look serves. */
#define READY_ROOM 64

/* A message of a megabyte, which is long, arrives in so many chunks of a frame_reader. */
#define CHUNKS_KEPT 20

void endpoint_finish_outgoing(struct endpoint *endpoint, struct outgoing *outgoing)
{
    while (outgoing) {
        /* Gone as soon as its thread sees that it is done. */
        struct outgoing *next = outgoing->next;
        if (outgoing->unattended) {
            endpoint_drop((struct posted *)(void *)outgoing);
        } else {
            outgoing->waiter.done = true;
            waiting_wake(&endpoint->waiting, &outgoing->waiter);
        }
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
    direct_lose(endpoint);
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
    if (!receiver && error == 0 && !endpoint->waiting.looking)
        beacon_ring(&endpoint->beacon); /* who only looks adjusts it in the end */
    lock_release(&endpoint->waiting.lock);
    return error;
}

/* Puts aside what is no answer, since the task is not introduced yet. False otherwise. */
static bool endpoint_put_aside(struct endpoint *endpoint, struct message *message)
{
    if (endpoint->open || message->header.wait != 0)
        return false;
    struct message **end = &endpoint->early;
    while (*end)
        end = &(*end)->next;
    *end = message;
    return true;
}

bool endpoint_take_in(struct endpoint *endpoint, struct message *arrived, uint32_t peer)
{
    bool all = true;
    while (arrived) {
        struct message *message = arrived;
        arrived = message->next;
        message->next = NULL;
        if (peer && message->header.source != peer) {
            endpoint->owner.dropped(endpoint->owner.owner,
                                    "dropped a message that came on the route of another task");
            message_free(message);
            continue;
        }
        if (endpoint_put_aside(endpoint, message))
            continue;
        if (!peer)
            direct_see(endpoint, message);
        if (!endpoint->owner.intercept(endpoint->owner.owner, message) &&
            endpoint_deliver(endpoint, message) < 0)
            all = false;
    }
    return all;
}

/* What came from the daemon, and what can go to it. */
static bool endpoint_look_at_daemon(struct endpoint *endpoint)
{
    struct message *arrived = NULL;
    const char *reason;
    int got = stream_port_receive(&endpoint->port, &arrived, &reason);
    if (!endpoint_take_in(endpoint, arrived, 0)) {
        got = PvmNoMem;
        reason = "no memory to queue an arriving message";
    }
    if (got < 0) {
        endpoint->owner.lost(endpoint->owner.owner, reason);
        endpoint_lose(endpoint, got == PvmNoMem ? PvmNoMem : PvmSysErr);
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

/*
 * Everything that is ready, when there are direct routes. The daemon tells of the end of a task after
 * the task sent its last message: so the routes come first and are read to the end when there is
 * word of the daemon, too.
 */
static bool endpoint_look_at_all(struct endpoint *endpoint)
{
    struct epoll_event ready[READY_ROOM];
    int count = epoll_wait(endpoint->waiting.epoll, ready, READY_ROOM, 0);
    bool daemon = false;
    for (int i = 0; i < count; i++)
        daemon |= ready[i].data.ptr == &endpoint->port;
    bool happened = false;
    for (int i = 0; i < count; i++) {
        char *port = ready[i].data.ptr; /* NULL is the doorbell */
        if (port && ready[i].data.ptr != &endpoint->port)
            happened |= direct_look(
                endpoint, (struct route *)(void *)(port - offsetof(struct route, port)), daemon);
    }
    return (daemon && endpoint_look_at_daemon(endpoint)) || happened;
}

/* The leader's look. */
static bool endpoint_look(void *owner)
{
    struct endpoint *endpoint = owner;
    if (endpoint->routes.gone) {
        lock_acquire(&endpoint->waiting.lock);
        routes_sweep(&endpoint->routes);
        lock_release(&endpoint->waiting.lock);
    }
    return endpoint->routes.watched > 0 ? endpoint_look_at_all(endpoint)
                                        : endpoint_look_at_daemon(endpoint);
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
    pool_start(&endpoint->chunks, CHUNKS_KEPT);
    pool_start(&endpoint->messages, POOL_MOST);
    endpoint->owner = *owner;
    endpoint->lost = true;
    atomic_init(&endpoint->routing, ROUTING_GRANTED);
    inbox_start(&endpoint->inbox);
    beacon_start(&endpoint->beacon);
    stream_port_start(&endpoint->port);
    return waiting_init(&endpoint->waiting, LOCK_INBOX, &work);
}

void endpoint_destroy(struct endpoint *endpoint)
{
    waiting_destroy(&endpoint->waiting);
    stream_port_finish(&endpoint->port);
    inbox_finish(&endpoint->inbox);
    pool_finish(&endpoint->messages, message_discard);
    pool_finish(&endpoint->chunks, free);
}

int endpoint_attach(struct endpoint *endpoint, int descriptor)
{
    int error = stream_port_open(&endpoint->port, descriptor, endpoint->waiting.epoll);
    if (error < 0)
        return error;
    stream_port_use_pools(&endpoint->port, &endpoint->chunks, &endpoint->messages);
    lock_acquire(&endpoint->waiting.lock);
    endpoint->attached = true;
    endpoint->open = false;
    endpoint->lost = false;
    endpoint->gone = 0;
    lock_release(&endpoint->waiting.lock);
    return 0;
}

void endpoint_open(struct endpoint *endpoint, uint32_t own, uint32_t host)
{
    lock_acquire(&endpoint->waiting.lock);
    struct message *early = endpoint->early;
    endpoint->early = NULL;
    endpoint->own = own;
    endpoint->host = host;
    endpoint->open = true;
    waiting_begin_look(&endpoint->waiting);
    lock_release(&endpoint->waiting.lock);
    if (!endpoint_take_in(endpoint, early, 0))
        endpoint->owner.dropped(endpoint->owner.owner, "no memory to queue an arriving message");
    lock_acquire(&endpoint->waiting.lock);
    waiting_end_look(&endpoint->waiting);
    lock_release(&endpoint->waiting.lock);
}

int endpoint_descriptors(struct endpoint *endpoint, int *list, int room)
{
    int count = 0;
    lock_acquire(&endpoint->waiting.lock);
    if (endpoint->attached && count++ < room)
        list[0] = beacon_light(&endpoint->beacon, endpoint->port.descriptor,
                               endpoint->inbox.arrived.count > 0);
    const struct route *route = NULL;
    while (endpoint->attached && (route = routes_next(&endpoint->routes, route)) != NULL)
        if (route->descriptor >= 0 && count++ < room)
            list[count - 1] = route->descriptor;
    lock_release(&endpoint->waiting.lock);
    return count;
}

bool endpoint_has_route(struct endpoint *endpoint, uint32_t peer)
{
    lock_acquire(&endpoint->waiting.lock);
    const struct route *route = routes_find(&endpoint->routes, peer);
    bool open = route && route->state == ROUTE_OPEN;
    lock_release(&endpoint->waiting.lock);
    return open;
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
    beacon_finish(&endpoint->beacon);
    lock_release(&endpoint->waiting.lock);
    while (endpoint->early) {
        message = endpoint->early;
        endpoint->early = message->next;
        message_free(message);
    }
    direct_finish(endpoint);
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

int endpoint_finish_push(struct endpoint *endpoint, enum push_result pushed,
                         struct outgoing *outgoing)
{
    if (pushed == PUSH_PENDING) {
        lock_acquire(&endpoint->waiting.lock);
        waiting_wait(&endpoint->waiting, &outgoing->waiter, NULL);
        lock_release(&endpoint->waiting.lock);
        return outgoing->result;
    }
    return pushed == PUSH_DONE ? 0 : PvmSysErr;
}

/* Sends through the daemon. Between endpoint_enter and endpoint_leave, without locks. */
static int endpoint_push(struct endpoint *endpoint, const struct parcel *parcel, uint32_t source)
{
    struct outgoing outgoing = {
        .result = PvmSysErr, .parcels = parcel, .count = 1, .source = source};
    enum push_result pushed = stream_port_push(&endpoint->port, &outgoing);
    return endpoint_finish_push(endpoint, pushed, &outgoing);
}

/*
 * The same for messages to tasks, to none of which there is or will be a direct route: false when
 * there is one, and nothing was sent. Who asks for or grants a route enters it in the table before
 * writing to the daemon: so what is written here, under the lock of the port, comes before.
 */
static bool endpoint_push_to_tasks(struct endpoint *endpoint, const struct parcel *parcels,
                                   int count, const uint32_t *tids, int tid_count, int *result)
{
    struct outgoing outgoing = {
        .result = PvmSysErr, .parcels = parcels, .count = count, .source = endpoint->own};
    enum push_result pushed = PUSH_BROKEN;
    bool allowed = true;
    lock_acquire(&endpoint->port.lock);
    if (atomic_load(&endpoint->routes.count) > 0) {
        lock_acquire(&endpoint->waiting.lock);
        for (int i = 0; i < tid_count && allowed; i++)
            allowed = !direct_forbids_daemon(endpoint, tids[i]);
        lock_release(&endpoint->waiting.lock);
    }
    if (allowed)
        pushed = stream_port_push_locked(&endpoint->port, &outgoing);
    lock_release(&endpoint->port.lock);
    if (allowed)
        *result = endpoint_finish_push(endpoint, pushed, &outgoing);
    return allowed;
}

/* Between endpoint_enter and endpoint_leave. */
static int endpoint_send_entered(struct endpoint *endpoint, const struct parcel *parcel,
                                 bool request)
{
    int result = 0;
    uint32_t peer = parcel->destination;
    if (!tid_is_task(peer) || peer == endpoint->own)
        return endpoint_push(endpoint, parcel, endpoint->own);
    do {
        struct route *route;
        result = direct_find(endpoint, peer, request, &route);
        if (result < 0)
            return result;
        request = false; /* a peer whose route has ended is not asked again for this message */
        if (route) {
            bool sent = direct_send(endpoint, route, parcel->message);
            direct_release(endpoint, route);
            if (sent)
                return 0;
        }
    } while (!endpoint_push_to_tasks(endpoint, parcel, 1, &peer, 1, &result));
    return result;
}

int endpoint_send(struct endpoint *endpoint, const struct parcel *parcel, bool request)
{
    lock_acquire(&endpoint->waiting.lock);
    bool entered = endpoint_enter(endpoint, true);
    lock_release(&endpoint->waiting.lock);
    if (!entered)
        return PvmSysErr;
    request = request && atomic_load(&endpoint->routing) == ROUTING_REQUESTED;
    int result = endpoint_send_entered(endpoint, parcel, request);
    lock_acquire(&endpoint->waiting.lock);
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting.lock);
    return result;
}

/* Sends over the direct routes. Returns how many tids are left over, moved to the front. */
static int endpoint_send_on_routes(struct endpoint *endpoint, const struct message *message,
                                   uint32_t *tids, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct route *route;
        int error = direct_find(endpoint, tids[i], false, &route);
        if (error < 0)
            return error;
        bool sent = route && direct_send(endpoint, route, message);
        if (route)
            direct_release(endpoint, route);
        if (!sent)
            tids[kept++] = tids[i];
    }
    return kept;
}

/*
 * The daemon keeps one list a task, and sends to it what comes for the task's multicast address: so
 * nothing of other threads may come between the list and the message.
 */
static bool endpoint_push_multicast(struct endpoint *endpoint, const struct message *message,
                                    const uint32_t *tids, int count, int *result)
{
    struct message *list = control_new(TM_MCA, PvmBaseContext, 0);
    control_put_int(list, count);
    for (int i = 0; i < count; i++)
        control_put_tid(list, tids[i]);
    const struct parcel parcels[] = {{list, TID_OWN_DAEMON},
                                     {message, endpoint->own | TID_MULTICAST_BIT}};
    bool done = true;
    *result = PvmNoMem;
    if (control_is_whole(list))
        done = endpoint_push_to_tasks(endpoint, parcels, 2, tids, count, result);
    message_free(list);
    return done;
}

int endpoint_send_all(struct endpoint *endpoint, const struct message *message, uint32_t *tids,
                      int count)
{
    lock_acquire(&endpoint->waiting.lock);
    bool entered = endpoint_enter(endpoint, true);
    lock_release(&endpoint->waiting.lock);
    if (!entered)
        return PvmSysErr;
    int result = 0;
    do {
        count = endpoint_send_on_routes(endpoint, message, tids, count);
        if (count < 0)
            result = count;
    } while (count > 0 && !endpoint_push_multicast(endpoint, message, tids, count, &result));
    lock_acquire(&endpoint->waiting.lock);
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting.lock);
    return result;
}

struct posted *endpoint_prepare(struct message *const *messages, const uint32_t *destinations,
                                int count)
{
    struct posted *posted = calloc(1, sizeof *posted);
    bool whole = posted != NULL;
    for (int i = 0; i < count; i++)
        whole = control_is_whole(messages[i]) && whole;
    if (!whole) {
        for (int i = 0; i < count; i++)
            message_free(messages[i]);
        free(posted);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        posted->messages[i] = messages[i];
        posted->parcels[i] = (struct parcel){messages[i], destinations[i]};
    }
    posted->outgoing.parcels = posted->parcels;
    posted->outgoing.count = count;
    posted->outgoing.unattended = true;
    return posted;
}

void endpoint_drop(struct posted *posted)
{
    if (!posted)
        return;
    message_free(posted->messages[0]);
    message_free(posted->messages[1]);
    free(posted);
}

void endpoint_post(struct endpoint *endpoint, struct posted *posted)
{
    posted->outgoing.source = endpoint->own;
    if (stream_port_push(&endpoint->port, &posted->outgoing) != PUSH_PENDING)
        endpoint_drop(posted);
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
    int result = endpoint_push(endpoint, request, source);
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
 * Looks, as long as looking brings anything, until a message that matches is queued; *happened tells
 * whether anything came. With the lock.
 */
static struct message *endpoint_look_for(struct endpoint *endpoint, const struct pattern *pattern,
                                         bool *happened)
{
    *happened = false;
    if (!endpoint_enter(endpoint, true))
        return inbox_find(&endpoint->inbox, pattern);
    struct message *found = inbox_find(&endpoint->inbox, pattern);
    while (!found && !endpoint->lost && waiting_look(&endpoint->waiting)) {
        *happened = true;
        found = inbox_find(&endpoint->inbox, pattern);
    }
    endpoint_leave(endpoint);
    return found ? found : inbox_find(&endpoint->inbox, pattern);
}

int endpoint_poll(struct endpoint *endpoint, const struct pattern *pattern,
                  struct message **message)
{
    bool happened;
    lock_acquire(&endpoint->waiting.lock);
    endpoint_look_for(endpoint, pattern, &happened);
    *message = inbox_take(&endpoint->inbox, pattern);
    int result = !*message && endpoint->lost ? PvmSysErr : 0;
    beacon_adjust(&endpoint->beacon, *message, happened, endpoint->inbox.arrived.count);
    lock_release(&endpoint->waiting.lock);
    return result;
}

int endpoint_probe(struct endpoint *endpoint, const struct pattern *pattern,
                   int (*look)(void *context, struct message *message), void *context)
{
    bool happened;
    int result = 0;
    lock_acquire(&endpoint->waiting.lock);
    struct message *found = endpoint_look_for(endpoint, pattern, &happened);
    if (endpoint->lost)
        result = PvmSysErr;
    else if (found)
        result = look(context, found);
    beacon_adjust(&endpoint->beacon, found, happened, endpoint->inbox.arrived.count);
    lock_release(&endpoint->waiting.lock);
    return result;
}

/* The wait id of no answer: what endpoint_wait_until waits for is not a message. */
#define RECHECK (-1)

int endpoint_wait_until(struct endpoint *endpoint, bool (*holds)(void *owner), void *owner)
{
    struct receiver receiver = {.pattern = {.source = TID_ANY, .wait = RECHECK}};
    int result = 0;
    lock_acquire(&endpoint->waiting.lock);
    while (result == 0 && !holds(owner)) {
        if (!endpoint_enter(endpoint, true)) {
            result = PvmSysErr;
            break;
        }
        receiver.waiter.done = false;
        inbox_post(&endpoint->inbox, &receiver);
        result = endpoint_await(endpoint, &receiver, NULL);
        endpoint_leave(endpoint);
        message_free(receiver.message); /* a peer made up that wait id */
        receiver.message = NULL;
    }
    lock_release(&endpoint->waiting.lock);
    return result;
}

void endpoint_recheck(struct endpoint *endpoint)
{
    struct receiver *next;
    lock_acquire(&endpoint->waiting.lock);
    for (struct receiver *receiver = endpoint->inbox.first; receiver; receiver = next) {
        next = receiver->next;
        if (receiver->pattern.wait == RECHECK) {
            inbox_withdraw(&endpoint->inbox, receiver);
            receiver->waiter.done = true;
            waiting_wake(&endpoint->waiting, &receiver->waiter);
        }
    }
    lock_release(&endpoint->waiting.lock);
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
