/* stream.c - what has come from the daemon and on direct routes, and the table of the port. */
#include "ck/ports/stream/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "ck/endpoint/order.h"
#include "ck/ports/stream/direct.h"

/* Streams that one look serves. */
#define READY_ROOM 64

/* What one read of a line brought. */
struct arrival {
    int got; /* of stream_port_receive */
    struct message *messages;
    const char *reason;
};

static struct arrival stream_read_line(struct line *line)
{
    struct arrival arrival = {.messages = NULL};
    if (!line->ended) /* who waits for the end of a rendezvous looks even then */
        arrival.got = stream_port_receive(&line->port, &arrival.messages, &arrival.reason);
    return arrival;
}

/* The endpoint that a message of the line is for; NULL if it has gone. */
static struct endpoint *stream_receiver(struct engine *engine, const struct line *line,
                                        const struct message *message)
{
    if (line->only)
        return line->only;
    struct endpoint *endpoint = engine_reach(engine, message->header.destination);
    return endpoint && stream_of(endpoint)->line == line ? endpoint : NULL;
}

/* Takes the messages of the first one's receiver off the list, up to the next one for another. */
static struct message *stream_part(struct engine *engine, const struct line *line,
                                   struct message **messages, struct endpoint **receiver)
{
    struct message *first = *messages, *last = first;
    *receiver = stream_receiver(engine, line, first);
    while (last->next && stream_receiver(engine, line, last->next) == *receiver)
        last = last->next;
    *messages = last->next;
    last->next = NULL;
    return first;
}

/* For an endpoint that has gone, as for a task that there is not. */
static void stream_drop(struct message *messages)
{
    while (messages) {
        struct message *next = messages->next;
        message_free(messages);
        messages = next;
    }
}

static void stream_take_in(struct engine *engine, const struct line *line, struct message *messages)
{
    while (messages) {
        struct endpoint *receiver;
        struct message *part = stream_part(engine, line, &messages, &receiver);
        if (receiver) {
            direct_foresee(receiver, part);
            order_take_in(receiver, part, ADDRESS_NONE);
        } else {
            stream_drop(part);
        }
    }
}

/* The line has ended, and with it all that use it. */
static void stream_lose_line(struct engine *engine, struct line *line,
                             const struct arrival *arrival)
{
    line_end(line, engine);
    for (struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next) {
        if (stream_of(endpoint)->line != line)
            continue;
        order_take_all(endpoint);
        endpoint->owner.lost(endpoint->owner.owner, arrival->reason);
        endpoint_lose(endpoint, arrival->got == CK_NO_MEMORY ? CK_NO_MEMORY : CK_LOST);
    }
    line_leave(line, engine);
}

/* Takes in what came on the line, and sends what can go by it. */
static bool stream_serve_line(struct engine *engine, struct line *line, struct arrival arrival)
{
    if (arrival.messages && engine->far_part)
        engine->ports.far->look(engine);
    stream_take_in(engine, line, arrival.messages);
    if (arrival.got < 0) {
        stream_lose_line(engine, line, &arrival);
        return true;
    }
    struct endpoint *any = line->only ? line->only : engine->endpoints;
    if (arrival.reason)
        any->owner.dropped(any->owner.owner, arrival.reason);
    struct outgoing *finished = stream_port_flush(&line->port);
    if (finished) {
        lock_acquire(&engine->waiting.lock);
        endpoint_finish_outgoing(any, finished);
        lock_release(&engine->waiting.lock);
    }
    return arrival.got > 0 || finished;
}

/* Lines that are ready. */
struct ready {
    struct line *lines[READY_ROOM];
    int count;
};

/*
 * Serves the routes that are ready, of up to READY_ROOM ports of all endpoints; with `all`, until
 * everything that has come is read. Adds to `lines` what is ready, unless it is NULL: then it is
 * told of again.
 */
static bool stream_serve_routes(struct engine *engine, bool all, struct ready *lines)
{
    struct epoll_event ready[READY_ROOM];
    int count = epoll_wait(engine->waiting.epoll, ready, READY_ROOM, 0);
    bool happened = false;
    for (int i = 0; i < count; i++) {
        struct stream_port *port = ready[i].data.ptr; /* NULL is the doorbell */
        if (ready[i].data.ptr == &engine->ports)
            happened |= engine->ports.over->serve(engine);
        else if (!port || ready[i].data.ptr == &engine->far_part)
            continue;
        else if (port->owner)
            happened |= direct_look(port->owner, route_of(&port->way), all);
        else if (lines)
            lines->lines[lines->count++] = line_of(port);
    }
    return happened;
}

/* Routes that are watched, of all endpoints. */
static int stream_watched(const struct engine *engine)
{
    int watched = 0;
    for (const struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next)
        watched += stream_of(endpoint)->watched;
    return watched;
}

/* How often to ask for what is ready until each port has been told of: they take turns. */
static int stream_rounds(const struct engine *engine, int watched)
{
    int ports = watched + 1; /* the sockets of the port over */
    for (const struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next)
        ports++; /* a line */
    return (ports + READY_ROOM - 1) / READY_ROOM;
}

/*
 * The line is ready. What comes from the daemon may be later than what a task sent on its route:
 * word of the task's end, or what it sends when the route has ended. So when something has come
 * from the daemon, the routes are read to the end before it is taken in.
 */
