/* host_stream.c - reading, writing and keeping of frames. */
#include "daemon/post/host_stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"

#define VECTORS_AT_ONCE 64
#define TURN            (64u * 1024)  /* bytes of one flow before it is another one's turn */
#define TOLD_AFTER      (512u * 1024) /* bytes taken */
#define READS_AT_ONCE   4
#define TOLD_LATEST     500 /* milliseconds */

static void host_stream_flush(struct host_stream *stream);

static void host_stream_run_flush(struct loop_work *work)
{
    host_stream_flush(LIST_OWNER(work, struct host_stream, flush));
}

static void host_stream_take_all(struct host_stream *stream);

static void host_stream_run_rest(struct loop_work *work)
{
    struct host_stream *stream = LIST_OWNER(work, struct host_stream, rest);
    host_stream_take_all(stream);
    frame_reader_rest(&stream->reader);
    records_rest(&stream->records);
}

static void host_stream_tell(struct host_stream *stream)
{
    stream->told = stream->taken;
    host_stream_say(stream, &(struct link_word){.kind = LINK_TAKEN, .taken = stream->taken});
}

/* Also another try after a shortage of memory. */
static void host_stream_expire(struct loop_timer *timer)
{
    struct host_stream *stream = LIST_OWNER(timer, struct host_stream, pause);
    if (stream->source.fd >= 0 && stream->told != stream->taken)
        host_stream_tell(stream);
    loop_defer(&stream->link->daemon->loop, &stream->flush);
}

static void host_stream_handle(struct loop_source *source, uint32_t events);

/* A message to this daemon comes in one frame. */
static size_t host_stream_frame_limit(const struct host_link *link)
{
    size_t limit = link->daemon->settings.request_limit + FRAME_MESSAGE_HEADER_SIZE;
    return limit > FLOWS_FRAME_MOST ? limit : FLOWS_FRAME_MOST;
}

void host_stream_start(struct host_stream *stream, struct host_link *link,
                       const struct host_stream_events *events)
{
    *stream = (struct host_stream){.link = link, .events = events};
    loop_source_start(&stream->source, host_stream_handle);
    loop_work_start(&stream->flush, host_stream_run_flush);
    loop_work_start(&stream->rest, host_stream_run_rest);
    loop_timer_start(&stream->pause, host_stream_expire);
    frame_reader_start(&stream->reader, host_stream_frame_limit(link));
    stream->reader.chunks = &link->daemon->chunks;
    flows_start(&stream->flows, &link->daemon->backlogs, link->backlog.tid);
    far_feeders_start(&stream->far_feeders, stream, host_stream_say);
    records_start(&stream->records, &link->daemon->chunks);
    frame_queue_start(&stream->out);
    frame_queue_start(&stream->wire);
    frame_queue_start(&stream->kept);
    stream->kept.backlog = &link->backlog;
}

void host_stream_close(struct host_stream *stream)
{
    loop_close(&stream->link->daemon->loop, &stream->source);
    loop_timer_cancel(&stream->pause);
    loop_work_cancel(&stream->flush);
    loop_work_cancel(&stream->rest);
    frame_reader_finish(&stream->reader);
    records_finish(&stream->records);
    far_feeders_forget(&stream->far_feeders);
    flows_let_all_go_on(&stream->flows);
    frame_queue_finish(&stream->out);
    frame_queue_finish(&stream->wire);
    stream->connecting = stream->reading = stream->blocked = false;
}

void host_stream_finish(struct host_stream *stream)
{
    host_stream_close(stream);
    flows_finish(&stream->flows);
    frame_queue_finish(&stream->kept);
}

/* What is not confirmed within the patience breaks the connection: another one may do better. */
static void host_stream_set_options(const struct host_stream *stream, int fd)
{
    const int on = 1;
    const int patience = (int)stream->link->daemon->settings.host_patience;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
}

/* What the connection is to be looked at for. */
static void host_stream_watch(struct host_stream *stream)
{
    uint32_t events = stream->reading ? EPOLLIN : 0;
    if (stream->blocked || stream->connecting)
        events |= EPOLLOUT;
    loop_watch_for(&stream->link->daemon->loop, &stream->source, events);
}

