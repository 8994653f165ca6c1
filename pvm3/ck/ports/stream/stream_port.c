/* stream_port.c - a socket's two directions. */
#include "ck/ports/stream/stream_port.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "ck/base/descriptor.h"
#include "core/annotate.h"

/* The set wakes the leader when the socket takes bytes again only while some are queued. */
static void stream_port_watch_output(const struct stream_port *port, bool watch)
{
    struct epoll_event event = {
        .events = watch ? EPOLLIN | EPOLLOUT : EPOLLIN,
        .data.ptr = (void *)(uintptr_t)port,
    };
    epoll_ctl(port->epoll, EPOLL_CTL_MOD, port->descriptor, &event);
}

static enum push_result stream_port_write_message(const struct stream_port *port,
                                                  struct frame_writer *writer)
{
    struct frame_batch batch;
    while (!frame_writer_is_done(writer)) {
        struct msghdr message = {.msg_iov = batch.vectors};
        message.msg_iovlen = (size_t)frame_writer_fill(writer, &batch);
        ssize_t written = sendmsg(port->descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (written >= 0)
            frame_writer_advance(writer, (size_t)written);
        else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)
            return PUSH_PENDING;
        else if (errno != EINTR)
            return PUSH_BROKEN;
    }
    return PUSH_DONE;
}

static enum push_result stream_port_write(const struct stream_port *port, struct outgoing *outgoing)
{
    enum push_result result = PUSH_DONE;
    while (result == PUSH_DONE && (outgoing->begun || outgoing->count > 0)) {
        if (!outgoing->begun) {
            const struct parcel *parcel = outgoing->parcels++;
            outgoing->count--;
            outgoing->begun = true;
            frame_writer_start(&outgoing->writer, parcel->message, parcel->destination,
                               outgoing->source);
        }
        result = stream_port_write_message(port, &outgoing->writer);
        if (result == PUSH_DONE)
            outgoing->begun = false;
    }
    return result;
}

static struct stream_port *stream_port_of(const struct way *way)
{
    return (struct stream_port *)(void *)((char *)(uintptr_t)way -
                                          offsetof(struct stream_port, way));
}

static bool stream_port_is_busy(const struct way *way)
{
    return stream_port_of(way)->first != NULL;
}

enum push_result stream_port_push(struct way *way, struct outgoing *outgoing)
{
    struct stream_port *port = stream_port_of(way);
    enum push_result result = port->broken ? PUSH_BROKEN : PUSH_PENDING;
    if (result == PUSH_PENDING && !port->first)
        result = stream_port_write(port, outgoing);
    if (result == PUSH_BROKEN && !port->broken) { /* perhaps amid a frame: nothing may follow */
        port->broken = true;
        shutdown(port->descriptor, SHUT_RDWR);
    }
    if (result == PUSH_PENDING) {
        outgoing->next = NULL;
        if (port->first) {
            port->last->next = outgoing;
        } else {
            stream_port_watch_output(port, true);
            port->first = outgoing;
        }
        port->last = outgoing;
    }
    return result;
}

static bool stream_port_recall(struct way *way, struct outgoing *outgoing)
{
    struct stream_port *port = stream_port_of(way);
    struct outgoing *before = NULL;
    lock_acquire(&way->lock);
    struct outgoing *queued = port->first;
    while (queued && queued != outgoing) {
        before = queued;
        queued = queued->next;
    }
    bool recalled = before && queued; /* the first has begun, and no other one */
    if (recalled) {
        before->next = outgoing->next;
        if (port->last == outgoing)
            port->last = before;
    }
    lock_release(&way->lock);
    return recalled;
}

struct outgoing *stream_port_cut_source(struct stream_port *port, uint32_t source)
{
    struct outgoing *cut = NULL, **end = &cut;
    lock_acquire(&port->way.lock);
    struct outgoing *before = port->first; /* which has begun */
    while (before && before->next) {
        struct outgoing *queued = before->next;
        if (queued->source != source || queued->unattended) {
            before = queued;
            continue;
        }
        before->next = queued->next;
        queued->next = NULL;
        queued->result = CK_LOST;
        *end = queued;
        end = &queued->next;
    }
    port->last = before;
    lock_release(&port->way.lock);
    return cut;
}

static struct outgoing *stream_port_cut(struct way *way)
{
    struct stream_port *port = stream_port_of(way);
    lock_acquire(&port->way.lock);
    struct outgoing *queued = port->first;
    port->first = NULL;
    port->last = NULL;
    port->broken = true;
    lock_release(&port->way.lock);
    for (struct outgoing *outgoing = queued; outgoing; outgoing = outgoing->next)
        outgoing->result = CK_LOST;
    return queued;
}

