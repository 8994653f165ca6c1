/* endpoint.c - brings the port, the inbox and the waiting threads together. */
#include "ck/endpoint.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "ck/ports/stream/direct.h"
#include "core/tid.h"

/* Ports that one look serves. */
#define READY_ROOM 64

/* Messages of all rings in one glance. */
#define RING_TURN 32

/* Glances that find messages in rings, after which the other ways have their turn. */
#define TURN_OF_OTHERS 256

/* Looks, after which the sockets by which links are made and ended have theirs. */
#define TURN_OF_CALLS 64

/* Sends that look after a call that does not wait. */
#define SENDS_AFTER_POLL 64

/* Looks of one send: what was there when it began takes no more, unless it is long. */
#define LOOKS_BY_SEND 64

/*
 * A message of a megabyte, which is long, takes up to so many chunks of a frame_reader: at least
 * three quarters of each, however its pieces come, and the next one.
 */
#define CHUNKS_KEPT 24

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
            endpoint_fail_receiver(endpoint, receiver, CK_PEER_OVER);
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

/* A receiver that is stopped stands in no list of the inbox: it is let go as well. */
static void endpoint_fail_paused(struct endpoint *endpoint, int error)
{
    struct waiter *paused;
    while ((paused = waiting_paused(&endpoint->waiting)) != NULL) {
        struct receiver *receiver = inbox_receiver_of(&endpoint->inbox, paused);
        if (receiver)
            receiver->error = error;
        paused->done = true;
        waiting_go_on(&endpoint->waiting, paused);
    }
}

/* Everything that waits fails with `error`, everything later with CK_LOST. */
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

/* Wakes the receiver that `message` was given to, or the examinations that it was shown to. */
static void endpoint_tell(struct endpoint *endpoint, const struct message *message,
                          struct receiver *receiver)
{
    if (receiver) {
        waiting_wake(&endpoint->waiting, &receiver->waiter);
    } else {
        endpoint_wake_examinations(endpoint, message);
        if (!endpoint->waiting.looking)
            wait_descriptor_ring(
                &endpoint->wait_descriptor); /* who only looks adjusts it in the end */
    }
}

void endpoint_deliver_locked(struct endpoint *endpoint, struct message *message)
{
    endpoint_tell(endpoint, message, inbox_arrive(&endpoint->inbox, message));
}

void endpoint_deliver_again(struct endpoint *endpoint, struct message *message)
{
    struct receiver *receiver = inbox_deliver_again(&endpoint->inbox, message);
    endpoint_tell(endpoint, message, receiver);
    for (struct examination *examination = endpoint->inbox.examinations; examination && !receiver;
         examination = examination->other)
        waiting_wake(&endpoint->waiting, &examination->waiter);
}

bool endpoint_may_cancel(const struct endpoint *endpoint)
{
    const struct endpoint_owner *owner = &endpoint->owner;
    return owner->cancellable && owner->cancellable(owner->owner);
}

void endpoint_deliver(struct endpoint *endpoint, struct message *message)
{
    lock_acquire(&endpoint->waiting.lock);
    endpoint_deliver_locked(endpoint, message);
    lock_release(&endpoint->waiting.lock);
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

void endpoint_take_one(struct endpoint *endpoint, struct message *message)
{
    if (!endpoint->owner.intercept(endpoint->owner.owner, message))
        endpoint_deliver(endpoint, message);
}

/* What came another way than through a ring. */
static void endpoint_take_other(struct endpoint *endpoint, struct message *message, bool daemon)
{
    if (shm_precede(endpoint, message) || (daemon && direct_hold(endpoint, message)))
        return;
    if (daemon)
        direct_see(endpoint, message);
    endpoint_take_one(endpoint, message);
}

/* What has waited until now, in the rings too. */
static bool endpoint_take_due(struct endpoint *endpoint)
{
    bool daemon, happened = false;
    struct message *message;
    while ((message = shm_due(endpoint, &daemon)) != NULL) {
        endpoint_take_other(endpoint, message, daemon);
        happened = true;
    }
    return happened;
}

/*
 * Everything that is there. Before word of a task's end: what that task has sent before is, though
 * what others have sent may be on its way.
 */
static void endpoint_take_all(struct endpoint *endpoint)
{
    struct shm *shm = &endpoint->shm;
    shm->heedless = true;
    endpoint_take_due(endpoint);
    shm_look(endpoint, UINT_MAX);
    shm->heedless = false;
}

void endpoint_take_in(struct endpoint *endpoint, struct message *arrived, uint32_t peer)
{
    if (arrived && endpoint->shm.listening) {
        uint64_t now = stamp_now(endpoint->shm.clock);
        shm_hear_calls(endpoint, 0, now);
        shm_learn(&endpoint->shm, stamp_moment_after(now));
        shm_look(endpoint, UINT_MAX);
    }
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
        if (endpoint_put_aside(endpoint, message) || shm_defer(endpoint, message, peer == 0))
            continue;
        if (message->header.source == TID_OWN_DAEMON && message->header.wait == 0)
            endpoint_take_all(endpoint);
        endpoint_take_other(endpoint, message, peer == 0);
        endpoint_take_due(endpoint);
    }
}

