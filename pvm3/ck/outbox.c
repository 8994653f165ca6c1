/* outbox.c - which way a message of an endpoint goes out, and the wait until it is out. */
#include <string.h>

#include "ck/ports/stream/direct.h"
#include "core/tid.h"

/* Sends one message through the daemon, whatever its destination, and waits. 0 or CK_LOST. */
static int endpoint_push(struct endpoint *endpoint, const struct parcel *parcel, uint32_t source)
{
    struct outgoing outgoing = {.result = CK_LOST, .parcels = parcel, .count = 1, .source = source};
    enum push_result pushed = stream_port_push(&endpoint->port, &outgoing);
    return endpoint_finish_push(endpoint, pushed, &outgoing);
}

/* The own copy of a message to this task, with a reference to its body. NULL without memory. */
static struct message *endpoint_copy(struct endpoint *endpoint, const struct message *message)
{
    const struct host_header header = host_header_of(&message->header);
    if (message_is_short(message, HOST_SHORT)) {
        unsigned char *body;
        struct message *copy = host_message_short(&endpoint->messages, endpoint->own, endpoint->own,
                                                  &header, message->length, &body);
        if (copy && message->length > 0)
            memcpy(body, message->segments[0].data, message->length);
        return copy;
    }
    struct message *view = message_view_from(&endpoint->messages, message);
    if (view && message_detach(view, false) < 0) {
        message_free(view);
        return NULL;
    }
    if (view)
        host_message_head(view, endpoint->own, endpoint->own, &header);
    return view;
}

static bool endpoint_is_for_self(const struct endpoint *endpoint, const struct parcel *parcel)
{
    return parcel->destination == endpoint->own &&
           !direct_is_about_routes(endpoint, parcel->message);
}

/*
 * A message of this task to itself. It comes behind all that others have sent it before, as in
 * 3.4.6, where the daemon brings it. 0, CK_LOST or CK_NO_MEMORY.
 */
static int endpoint_send_to_self(struct endpoint *endpoint, const struct message *message)
{
    struct message *copy = endpoint_copy(endpoint, message);
    if (!copy)
        return CK_NO_MEMORY;
    lock_acquire(&endpoint->waiting.lock);
    bool open = endpoint_enter(endpoint, true);
    if (open)
        endpoint_catch_up(endpoint);
    lock_release(&endpoint->waiting.lock);
    if (!open) {
        message_free(copy);
        return CK_LOST;
    }
    bool taken = endpoint->owner.intercept(endpoint->owner.owner, copy);
    lock_acquire(&endpoint->waiting.lock);
    if (!taken)
        endpoint_deliver_locked(endpoint, copy);
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting.lock);
    return 0;
}

/*
 * The same for messages to tasks, to none of which there is or will be another way: false when
 * there is one, and nothing was sent. With one task, `way` may lead to it. A thread that asks for
 * or grants a route enters it in the table before it writes to the daemon: so what is written here,
 * under the lock of the port, comes before.
 */
static bool endpoint_push_to_tasks(struct endpoint *endpoint, const struct parcel *parcels,
                                   int count, const uint32_t *tids, int tid_count,
                                   struct shm_way *way, int *result)
{
    struct outgoing outgoing = {
        .result = CK_LOST, .parcels = parcels, .count = count, .source = endpoint->own};
    enum push_result pushed = PUSH_BROKEN;
    bool allowed = true;
    lock_acquire(&endpoint->port.lock);
    lock_acquire(&endpoint->waiting.lock);
    for (int i = 0; i < tid_count && allowed; i++)
        allowed = !direct_forbids_daemon(endpoint, tids[i]) &&
                  (way->out || !shm_is_engaged(&endpoint->shm, tids[i]));
    lock_release(&endpoint->waiting.lock);
    if (allowed)
        pushed = shm_send_or_leave(endpoint, way, parcels->message, &endpoint->port)
                     ? PUSH_DONE
                     : stream_port_push_locked(&endpoint->port, &outgoing);
    lock_release(&endpoint->port.lock);
    if (allowed)
        *result = endpoint_finish_push(endpoint, pushed, &outgoing);
    return allowed;
}

/*
 * Sends over a direct route or through the daemon, if a link does not take the message after all.
 * False when it was not sent and another way is to be looked for; *result is 0 then, or the error.
 */
static bool endpoint_send_another_way(struct endpoint *endpoint, const struct parcel *parcel,
                                      bool request, struct shm_way *way, int *result)
{
    struct route *route;
    uint32_t peer = parcel->destination;
    *result = direct_find(endpoint, peer, request, &route);
    if (*result < 0)
        return false;
    bool sent = route && direct_send(endpoint, route, way, parcel->message);
    if (route)
        direct_release(endpoint, route);
    return sent || endpoint_push_to_tasks(endpoint, parcel, 1, &peer, 1, way, result);
}

/*
 * To another task, by the link that `way` leads to or another way; with `first`, not by a link that
 * is used already. The body is at `load` if it is in shared memory already, which may be NULL. True
 * when it was sent; otherwise *result is 0, or the error.
 */
static bool endpoint_send_body(struct endpoint *endpoint, const struct parcel *parcel,
                               struct shm_load *load, bool request, bool first, struct shm_way *way,
                               int *result)
{
    *result = 0;
    if (!first && shm_land(endpoint, way, parcel->message))
        return true;
    shm_place(endpoint, parcel->message, load, way);
    bool sent = (!first && shm_send(endpoint, way, parcel->message)) ||
                endpoint_send_another_way(endpoint, parcel, request, way, result);
    if (sent)
        shm_count(way);
    shm_take_back(way);
    return sent;
}

