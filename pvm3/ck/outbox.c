/* outbox.c - which way a message of an endpoint goes out, and the wait until it is out. */
#include <stdlib.h>

#include <pvm3.h>

#include "ck/direct.h"
#include "core/control.h"
#include "core/tid.h"

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

/* Sends one message through the daemon, whatever its destination, and waits. 0 or PvmSysErr. */
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

int endpoint_send_as(struct endpoint *endpoint, const struct parcel *parcel, uint32_t source,
                     bool request)
{
    int result = 0;
    uint32_t peer = parcel->destination;
    if (!tid_is_task(peer) || peer == endpoint->own)
        return endpoint_push(endpoint, parcel, source);
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
    int result = endpoint_send_as(endpoint, parcel, endpoint->own, request);
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
    *result = control_is_whole(list) ? PvmOk : PvmNoMem;
    if (*result == PvmOk)
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
    int result;
    do {
        count = endpoint_send_on_routes(endpoint, message, tids, count);
        result = count < 0 ? count : 0;
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