/* What one read of the daemon's port brought. */
struct arrival {
    int got; /* of stream_port_receive */
    struct message *messages;
    const char *reason;
};

static struct arrival endpoint_read_daemon(struct endpoint *endpoint)
{
    struct arrival arrival = {.messages = NULL};
    if (!endpoint->port_ended) /* who waits for the end of a rendezvous looks even then */
        arrival.got = stream_port_receive(&endpoint->port, &arrival.messages, &arrival.reason);
    return arrival;
}

/* Takes in what came from the daemon, and sends what can go to it. */
static bool endpoint_serve_daemon(struct endpoint *endpoint, struct arrival arrival)
{
    direct_foresee(endpoint, arrival.messages);
    endpoint_take_in(endpoint, arrival.messages, 0);
    if (arrival.got < 0) {
        endpoint_take_all(endpoint);
        endpoint->port_ended = true;
        stream_port_unwatch(&endpoint->port);
        endpoint->owner.lost(endpoint->owner.owner, arrival.reason);
        endpoint_lose(endpoint, arrival.got == CK_NO_MEMORY ? CK_NO_MEMORY : CK_LOST);
        return true;
    }
    if (arrival.reason)
        endpoint->owner.dropped(endpoint->owner.owner, arrival.reason);
    struct outgoing *finished = stream_port_flush(&endpoint->port);
    if (finished) {
        lock_acquire(&endpoint->waiting.lock);
        endpoint_finish_outgoing(endpoint, finished);
        lock_release(&endpoint->waiting.lock);
    }
    return arrival.got > 0 || finished;
}

/*
 * Serves the routes that are ready, of up to READY_ROOM ports; with `all`, until everything that
 * has come is read. *daemon says whether the daemon's port is ready.
 */
static bool endpoint_serve_routes(struct endpoint *endpoint, bool all, bool *daemon)
{
    struct epoll_event ready[READY_ROOM];
    int count = epoll_wait(endpoint->waiting.epoll, ready, READY_ROOM, 0);
    bool happened = false;
    for (int i = 0; i < count; i++) {
        char *port = ready[i].data.ptr; /* NULL is the doorbell */
        if (ready[i].data.ptr == &endpoint->port)
            *daemon = true;
        else if (ready[i].data.ptr == &endpoint->shm)
            happened |= shm_serve(endpoint);
        else if (port)
            happened |= direct_look(
                endpoint, (struct route *)(void *)(port - offsetof(struct route, port)), all);
    }
    return happened;
}

/*
 * Everything that is ready, when there are direct routes. What comes from the daemon may be later
 * than what a task sent on its route: word of that task's end, or what it sends when the route has
 * ended. So when there is such, the routes are read to the end before it is taken in.
 */
static bool endpoint_look_at_all(struct endpoint *endpoint)
{
    bool daemon = false;
    bool happened = endpoint_serve_routes(endpoint, false, &daemon);
    if (!daemon)
        return happened;
    struct arrival arrival = endpoint_read_daemon(endpoint);
    /* The ports take turns in being told of, so each has its own; two are no routes. */
    for (int left = endpoint->routes.watched + 2; left > 0; left -= READY_ROOM)
        happened |= endpoint_serve_routes(endpoint, true, &daemon);
    return endpoint_serve_daemon(endpoint, arrival) || happened;
}

