/* stream.c - what has come from the daemon and on direct routes, and the table of the port. */
#include "ck/ports/stream/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "ck/endpoint/order.h"
#include "ck/ports/stream/direct.h"

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
    order_take_in(endpoint, arrival.messages, ADDRESS_NONE);
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
        lock_acquire(&endpoint->waiting->lock);
        endpoint_finish_outgoing(endpoint, finished);
        lock_release(&endpoint->waiting->lock);
    }
    return arrival.got > 0 || finished;
}

/* Endpoints whose daemons' ports are ready. */
struct ready {
    struct endpoint *endpoints[READY_ROOM];
    int count;
};

/*
 * Serves the routes that are ready, of up to READY_ROOM ports of all endpoints; with `all`, until
 * everything that has come is read. Adds to `daemons` what is ready, unless it is NULL: then it is
 * told of again.
 */
static bool stream_serve_routes(struct engine *engine, bool all, struct ready *daemons)
{
    struct epoll_event ready[READY_ROOM];
    int count = epoll_wait(engine->waiting.epoll, ready, READY_ROOM, 0);
    bool happened = false;
    for (int i = 0; i < count; i++) {
        struct stream_port *port = ready[i].data.ptr; /* NULL is the doorbell */
        if (ready[i].data.ptr == &engine->ports)
            happened |= engine->ports.over->serve(engine);
        else if (!port)
            continue;
        else if (port != &stream_of(port->owner)->daemon)
            happened |= direct_look(port->owner, route_of(&port->way), all);
        else if (daemons)
            daemons->endpoints[daemons->count++] = port->owner;
    }
    return happened;
}

/* How often to ask for what is ready until each port has been told of: they take turns. */
static int stream_rounds(const struct engine *engine)
{
    int ports = 1; /* the sockets of the port over */
    for (const struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next)
        ports += stream_of(endpoint)->watched + 1;
    return (ports + READY_ROOM - 1) / READY_ROOM;
}

/*
 * The daemon's port is ready. What comes from the daemon may be later than what a task sent on its
 * route: word of the task's end, or what it sends when the route has ended. So when something has
 * come from the daemon, the routes are read to the end before it is taken in.
 */
static bool stream_look_at_daemon(struct endpoint *endpoint)
{
    bool happened = false;
    struct arrival arrival = stream_read_daemon(endpoint);
    if (stream_of(endpoint)->watched > 0)
        for (int left = stream_rounds(endpoint->engine); left > 0; left--)
            happened |= stream_serve_routes(endpoint->engine, true, NULL);
    return stream_serve_daemon(endpoint, arrival) || happened;
}

/* Everything that is ready, of all endpoints and routes. */
static bool stream_look_at_all(struct engine *engine)
{
    struct ready daemons = {.count = 0};
    bool happened = stream_serve_routes(engine, false, &daemons);
    for (int i = 0; i < daemons.count; i++)
        happened |= stream_look_at_daemon(daemons.endpoints[i]);
    return happened;
}

static int stream_start(struct endpoint *endpoint)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return -ENOMEM;
    stream_port_start(&stream->daemon);
    stream->daemon.owner = endpoint;
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
    int error = stream_port_open(&stream->daemon, descriptor, endpoint->waiting->epoll);
    if (error < 0)
        return error;
    stream_port_use_pools(&stream->daemon, &endpoint->engine->chunks, &endpoint->engine->messages);
    stream->ended = false;
    return 0;
}

static void stream_withdraw(struct endpoint *endpoint)
{
    stream_port_unwatch(&stream_of(endpoint)->daemon);
    direct_withdraw(endpoint);
}

/* One endpoint without routes needs not be told what is ready. */
static bool stream_look(struct engine *engine)
{
    struct endpoint *first = engine->endpoints;
    if (!first || first->next || stream_of(first)->watched > 0)
        return stream_look_at_all(engine);
    return stream_serve_daemon(first, stream_read_daemon(first));
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
    if (message->header.source == endpoint->owner.dialect->addressing.daemon) {
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
    .withdraw = stream_withdraw,
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