int host_stream_open(struct host_stream *stream, int fd, bool connecting)
{
    host_stream_set_options(stream, fd);
    unsent_start(&stream->unsent, loop_now());
    unsent_set(&stream->unsent, fd);
    if (loop_watch(&stream->link->daemon->loop, &stream->source, fd, 0) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    stream->connecting = connecting;
    stream->sending = stream->reading = stream->blocked = false;
    stream->confirmed = stream->taken = stream->told = 0;
    stream->still = 0;
    if (connecting)
        host_stream_watch(stream);
    return 0;
}

/* Sending. ------------------------------------------------------------------------------------- */

static void host_stream_no_memory(struct host_stream *stream)
{
    log_write("no memory for what goes to the host %s: it waits", stream->link->host->name);
    loop_timer_set(&stream->link->daemon->loop, &stream->pause, TOLD_LATEST);
}

/* Moves what is to be written next to the wire. */
static void host_stream_load(struct host_stream *stream)
{
    if (!frame_queue_is_empty(&stream->wire))
        return;
    while (!frame_queue_is_empty(&stream->out) && stream->wire.bytes < TURN) {
        if ((stream->records.there ? records_write(&stream->records, &stream->out, &stream->wire)
                                   : frame_queue_move(&stream->wire, &stream->out)) < 0) {
            host_stream_no_memory(stream);
            break;
        }
    }
}

/* Gives the next flows their turn. False when nothing is to be written now. */
static bool host_stream_fill(struct host_stream *stream)
{
    while (stream->sending && stream->out.bytes < TURN && !flows_are_empty(&stream->flows)) {
        if (flows_take(&stream->flows, &stream->out, &stream->kept, TURN) < 0) {
            host_stream_no_memory(stream);
            break;
        }
    }
    host_stream_load(stream);
    return !frame_queue_is_empty(&stream->wire);
}

/* True when there may be more to write. */
static bool host_stream_write(struct host_stream *stream)
{
    struct iovec vectors[VECTORS_AT_ONCE];
    struct msghdr message = {.msg_iov = vectors};
    message.msg_iovlen = (size_t)frame_queue_fill(&stream->wire, vectors, VECTORS_AT_ONCE);
    ssize_t size = sendmsg(stream->source.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size >= 0) {
        stream->link->daemon->statistics.host_writes++;
        frame_queue_advance(&stream->wire, (size_t)size);
    } else if (errno == EAGAIN || errno == ENOBUFS) {
        stream->blocked = true;
        unsent_look(&stream->unsent, stream->source.fd, loop_now());
        host_stream_watch(stream);
    } else if (errno != EINTR) {
        stream->events->broken(stream->link, strerror(errno));
    }
    return stream->source.fd >= 0 && !stream->blocked;
}

static void host_stream_flush(struct host_stream *stream)
{
    if (stream->source.fd < 0 || stream->connecting || stream->blocked)
        return;
    while (host_stream_fill(stream) && host_stream_write(stream))
        continue;
}

static void host_stream_write_word(struct host_stream *stream, struct frame_queue *queue,
                                   const struct link_word *word)
{
    unsigned char bytes[FRAME_HEADER_SIZE + LINK_WORD_SIZE];
    const struct frame frame = {
        .destination = stream->link->host->part | TID_DAEMON_BIT,
        .source = hosts_own(&stream->link->daemon->post->hosts)->part | TID_DAEMON_BIT,
        .length = LINK_WORD_SIZE,
        .flags = LINK_FLAG,
    };
    frame_encode(&frame, bytes);
    link_word_encode(word, bytes + FRAME_HEADER_SIZE);
    if (frame_queue_copy(queue, bytes, sizeof bytes) < 0)
        host_stream_no_memory(stream);
    loop_defer(&stream->link->daemon->loop, &stream->flush);
}

void host_stream_greet(struct host_stream *stream, const struct link_word *word)
{
    host_stream_write_word(stream, &stream->wire, word);
}

void host_stream_say(struct host_stream *stream, const struct link_word *word)
{
    host_stream_write_word(stream, &stream->out, word);
}

void host_stream_forward(struct host_stream *stream, uint32_t source,
                         const struct received_frame *received)
{
    bool copy = stream->blocked || stream->source.fd < 0;
    if (flows_forward(&stream->flows, source, received, copy) < 0)
        log_write("no memory for what goes to the host %s: a message is lost",
                  stream->link->host->name);
    loop_defer(&stream->link->daemon->loop, &stream->flush);
}

bool host_stream_take_back(struct host_stream *stream, uint64_t confirmed,
                           struct received_frame *received)
{
    if (confirmed > stream->confirmed && confirmed - stream->confirmed <= stream->kept.bytes)
        stream->confirmed +=
            frame_queue_drop_frames(&stream->kept, (size_t)(confirmed - stream->confirmed));
    while (frame_queue_is_empty(&stream->kept) && !flows_are_empty(&stream->flows)) {
        struct frame_queue nothing;
        frame_queue_start(&nothing);
        if (flows_take(&stream->flows, &stream->kept, &nothing, TURN) < 0) {
            frame_queue_finish(&nothing);
            host_stream_no_memory(stream);
            return false;
        }
        frame_queue_finish(&nothing);
    }
    if (!frame_queue_take_frame(&stream->kept, received))
        return false;
    stream->confirmed += FRAME_HEADER_SIZE + (uint64_t)received->frame.length;
    return true;
}

/* Receiving. ----------------------------------------------------------------------------------- */

static bool host_stream_confirm(struct host_stream *stream, uint64_t taken)
{
    if (taken < stream->confirmed || taken - stream->confirmed > stream->kept.bytes)
        return false;
    stream->confirmed +=
        frame_queue_drop_frames(&stream->kept, (size_t)(taken - stream->confirmed));
    return taken == stream->confirmed; /* only whole frames are taken */
}

/*
 * What is owed may have been sent just before a look, so one look without a change proves nothing:
 * two in a row do.
 */
bool host_stream_stands_still(struct host_stream *stream)
{
    bool owed = stream->sending && stream->source.fd >= 0 && host_stream_is_owed(stream);
    stream->still = owed && stream->confirmed == stream->seen ? stream->still + 1 : 0;
    stream->seen = stream->confirmed;
    return stream->still > 1;
}

/* A task that has ended meanwhile has sent all that it will. */
static bool host_stream_let_wait(struct host_stream *stream, uint32_t tid)
{
    bool sends = tasks_find_task(&stream->link->daemon->post->tasks, tid) ||
                 flows_waiting(&stream->flows, tid) > 0;
    if (sends && flows_wait(&stream->flows, tid) < 0)
        host_stream_no_memory(stream);
    return tid_is_task(tid);
}

/* False when the word makes no sense here. */
static bool host_stream_take_word(struct host_stream *stream, const struct received_frame *received)
{
    struct link_word word;
    if (!link_word_decode(&word, received->body, received->frame.length))
        return false;
    switch (word.kind) {
    case LINK_TAKEN:
        return host_stream_confirm(stream, word.taken);
    case LINK_WAIT:
        return host_stream_let_wait(stream, word.number);
    case LINK_GO_ON:
        flows_go_on(&stream->flows, word.number);
        loop_defer(&stream->link->daemon->loop, &stream->flush);
        return true;
    default:
        return stream->events->word(stream->link, &word);
    }
}

static void host_stream_count(struct host_stream *stream, const struct frame *frame)
{
    struct loop *loop = &stream->link->daemon->loop;
    stream->taken += FRAME_HEADER_SIZE + (uint64_t)frame->length;
    if (stream->taken - stream->told >= TOLD_AFTER)
        host_stream_tell(stream);
    else if (!loop_timer_is_set(&stream->pause))
        loop_timer_set(loop, &stream->pause, TOLD_LATEST);
}

/* Whether the task has moved, or is moving. */
static bool host_stream_knows_move(const struct post_room *post, uint32_t tid)
{
    const struct task *task = tasks_find(&post->tasks, tid);
    return (task && task->travelled) || places_find(&post->places, tid);
}

bool host_stream_may_bring(const struct host_stream *stream, const struct frame *frame)
{
    const struct post_room *post = stream->link->daemon->post;
    return tid_host_part(frame->source) == stream->link->host->part ||
           (!tid_is_daemon(frame->destination) &&
            (host_stream_knows_move(post, frame->source) ||
             host_stream_knows_move(post, frame->destination)));
}

static bool host_stream_take(struct host_stream *stream, struct received_frame *received)
{
    if (received->frame.flags == LINK_FLAG)
        return host_stream_take_word(stream, received);
    if (!host_stream_may_bring(stream, &received->frame) &&
        !tid_is_tree(received->frame.destination))
        return false; /* what comes along a tree is looked at later (tree_branch.c) */
    received->frame.flags &= FRAME_FIRST | FRAME_LAST;
    stream->link->daemon->statistics.host_frames++;
    host_stream_count(stream, &received->frame);
    far_feeders_pass(&stream->far_feeders, received);
    return true;
}

/* The host has written these bytes. */
static void host_stream_take_bytes(struct host_stream *stream, size_t size)
{
    stream->link->heard = stream->link->spoken = true;
    stream->link->refusals = 0;
    frame_reader_filled(&stream->reader, size);
}

/* Hands bytes of records to the reader of frames. True when there may be more. */
static bool host_stream_open_records(struct host_stream *stream)
{
    size_t room, size;
    if (!stream->records.there)
        return false;
    unsigned char *space = frame_reader_space(&stream->reader, &room);
    if (!space) {
        stream->events->broken(stream->link, "no memory to read");
        return false;
    }
    switch (records_read(&stream->records, space, room, &size)) {
    case RECORDS_BYTES:
        host_stream_take_bytes(stream, size);
        return true;
    case RECORDS_WRONG:
        stream->events->useless(stream->link, "somebody has changed what passes on it");
        break;
    case RECORDS_MORE:
        break;
    }
    return false;
}

/* All whole frames, while they count and the host is there. */
static void host_stream_take_all(struct host_stream *stream)
{
    struct received_frame received;
    bool sane = true;
    while (sane && stream->source.fd >= 0 && stream->reading) {
        enum frame_reader_result result = frame_reader_next(&stream->reader, &received);
        if (result == FRAME_READER_MORE && host_stream_open_records(stream))
            continue;
        if (result == FRAME_READER_MORE)
            return;
        struct chunk *chunk = chunk_hold(stream->reader.chunk);
        sane = result == FRAME_READER_FRAME && host_stream_take(stream, &received);
        chunk_release(chunk);
    }
    if (!sane && stream->source.fd >= 0)
        stream->events->useless(stream->link, "what came over it makes no sense");
}

static unsigned char *host_stream_space(struct host_stream *stream, size_t *room)
{
    return stream->records.there ? records_space(&stream->records, room)
                                 : frame_reader_space(&stream->reader, room);
}

static void host_stream_filled(struct host_stream *stream, size_t size)
{
    if (stream->records.there)
        records_filled(&stream->records, size);
    else
        host_stream_take_bytes(stream, size);
}

/* True when there is probably more. */
static bool host_stream_read_once(struct host_stream *stream)
{
    size_t room;
    unsigned char *space = host_stream_space(stream, &room);
    if (!space) {
        stream->events->broken(stream->link, "no memory to read");
        return false;
    }
    ssize_t size = recv(stream->source.fd, space, room, MSG_DONTWAIT);
    if (size > 0) {
        host_stream_filled(stream, (size_t)size);
        host_stream_take_all(stream);
    } else if (size == 0) {
        stream->events->broken(stream->link, "the other side closed it");
    } else if (errno != EAGAIN && errno != EINTR) {
        stream->events->broken(stream->link, strerror(errno));
    }
    return size == (ssize_t)room && stream->source.fd >= 0 && stream->reading;
}

/* The loop reports at once if there is more. What has come before makes room first. */
static void host_stream_read(struct host_stream *stream)
{
    host_stream_take_all(stream);
    for (int i = 0; i < READS_AT_ONCE && stream->source.fd >= 0 && stream->reading; i++)
        if (!host_stream_read_once(stream))
            break;
    if (stream->source.fd >= 0)
        loop_defer(&stream->link->daemon->loop, &stream->rest);
}

void host_stream_set_reading(struct host_stream *stream, bool reading)
{
    stream->reading = reading;
    host_stream_watch(stream);
    if (reading)
        loop_defer(&stream->link->daemon->loop, &stream->rest);
}

static void host_stream_connected(struct host_stream *stream)
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(stream->source.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    stream->connecting = false;
    if (error != 0) {
        stream->events->broken(stream->link, strerror(error));
        return;
    }
    host_stream_set_reading(stream, true); /* for the welcome */
    loop_defer(&stream->link->daemon->loop, &stream->flush);
}

static void host_stream_handle(struct loop_source *source, uint32_t events)
{
    struct host_stream *stream = LIST_OWNER(source, struct host_stream, source);
    if (stream->connecting) {
        host_stream_connected(stream);
        return;
    }
    if (events & EPOLLOUT) {
        stream->blocked = false;
        host_stream_watch(stream);
        loop_defer(&stream->link->daemon->loop, &stream->flush);
    }
    if (!(events & ~(uint32_t)EPOLLOUT))
        return;
    if (stream->reading)
        host_stream_read(stream);
    else if (events & (EPOLLERR | EPOLLHUP))
        stream->events->broken(stream->link, "the other side closed it");
}