/* Whether it is time for the sockets by which links are made and ended. */
static bool endpoint_is_called(struct endpoint *endpoint)
{
    const void *roused = endpoint->waiting.roused;
    endpoint->waiting.roused = NULL;
    return roused == &endpoint->shm || roused == &endpoint->waiting ||
           ++endpoint->looks % TURN_OF_CALLS == 0;
}

/* The leader's look at all but the rings. */
static bool endpoint_look(void *owner)
{
    struct endpoint *endpoint = owner;
    if (endpoint_is_called(endpoint) && shm_serve(endpoint))
        return true;
    if (endpoint->routes.gone) {
        lock_acquire(&endpoint->waiting.lock);
        routes_sweep(&endpoint->routes);
        lock_release(&endpoint->waiting.lock);
    }
    return endpoint->routes.watched > 0
               ? endpoint_look_at_all(endpoint)
               : endpoint_serve_daemon(endpoint, endpoint_read_daemon(endpoint));
}

/* Its glance at the rings. While messages keep coming there it makes hardly any system call. */
static bool endpoint_glance(void *owner)
{
    struct endpoint *endpoint = owner;
    bool happened = shm_look(endpoint, RING_TURN);
    if (endpoint->shm.late)
        happened |= endpoint_take_due(endpoint);
    if (happened && ++endpoint->glances % TURN_OF_OTHERS == 0)
        endpoint_look(endpoint);
    return happened;
}

static bool endpoint_sleep(void *owner, bool asleep)
{
    return shm_sleep(owner, asleep);
}

static bool endpoint_tidy(void *owner, bool idle)
{
    return shm_tidy(owner, idle);
}

static void endpoint_errand(void *owner)
{
    struct endpoint *endpoint = owner;
    endpoint->owner.errand(endpoint->owner.owner);
}

int endpoint_init(struct endpoint *endpoint, const struct endpoint_owner *owner)
{
    const struct waiting_work work = {.look = endpoint_look,
                                      .glance = endpoint_glance,
                                      .errand = endpoint_errand,
                                      .sleeping = endpoint_sleep,
                                      .tidy = endpoint_tidy,
                                      .owner = endpoint};
    memset(endpoint, 0, sizeof *endpoint);
    pool_start(&endpoint->chunks, CHUNKS_KEPT);
    pool_start(&endpoint->messages, POOL_MOST);
    pool_start(&endpoint->receivings, POOL_MOST);
    endpoint->owner = *owner;
    endpoint->lost = true;
    atomic_init(&endpoint->routing, ROUTING_GRANTED);
    atomic_init(&endpoint->sends_watch, false);
    inbox_start(&endpoint->inbox);
    wait_descriptor_start(&endpoint->wait_descriptor);
    stream_port_start(&endpoint->port);
    shm_start(&endpoint->shm);
    return waiting_init(&endpoint->waiting, LOCK_INBOX, &work);
}

void endpoint_destroy(struct endpoint *endpoint)
{
    waiting_destroy(&endpoint->waiting);
    stream_port_finish(&endpoint->port);
    inbox_finish(&endpoint->inbox);
    shm_finish(&endpoint->shm);
    pool_finish(&endpoint->messages, message_discard);
    pool_finish(&endpoint->receivings, free);
    pool_finish(&endpoint->chunks, free);
}

void endpoint_share(struct endpoint *endpoint, size_t limit, int64_t one_copy)
{
    endpoint->shm.one_copy = one_copy;
    endpoint->shm.arena.limit = limit;
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
    endpoint->lost = endpoint->port_ended = false;
    endpoint->gone = 0;
    lock_release(&endpoint->waiting.lock);
    return 0;
}

