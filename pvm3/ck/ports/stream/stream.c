/* stream.c - what has come from the daemon and on direct routes, and the table of the port. */
#include "ck/ports/stream/stream.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "ck/order.h"
#include "ck/ports/stream/direct.h"
#include "core/tid.h"

/* Streams that one look serves. */
#define READY_ROOM 64

/* What one read of the daemon's port brought. */
struct arrival {
    int got; /* of stream_port_receive */
    struct message *messages;
    const char *reason;
};

static struct arrival stream_read_daemon(struct endpoint *endpoint)
{
    struct stream *stream = stream_of(endpoint);
    struct arrival arrival = {.messages = NULL};
    if (!stream->ended) /* who waits for the end of a rendezvous looks even then */
        arrival.got = stream_port_receive(&stream->daemon, &arrival.messages, &arrival.reason);
    return arrival;
}

/* Takes in what came from the daemon, and sends what can go to it. */
static bool stream_serve_daemon(struct endpoint *endpoint, struct arrival arrival)
{
    struct stream *stream = stream_of(endpoint);
    direct_foresee(endpoint, arrival.messages);
    order_take_in(endpoint, arrival.messages, 0);
    if (arrival.got < 0) {
        order_take_all(endpoint);
        stream->ended = true;
        stream_port_unwatch(&stream->daemon);
        endpoint->owner.lost(endpoint->owner.owner, arrival.reason);
        endpoint_lose(endpoint, arrival.got == CK_NO_MEMORY ? CK_NO_MEMORY : CK_LOST);
        return true;
    }
    if (arrival.reason)
        endpoint->owner.dropped(endpoint->owner.owner, arrival.reason);
    struct outgoing *finished = stream_port_flush(&stream->daemon);
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
static bool stream_serve_routes(struct endpoint *endpoint, bool all, bool *daemon)
{
    struct epoll_event ready[READY_ROOM];
    int count = epoll_wait(endpoint->waiting.epoll, ready, READY_ROOM, 0);
    bool happened = false;
    for (int i = 0; i < count; i++) {
        char *port = ready[i].data.ptr; /* NULL is the doorbell */
        if (ready[i].data.ptr == &stream_of(endpoint)->daemon)
            *daemon = true;
        else if (ready[i].data.ptr == &endpoint->over)
            happened |= endpoint->over->serve(endpoint);
        else if (port)
            happened |= direct_look(
                endpoint, (struct route *)(void *)(port - offsetof(struct route, port)), all);
    }
    return happened;
}

/*
 * Everything that is ready, when there are direct routes. What comes from the daemon may be later
 * than what a task sent on its route: word of the task's end, or what it sends when the route has
 * ended. So when something has come from the daemon, the routes are read to the end before it is
 * taken in.
 */
static bool stream_look_at_all(struct endpoint *endpoint)
{
    bool daemon = false;
    bool happened = stream_serve_routes(endpoint, false, &daemon);
    if (!daemon)
        return happened;
    struct arrival arrival = stream_read_daemon(endpoint);
    /* The ports take turns in being told of, so each has its own; two are no routes. */
    for (int left = stream_of(endpoint)->watched + 2; left > 0; left -= READY_ROOM)
        happened |= stream_serve_routes(endpoint, true, &daemon);
    return stream_serve_daemon(endpoint, arrival) || happened;
}

static int stream_start(struct endpoint *endpoint)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return -ENOMEM;
    stream_port_start(&stream->daemon);
    endpoint->under_part = stream;
    endpoint->common = &stream->daemon.way;
    return 0;
}

static void stream_finish(struct endpoint *endpoint)
{
    stream_port_finish(&stream_of(endpoint)->daemon);
    free(endpoint->under_part);
    endpoint->under_part = NULL;
}

static int stream_attach(struct endpoint *endpoint, int descriptor)
{
    struct stream *stream = stream_of(endpoint);
    int error = stream_port_open(&stream->daemon, descriptor, endpoint->waiting.epoll);
    if (error < 0)
        return error;
    stream_port_use_pools(&stream->daemon, &endpoint->chunks, &endpoint->messages);
    stream->ended = false;
    return 0;
}

static bool stream_look(struct endpoint *endpoint)
{
    return stream_of(endpoint)->watched > 0
               ? stream_look_at_all(endpoint)
               : stream_serve_daemon(endpoint, stream_read_daemon(endpoint));
}

/* Behind the daemon's word of a task's end comes no rest of what the task was killed amid. */
static void stream_hear_daemon(struct endpoint *endpoint, const struct message *message)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    if (dialect_word(dialect, &message->header) == WORD_OVER)
        assembler_forget(&stream_of(endpoint)->daemon.assembler, dialect->take_over(message));
}

static bool stream_keep(struct endpoint *endpoint, const struct peer *peer, struct message *message)
{
    if (message->header.source == TID_OWN_DAEMON) {
        stream_hear_daemon(endpoint, message);
        return direct_hold(endpoint, message);
    }
    direct_see(endpoint, peer, message);
    return false;
}

static void stream_close(struct endpoint *endpoint)
{
    stream_port_close(&stream_of(endpoint)->daemon);
}

static void stream_abandon(struct endpoint *endpoint)
{
    stream_port_abandon(&stream_of(endpoint)->daemon);
}

static int stream_descriptor(const struct peer *peer, bool *open)
{
    const struct route *route = route_to(peer);
    *open = route && route->state == ROUTE_OPEN;
    return route ? route->descriptor : -1;
}

const struct port port_stream = {
    .start = stream_start,
    .finish = stream_finish,
    .attach = stream_attach,
    .lose = direct_lose,
    .part = direct_finish,
    .close = stream_close,
    .abandon = stream_abandon,
    .find = direct_find,
    .current = direct_current,
    .fail = direct_fail,
    .look = stream_look,
    .keep = stream_keep,
    .take_word = direct_take,
    .descriptor = stream_descriptor,
};