void stream_port_start(struct stream_port *port)
{
    lock_init(&port->way.lock, LOCK_ROUTES);
    port->way.push = stream_port_push;
    port->way.recall = stream_port_recall;
    port->way.is_busy = stream_port_is_busy;
    port->way.cut = stream_port_cut;
    port->descriptor = port->epoll = -1;
    atomic_init(&port->first, NULL);
    ANNOTATE_ATOMIC(&port->first, sizeof port->first);
    port->last = NULL;
    port->broken = true;
    frame_reader_start(&port->reader, FRAME_LENGTH_LIMIT);
    assembler_start(&port->assembler);
}

void stream_port_finish(struct stream_port *port)
{
    stream_port_close(port);
    lock_destroy(&port->way.lock);
}

int stream_port_open(struct stream_port *port, int descriptor, int epoll)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = port};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) < 0)
        return -errno;
    lock_acquire(&port->way.lock);
    port->descriptor = descriptor;
    port->epoll = epoll;
    port->broken = false;
    lock_release(&port->way.lock);
    return 0;
}

void stream_port_use_pools(struct stream_port *port, struct pool *chunks, struct pool *messages)
{
    port->reader.chunks = chunks;
    port->assembler.messages = messages;
}

void stream_port_abandon(struct stream_port *port)
{
    descriptor_close(&port->descriptor);
    port->epoll = -1;
}

/* A forked child may have the socket, too, which keeps it in the set otherwise. */
void stream_port_unwatch(const struct stream_port *port)
{
    if (port->epoll >= 0)
        epoll_ctl(port->epoll, EPOLL_CTL_DEL, port->descriptor, NULL);
}

void stream_port_close(struct stream_port *port)
{
    stream_port_unwatch(port);
    descriptor_close(&port->descriptor);
    port->epoll = -1;
    frame_reader_finish(&port->reader);
    assembler_finish(&port->assembler);
}

struct outgoing *stream_port_flush(struct stream_port *port)
{
    /* Nearly always so. What is queued from now on wakes the leader by itself. */
    if (!atomic_load_explicit(&port->first, memory_order_relaxed))
        return NULL;
    lock_acquire(&port->way.lock);
    struct outgoing *finished = port->first;
    struct outgoing *last = NULL;
    enum push_result result = PUSH_DONE;
    while (port->first && (result = stream_port_write(port, port->first)) == PUSH_DONE) {
        last = port->first;
        last->result = 0;
        port->first = last->next;
    }
    if (result ==
        PUSH_BROKEN) /* the next look finds the end of the stream, and with it all that waits */
        shutdown(port->descriptor, SHUT_RDWR);
    if (last && !port->first)
        stream_port_watch_output(port, false);
    lock_release(&port->way.lock);
    if (!last)
        return NULL;
    last->next = NULL;
    return finished;
}

static const char no_memory[] = "no memory for an arriving message";

/* Whole messages out of what has been read. 1, CK_NONSENSE or CK_NO_MEMORY. */
static int stream_port_assemble(struct stream_port *port, struct message **arrived,
                                const char **reason)
{
    struct received_frame received;
    enum frame_reader_result result;
    while ((result = frame_reader_next(&port->reader, &received)) == FRAME_READER_FRAME) {
        struct message *message = NULL;
        switch (assembler_add(&port->assembler, &received, &message)) {
        case ASSEMBLER_MESSAGE:
            *arrived = message;
            arrived = &message->next;
            break;
        case ASSEMBLER_MORE:
            break;
        case ASSEMBLER_LONG:
        case ASSEMBLER_STRAY: /* some sender's fault, which costs the others nothing */
            *reason = "dropped a message that began or went on where it should not";
            message_free(message);
            break;
        case ASSEMBLER_MEMORY:
            *reason = no_memory;
            return CK_NO_MEMORY;
        }
    }
    if (result != FRAME_READER_CORRUPT)
        return 1;
    *reason = "it sent a frame with an impossible length";
    return CK_NONSENSE;
}

int stream_port_receive(struct stream_port *port, struct message **arrived, const char **reason)
{
    size_t room;
    unsigned char *space = frame_reader_space(&port->reader, &room);
    *reason = NULL;
    if (!space) {
        *reason = no_memory;
        return CK_NO_MEMORY;
    }
    ssize_t got;
    do
        got = recv(port->descriptor, space, room, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (got <= 0) {
        *reason = "it closed the connection";
        return CK_LOST;
    }
    port->received += (size_t)got;
    frame_reader_filled(&port->reader, (size_t)got);
    return stream_port_assemble(port, arrived, reason);
}