/* The same with the lock of the inbox, which is given up meanwhile. 0 or CK_LOST. */
static int endpoint_send_to_task(struct endpoint *endpoint, const struct parcel *parcel,
                                 struct shm_load *load, bool request)
{
    int result = 0;
    for (bool sent = false; !sent && result == 0; request = false) {
        /* A peer whose route has ended is not asked again for this message. */
        struct shm_way way;
        shm_begin(endpoint, parcel->destination, &way);
        /* The first one that may ask for a route does, whatever link there is. */
        bool first = request && !routes_find(&endpoint->routes, parcel->destination);
        lock_release(&endpoint->waiting.lock);
        sent = endpoint_send_body(endpoint, parcel, load, request, first, &way, &result);
        lock_acquire(&endpoint->waiting.lock);
        shm_end(&endpoint->shm, &way);
    }
    return result;
}

int endpoint_send_as(struct endpoint *endpoint, const struct parcel *parcel, uint32_t source,
                     bool request)
{
    uint32_t peer = parcel->destination;
    if (tid_is_task(peer) && peer != endpoint->own)
        return endpoint_send_to_task(endpoint, parcel, NULL, request);
    lock_release(&endpoint->waiting.lock);
    int result = endpoint_is_for_self(endpoint, parcel)
                     ? endpoint_send_to_self(endpoint, parcel->message)
                     : endpoint_push(endpoint, parcel, source);
    lock_acquire(&endpoint->waiting.lock);
    return result;
}

int endpoint_send(struct endpoint *endpoint, const struct parcel *parcel, bool request)
{
    if (endpoint_is_for_self(endpoint, parcel))
        return endpoint_send_to_self(endpoint, parcel->message);
    lock_acquire(&endpoint->waiting.lock);
    int result = CK_LOST;
    if (endpoint_enter(endpoint, true)) {
        endpoint_let_in_by_send(endpoint);
        request = request && atomic_load(&endpoint->routing) == ROUTING_REQUESTED;
        result = endpoint_send_as(endpoint, parcel, endpoint->own, request);
        endpoint_leave(endpoint);
    }
    lock_release(&endpoint->waiting.lock);
    return result;
}

/*
 * Sends to one of many unless the daemon serves it as well as others; *load is the body in shared
 * memory once there is one. 1 when it is sent, 0 when it is not, or CK_LOST.
 */
static int endpoint_send_to_one(struct endpoint *endpoint, const struct message *message,
                                uint32_t tid, struct shm_load **load)
{
    struct shm_way way;
    lock_acquire(&endpoint->waiting.lock);
    shm_begin(endpoint, tid, &way);
    lock_release(&endpoint->waiting.lock);
    shm_place(endpoint, message, *load, &way);
    if (!*load)
        *load = shm_load_hold(way.load);
    bool linked = way.out != NULL;
    bool sent = shm_send(endpoint, &way, message);
    shm_take_back(&way);
    const struct parcel parcel = {message, tid};
    int error = 0;
    lock_acquire(&endpoint->waiting.lock);
    shm_end(&endpoint->shm, &way);
    if (linked && !sent)
        error = endpoint_send_to_task(endpoint, &parcel, *load, false);
    lock_release(&endpoint->waiting.lock);
    if (linked)
        return error < 0 ? error : 1;
    struct route *route;
    error = direct_find(endpoint, tid, false, &route);
    if (error < 0)
        return error;
    sent = route && direct_send(endpoint, route, &way, message);
    if (route)
        direct_release(endpoint, route);
    return sent;
}

/* Returns how many tids are left over for the daemon, moved to the front, or CK_LOST. */
static int endpoint_send_singly(struct endpoint *endpoint, const struct message *message,
                                uint32_t *tids, int count)
{
    struct shm_load *load = NULL;
    int kept = 0;
    for (int i = 0; i < count && kept >= 0; i++) {
        int sent = endpoint_send_to_one(endpoint, message, tids[i], &load);
        if (sent == 0)
            tids[kept++] = tids[i];
        else if (sent < 0)
            kept = sent;
    }
    shm_load_release(load);
    return kept;
}

/*
 * The daemon keeps one list a task, and sends to it what comes for the task's multicast address: so
 * nothing of other threads may come between the list and the message.
 */
static bool endpoint_push_multicast(struct endpoint *endpoint, const struct message *message,
                                    const uint32_t *tids, int count, int *result)
{
    struct message *list = endpoint->owner.dialect->list(tids, count);
    const struct parcel parcels[] = {{list, TID_OWN_DAEMON},
                                     {message, endpoint->own | TID_MULTICAST_BIT}};
    struct shm_way none = {.out = NULL};
    bool done = true;
    *result = list ? 0 : CK_NO_MEMORY;
    if (list)
        done = endpoint_push_to_tasks(endpoint, parcels, 2, tids, count, &none, result);
    message_free(list);
    return done;
}

int endpoint_send_all(struct endpoint *endpoint, const struct message *message, uint32_t *tids,
                      int count)
{
    lock_acquire(&endpoint->waiting.lock);
    bool entered = endpoint_enter(endpoint, true);
    for (int written = 0; entered && written < 2; written++) /* in 3.4.6 the tids, too */
        endpoint_let_in_by_send(endpoint);
    lock_release(&endpoint->waiting.lock);
    if (!entered)
        return CK_LOST;
    int result;
    do {
        count = endpoint_send_singly(endpoint, message, tids, count);
        result = count < 0 ? count : 0;
    } while (count > 0 && !endpoint_push_multicast(endpoint, message, tids, count, &result));
    lock_acquire(&endpoint->waiting.lock);
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting.lock);
    return result;
}