void endpoint_open(struct endpoint *endpoint, uint32_t own, uint32_t host)
{
    endpoint->own = own;
    shm_listen(endpoint, own);
    lock_acquire(&endpoint->waiting.lock);
    struct message *early = endpoint->early;
    endpoint->early = NULL;
    endpoint->host = host;
    endpoint->open = true;
    waiting_begin_look(&endpoint->waiting);
    lock_release(&endpoint->waiting.lock);
    endpoint_take_in(endpoint, early, 0);
    lock_acquire(&endpoint->waiting.lock);
    waiting_end_look(&endpoint->waiting);
    lock_release(&endpoint->waiting.lock);
}

void endpoint_rest(struct endpoint *endpoint)
{
    if (endpoint->wait_descriptor.set < 0)
        return;
    /* What was rung for is in the inbox, or in a ring, where a leader finds it if there is one. */
    wait_descriptor_answer(&endpoint->wait_descriptor);
    if (!endpoint->waiting.leader && !endpoint->waiting.looking && shm_sleep(endpoint, true))
        wait_descriptor_ring(&endpoint->wait_descriptor);
}

/* Whether to look once more for what a send lets in, or for all that has come. */
static bool endpoint_looks_on(struct endpoint *endpoint, bool all)
{
    return (all || !endpoint->inbox.outside) && !endpoint->lost &&
           waiting_take_in(&endpoint->waiting);
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

void endpoint_let_in_by_send(struct endpoint *endpoint)
{
    bool outside = endpoint->inbox.outside != NULL;
    bool watchful = atomic_load_explicit(&endpoint->sends_watch, memory_order_relaxed);
    if (!outside && endpoint->sends_to_look == 0 && !watchful) {
        endpoint->sends_blind++;
        return;
    }
    if (!outside) {
        endpoint->sends_to_look -= endpoint->sends_to_look > 0;
        endpoint_look_by_send(endpoint, false);
    }
    inbox_let_in(&endpoint->inbox);
    waiting_run_errand(&endpoint->waiting);
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
    lock_acquire(&endpoint->waiting.lock);
    if (endpoint->attached && count++ < room)
        list[0] =
            wait_descriptor_open(&endpoint->wait_descriptor, endpoint->port.descriptor,
                                 endpoint->waiting.doorbell, inbox_has_messages(&endpoint->inbox));
    endpoint_rest(endpoint);
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
    waiting_heed_jump(&endpoint->waiting);
    bool attached = endpoint->attached;
    endpoint->attached = false;
    lock_release(&endpoint->waiting.lock);
    if (!attached)
        return;
    endpoint_lose(endpoint, CK_LOST);
    lock_acquire(&endpoint->waiting.lock);
    waiting_settle(&endpoint->waiting);
    while (endpoint->users > 0)
        lock_wait(&endpoint->waiting.lock, &endpoint->waiting.changed, NULL);
    const struct pattern any = {.source = TID_ANY, .tag = PATTERN_ANY, .context = PATTERN_ANY};
    struct message *message;
    while ((message = inbox_take(&endpoint->inbox, &any)) != NULL)
        endpoint->owner.discard(endpoint->owner.owner, message);
    wait_descriptor_finish(&endpoint->wait_descriptor);
    lock_release(&endpoint->waiting.lock);
    while (endpoint->early) {
        message = endpoint->early;
        endpoint->early = message->next;
        message_free(message);
    }
    direct_finish(endpoint);
    shm_leave(endpoint);
    stream_port_close(&endpoint->port);
}

void endpoint_abandon(struct endpoint *endpoint)
{
    endpoint->attached = endpoint->open = false;
    endpoint->lost = true;
    waiting_abandon(&endpoint->waiting); /* so nobody is woken who is no more */
    endpoint_fail_receivers(endpoint, CK_LOST);
    endpoint_fail_examinations(endpoint, CK_LOST);
    wait_descriptor_finish(&endpoint->wait_descriptor);
    stream_port_abandon(&endpoint->port);
    routes_abandon(&endpoint->routes);
    shm_abandon(&endpoint->shm);
    arena_abandon(&endpoint->shm.arena);
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

void endpoint_request_errand(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting.lock);
    waiting_request_errand(&endpoint->waiting);
    lock_release(&endpoint->waiting.lock);
}