static bool stream_look_at_line(struct engine *engine, struct line *line)
{
    bool happened = false;
    struct arrival arrival = stream_read_line(line);
    int watched = stream_watched(engine);
    if (watched > 0)
        for (int left = stream_rounds(engine, watched); left > 0; left--)
            happened |= stream_serve_routes(engine, true, NULL);
    return stream_serve_line(engine, line, arrival) || happened;
}

/* Everything that is ready, of all endpoints and routes. */
static bool stream_look_at_all(struct engine *engine)
{
    struct ready ready = {.count = 0};
    bool happened = stream_serve_routes(engine, false, &ready);
    for (int i = 0; i < ready.count; i++)
        happened |= stream_look_at_line(engine, ready.lines[i]);
    return happened;
}

static int stream_start(struct endpoint *endpoint)
{
    endpoint->under_part = calloc(1, sizeof(struct stream));
    return endpoint->under_part ? 0 : -ENOMEM;
}

static void stream_finish(struct endpoint *endpoint)
{
    free(endpoint->under_part);
    endpoint->under_part = NULL;
}

static void stream_use(struct endpoint *endpoint, struct line *line)
{
    stream_of(endpoint)->line = line;
    endpoint->common = &line->port.way;
    endpoint->descriptor = line->port.descriptor;
}

static int stream_attach(struct endpoint *endpoint, int descriptor)
{
    int error;
    struct line *line = line_open(endpoint, descriptor, &error);
    if (line)
        stream_use(endpoint, line);
    return error;
}

static bool stream_keep_line(struct endpoint *endpoint)
{
    return line_keep(stream_of(endpoint)->line, endpoint->engine);
}

static bool stream_join(struct endpoint *endpoint)
{
    struct line *line = line_join(endpoint->engine);
    if (line)
        stream_use(endpoint, line);
    return line;
}

static bool stream_is_last(const struct endpoint *endpoint)
{
    const struct engine *engine = endpoint->engine;
    return engine->endpoints == endpoint && !endpoint->next && !engine->entering;
}

static void stream_withdraw(struct endpoint *endpoint)
{
    struct engine *engine = endpoint->engine;
    line_withdraw(stream_of(endpoint)->line);
    if (engine->under_part && stream_is_last(endpoint))
        line_drop(engine);
    direct_withdraw(endpoint);
}

static void stream_hang_up(struct endpoint *endpoint)
{
    struct line *line = stream_of(endpoint)->line;
    if (line->only)
        shutdown(line->port.descriptor, SHUT_RDWR);
    else
        endpoint_lose(endpoint, CK_LOST);
}

static struct outgoing *stream_cut(struct endpoint *endpoint)
{
    return line_cut(stream_of(endpoint)->line, endpoint);
}

/* The only line of an engine; NULL if there are others, or perhaps. */
static struct line *stream_only_line(const struct engine *engine)
{
    const struct endpoint *first = engine->endpoints;
    struct line *line = first && !first->next ? stream_of(first)->line : NULL;
    return engine->under_part && engine->under_part != line ? NULL : line;
}

/* The only line of an engine without routes needs not be told that it is ready. */
static bool stream_look(struct engine *engine)
{
    struct line *line = stream_only_line(engine);
    if (!line || stream_of(engine->endpoints)->watched > 0)
        return stream_look_at_all(engine);
    return stream_serve_line(engine, line, stream_read_line(line));
}

/* Behind the daemon's word of a task's end comes no rest of what the task was killed amid. */
static void stream_hear_daemon(struct endpoint *endpoint, const struct message *message)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    if (dialect_word(dialect, &message->header) == WORD_OVER)
        assembler_forget(&stream_of(endpoint)->line->port.assembler, dialect->take_over(message));
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

static void stream_take_word(struct endpoint *endpoint, const struct message *message)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    if (dialect_word(dialect, &message->header) != WORD_ENDED) {
        direct_take(endpoint, message);
    } else if (message->header.source == dialect->addressing.daemon) {
        endpoint->owner.lost(endpoint->owner.owner, "it has ended this task");
        endpoint_lose(endpoint, CK_LOST);
    }
}

static void stream_close(struct endpoint *endpoint)
{
    struct stream *stream = stream_of(endpoint);
    struct line *line = stream->line;
    stream->line = NULL; /* before: another thread may fork at any moment */
    endpoint->common = NULL;
    line_leave(line, endpoint->engine);
}

static void stream_abandon(struct endpoint *endpoint)
{
    if (stream_of(endpoint)->line)
        stream_port_abandon(&stream_of(endpoint)->line->port);
}

/* The engine's line may have no user that is abandoned. */
static void stream_forsake(struct engine *engine)
{
    struct line *line = engine->under_part;
    if (line)
        stream_port_abandon(&line->port);
}

static bool stream_is_cut(const struct endpoint *endpoint)
{
    if (!stream_of(endpoint)->line->only)
        return endpoint->lost;
    struct pollfd set = {.fd = endpoint->descriptor, .events = POLLRDHUP};
    return poll(&set, 1, 0) == 1;
}

static int stream_descriptor(const struct peer *peer, bool *open)
{
    const struct route *route = route_to(peer);
    *open = route && route->state == ROUTE_OPEN;
    return route ? route->descriptor : -1;
}

const struct port port_stream = {
    .forsake = stream_forsake,
    .start = stream_start,
    .finish = stream_finish,
    .attach = stream_attach,
    .keep_common = stream_keep_line,
    .join = stream_join,
    .hang_up = stream_hang_up,
    .cut = stream_cut,
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
    .is_cut = stream_is_cut,
    .take_word = stream_take_word,
    .descriptor = stream_descriptor,
};
