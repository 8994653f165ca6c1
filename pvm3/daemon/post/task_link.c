/* task_link.c - reading, queueing and writing of one connection. */
#include "daemon/post/task_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/post_room.h"
#include "daemon/post/proof.h"

/* What 3.4.6 takes in one frame from a connection that is no task yet. */
#define STRANGER_FRAME_LIMIT 4064

/* How long its messages may be. */
#define STRANGER_MESSAGE_LIMIT (64u << 10)

/* A connection that is no task after this time is closed. */
#define STRANGER_SECONDS 60

#define VECTORS_AT_ONCE 64

/*
 * Bytes written to a link in one round, however fast the other side reads: then other links have
 * their turn.
 */
#define WRITTEN_MOST ((size_t)1 << 20)

/* Whoever has more than this to read gives no further requests. */
#define UNREAD_MOST ((size_t)1 << 20)

/* After a queue of this many bytes has been emptied, its memory goes back to the system. */
#define SWOLLEN_QUEUE (16u << 20)
#define TRIM_AFTER    1000 /* milliseconds */

static void task_link_handle(struct loop_source *source, uint32_t events);
static void task_link_run_flush(struct loop_work *work);
static void task_link_run_resumption(struct loop_work *work);

/* Of the task that connected; 0 before there is one. */
static uint32_t task_link_tid(const struct task_link *link)
{
    return link->backlog.tid;
}

static struct task *task_link_task_at(struct list *node)
{
    return LIST_OWNER(node, struct task, of_link);
}

static void task_link_remove(struct loop_work *work)
{
    struct task_link *link = LIST_OWNER(work, struct task_link, removal);
    loop_work_cancel(&link->flush);
    loop_work_cancel(&link->resumption);
    loop_work_cancel(&link->rest);
    frame_reader_finish(&link->reader);
    assembler_finish(&link->assembler);
    frame_queue_finish(&link->queue);
    backlog_finish(&link->backlog);
    free(link);
}

static void task_link_lose_patience(struct loop_timer *timer)
{
    struct task_link *link = LIST_OWNER(timer, struct task_link, patience);
    complain(&link->daemon->complaints, 0,
             "a connection did not become a task within %d seconds: closed",
             (int)((loop_now() - link->opened) / 1000));
    task_link_close(link);
}

/* An idle connection needs no memory to read to. */
static void task_link_run_rest(struct loop_work *work)
{
    frame_reader_rest(&LIST_OWNER(work, struct task_link, rest)->reader);
}

static void task_link_resume(struct feeder *feeder)
{
    struct task_link *link = LIST_OWNER(feeder, struct task_link, feeder);
    loop_defer(&link->daemon->loop, &link->resumption);
}

struct task_link *task_link_open(struct daemon *daemon, int fd)
{
    struct task_link *link = calloc(1, sizeof *link);
    if (!link) {
        close(fd);
        return NULL;
    }
    link->daemon = daemon;
    link->proof = -1;
    link->opened = loop_now();
    list_start(&link->stranger);
    list_start(&link->tasks);
    list_append(&daemon->post->listener.links, &link->node);
    loop_work_start(&link->flush, task_link_run_flush);
    loop_work_start(&link->removal, task_link_remove);
    loop_work_start(&link->resumption, task_link_run_resumption);
    loop_work_start(&link->rest, task_link_run_rest);
    loop_timer_start(&link->patience, task_link_lose_patience);
    frame_reader_start(&link->reader, STRANGER_FRAME_LIMIT);
    link->reader.chunks = &daemon->chunks;
    assembler_start(&link->assembler);
    link->assembler.limit = STRANGER_MESSAGE_LIMIT;
    frame_queue_start(&link->queue);
    backlog_start(&link->backlog, &daemon->backlogs, SIZE_MAX);
    link->queue.backlog = &link->backlog;
    feeder_start(&link->feeder, task_link_resume);
    loop_source_start(&link->source, task_link_handle);
    if (loop_watch(&daemon->loop, &link->source, fd, EPOLLIN) < 0) {
        log_write("cannot watch a new connection: %s", strerror(errno));
        close(fd);
        task_link_close(link);
        return NULL;
    }
    loop_timer_set(&daemon->loop, &link->patience, STRANGER_SECONDS * 1000);
    strangers_add(&daemon->post->listener.strangers, link);
    return link;
}

int task_link_attach(struct task_link *link, struct task *task)
{
    if (frame_queue_move(&link->queue, &task->waiting) < 0)
        return -1;
    task_link_join(link, task);
    link->beside = task->beside;
    link->pid = task->pid;
    link->backlog.tid = task->tid;
    link->state = TASK_LINK_CONNECTED;
    link->reader.limit = FRAME_LENGTH_LIMIT;
    link->reader.in_pieces = true;
    link->assembler.limit = link->daemon->settings.request_limit;
    loop_timer_cancel(&link->patience);
    strangers_remove(&link->daemon->post->listener.strangers, link);
    loop_defer(&link->daemon->loop, &link->flush);
    return 0;
}

void task_link_join(struct task_link *link, struct task *task)
{
    task->link = link;
    list_append(&link->tasks, &task->of_link);
}

static void task_link_part(struct task *task)
{
    task->link = NULL;
    list_remove(&task->of_link);
}

void task_link_leave(struct task *task)
{
    struct task_link *link = task->link;
    if (!link)
        return;
    task_link_part(task);
    assembler_forget(&link->assembler, task->tid);
    if (!link->leased)
        task_link_end(link);
}

static void task_link_detach(struct task_link *link)
{
    LIST_FOR_EACH(node, &link->tasks)
    {
        struct task *task = task_link_task_at(node);
        task_link_part(task);
        if (!task_has_begun(task))
            task_free(task);
    }
}

void task_link_close(struct task_link *link)
{
    task_link_detach(link);
    link->daemon->post->upcalls.link_closed(link);
    proof_forget(link);
    list_remove(&link->node);
    strangers_remove(&link->daemon->post->listener.strangers, link);
    feeder_release(&link->feeder);
    loop_timer_cancel(&link->patience);
    loop_close(&link->daemon->loop, &link->source);
    loop_defer(&link->daemon->loop, &link->removal);
}

void task_link_cut(struct task_link *link)
{
    shutdown(link->source.fd, SHUT_RDWR);
}

void task_link_end(struct task_link *link)
{
    link->state = TASK_LINK_CLOSING;
    loop_timer_cancel(&link->patience);
    loop_defer(&link->daemon->loop, &link->flush);
}

/*
 * Reads what there is, once; the loop reports at once if there is more. How many bytes, 0 if there
 * are none just now, -1 at the end of the stream.
 */
static ssize_t task_link_read(struct task_link *link)
{
    size_t room;
    unsigned char *space = frame_reader_space(&link->reader, &room);
    if (!space) {
        complain(&link->daemon->complaints, task_link_tid(link),
                 "no memory for a frame from t%x: connection closed", task_link_tid(link));
        return -1;
    }
    ssize_t size = read(link->source.fd, space, room);
    if (size > 0) {
        link->daemon->statistics.reads++;
        link->daemon->statistics.bytes_in += (uint64_t)size;
        frame_reader_filled(&link->reader, (size_t)size);
    }
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return size > 0 ? size : -1;
}

/*
 * The task that has sent the frame; NULL if no task of the link has. One that has not begun may say
 * so to the pvmd.
 */
static struct task *task_link_find(const struct task_link *link, const struct frame *frame)
{
    if (!link->leased)
        return task_link_task_at(link->tasks.next);
    struct task *task = tasks_find(&link->daemon->post->tasks, frame->source);
    bool speaks =
        task && task->link == link && (task_has_begun(task) || tid_is_daemon(frame->destination));
    return speaks ? task : NULL;
}

/*
 * Frames of a message follow each other. One that continues nothing is not passed on: it could
 * break the link of the task that it is for.
 */
static bool task_link_is_in_order(struct task *task, const struct frame *frame)
{
    bool in_order =
        (frame->flags & FRAME_FIRST) || (task->amid && task->destination == frame->destination);
    task->destination = frame->destination;
    task->amid = in_order && !(frame->flags & FRAME_LAST);
    return in_order;
}

/* A task that reads its answers has few of them waiting, whatever others send to it. */
static void task_link_limit_requests(struct task_link *link, const struct received_frame *received)
{
    if (tid_is_daemon(received->frame.destination) && link->queue.bytes > UNREAD_MOST &&
        !link->last && !feeder_is_held(&link->feeder))
        feeder_hold(&link->feeder, &link->backlog, UNREAD_MOST / 2);
}

static void task_link_take_of_task(struct task_link *link, struct received_frame *received)
{
    const struct frame *frame = &received->frame;
    struct task *task = task_link_find(link, frame);
    if (!task && places_find(&link->daemon->post->places, frame->source)) {
        link->daemon->post->upcalls.late_frame(link, received);
    } else if (!task) {
        complain(&link->daemon->complaints, task_link_tid(link),
                 "the connection of t%x brought a frame of t%x, which is no task of it: dropped",
                 task_link_tid(link), frame->source);
    } else if (!task_link_is_in_order(task, frame)) {
        complain(&link->daemon->complaints, task->tid,
                 "t%x sent a frame for t%x that continues no message: dropped", task->tid,
                 frame->destination);
    } else {
        link->daemon->post->upcalls.task_frame(task, received);
        task_link_limit_requests(link, received);
    }
}

static void task_link_take(struct task_link *link, struct received_frame *received)
{
    if (link->state == TASK_LINK_CONNECTED)
        task_link_take_of_task(link, received);
    else if (link->state != TASK_LINK_CLOSING)
        link->daemon->post->upcalls.stranger_frame(link, received);
}

static bool task_link_may_take(const struct task_link *link)
{
    const struct tasks *tasks = &link->daemon->post->tasks;
    if (link->source.fd < 0)
        return false;
    if (link->awaited)
        return tasks_find(tasks, link->awaited) && !tasks_find_task(tasks, link->awaited);
    return !feeder_is_held(&link->feeder);
}

/* Takes whole frames while it may. False when the stream cannot be understood. */
static bool task_link_take_all(struct task_link *link)
{
    struct received_frame received;
    enum frame_reader_result result = FRAME_READER_MORE;
    while (task_link_may_take(link)) {
        result = frame_reader_next(&link->reader, &received);
        if (result != FRAME_READER_FRAME)
            break;
        link->daemon->statistics.frames++;
        task_link_take(link, &received);
    }
    if (result == FRAME_READER_CORRUPT)
        complain(&link->daemon->complaints, task_link_tid(link),
                 "a frame of %u bytes with flags 0x%x for t%x from %s%x makes no sense: "
                 "connection closed",
                 received.frame.length, received.frame.flags, received.frame.destination,
                 link->state == TASK_LINK_CONNECTED ? "t" : "a connection that is no task, t",
                 task_link_tid(link));
    return result != FRAME_READER_CORRUPT;
}

static void task_link_lose(struct task_link *link)
{
    struct list lost;
    list_start(&lost);
    LIST_FOR_EACH(node, &link->tasks)
    {
        struct task *task = task_link_task_at(node);
        if (!task_has_begun(task))
            continue;
        task_link_part(task);
        list_append(&lost, &task->of_link);
    }
    task_link_close(link);
    while (!list_is_empty(&lost)) {
        struct task *task = task_link_task_at(lost.next);
        list_remove(&task->of_link);
        link->daemon->post->upcalls.task_lost(task);
    }
}

static void task_link_watch(struct task_link *link)
{
    uint32_t in = feeder_is_held(&link->feeder) ? 0 : EPOLLIN;
    uint32_t out = link->blocked ? EPOLLOUT : 0;
    loop_watch_for(&link->daemon->loop, &link->source, in | out);
}

/* Takes the frames that have been read, until one of them makes the link be held (backlog.h). */
static void task_link_take_in(struct task_link *link)
{
    struct backlogs *backlogs = &link->daemon->backlogs;
    struct feeder *outer = backlogs->feeder;
    backlogs->feeder = link->last ? NULL : &link->feeder;
    bool good = task_link_take_all(link);
    backlogs->feeder = outer;
    if (link->source.fd >= 0 && !good)
        task_link_lose(link);
    task_link_watch(link);
    loop_defer(&link->daemon->loop, &link->rest); /* behind the flushes of this round */
}

static void task_link_run_resumption(struct loop_work *work)
{
    task_link_take_in(LIST_OWNER(work, struct task_link, resumption));
}

/*
 * The end of the other side is seen even while the link is held. What is left to read is little:
 * what the socket holds.
 */
static void task_link_read_last(struct task_link *link)
{
    link->last = true;
    feeder_release(&link->feeder);
    task_link_take_in(link);
}

/*
 * Reads no more than there is now: the other side may write on, or a child of it that has the
 * socket.
 */
static void task_link_read_present(struct task_link *link)
{
    int left;
    if (link->state != TASK_LINK_CONNECTED || ioctl(link->source.fd, FIONREAD, &left) < 0)
        return;
    while (link->state == TASK_LINK_CONNECTED && task_link_may_take(link) && left > 0) {
        ssize_t size = task_link_read(link);
        if (size <= 0)
            return;
        left -= (int)size;
        task_link_take_in(link);
    }
}

void task_link_read_rest(struct task_link *link)
{
    task_link_read_last(link);
    task_link_read_present(link);
}

void task_link_read_to_end(struct task_link *link)
{
    task_link_read_rest(link);
    if (link->source.fd >= 0)
        task_link_lose(link);
}

/*
 * A request that is being taken from this link, or from a link that is being heard, may ask about a
 * task of this link. So a link can be heard while frames are taken from it. But a link that is
 * being heard is not heard again: the depth of calls must have a bound.
 */
void task_link_hear(struct task_link *link, uint32_t tid)
{
    if (link->hearing || link->state != TASK_LINK_CONNECTED)
        return;
    link->hearing = true;
    link->awaited = tid && !tasks_find_task(&link->daemon->post->tasks, tid) ? tid : 0;
    task_link_take_in(link);
    task_link_read_present(link);
    link->hearing = false;
    link->awaited = 0;
    if (link->source.fd >= 0 && !feeder_is_held(&link->feeder))
        loop_defer(&link->daemon->loop, &link->resumption);
}

static void task_link_handle(struct loop_source *source, uint32_t events)
{
    struct task_link *link = LIST_OWNER(source, struct task_link, source);
    if (events & EPOLLOUT) {
        link->blocked = false;
        task_link_watch(link);
        loop_defer(&link->daemon->loop, &link->flush);
    }
    if (feeder_is_held(&link->feeder)) {
        if (events & (EPOLLHUP | EPOLLERR))
            task_link_read_last(link);
        return;
    }
    if (!(events & ~(uint32_t)EPOLLOUT))
        return;
    bool open = task_link_read(link) >= 0;
    if (!open && frame_reader_is_amid(&link->reader))
        complain(&link->daemon->complaints, task_link_tid(link),
                 "the connection of t%x ended within a frame", task_link_tid(link));
    if (open)
        task_link_take_in(link);
    else
        task_link_lose(link);
}

/*
 * The other side is gone. What it sent before can still be read; the link ends when all of it has
 * been.
 */
static void task_link_go_deaf(struct task_link *link)
{
    link->deaf = true;
    frame_queue_finish(&link->queue);
}

/* Not at once: the next burst would only ask for it again. */
static void task_link_give_back_memory(struct task_link *link)
{
    link->swollen = false;
    loop_timer_set(&link->daemon->loop, &link->daemon->trim, TRIM_AFTER);
}

/* Until the loop says that it takes more. */
static void task_link_block(struct task_link *link)
{
    link->blocked = true;
    task_link_watch(link);
}

/* Writes as much as the other side takes now. */
static void task_link_flush(struct task_link *link)
{
    size_t written = 0;
    link->swollen |= link->queue.bytes > SWOLLEN_QUEUE;
    while (!link->blocked && !frame_queue_is_empty(&link->queue)) {
        struct iovec vectors[VECTORS_AT_ONCE];
        int count = frame_queue_fill(&link->queue, vectors, VECTORS_AT_ONCE);
        ssize_t size = writev(link->source.fd, vectors, count);
        if (size >= 0) {
            link->daemon->statistics.writes++;
            link->daemon->statistics.bytes_out += (uint64_t)size;
            frame_queue_advance(&link->queue, (size_t)size);
            written += (size_t)size;
        } else if (errno == EAGAIN) {
            task_link_block(link);
        } else if (errno != EINTR) {
            task_link_go_deaf(link);
        }
        if (written > WRITTEN_MOST)
            task_link_block(link);
    }
    if (link->swollen && frame_queue_is_empty(&link->queue))
        task_link_give_back_memory(link);
    if (link->state == TASK_LINK_CLOSING && frame_queue_is_empty(&link->queue))
        task_link_close(link);
}

static void task_link_run_flush(struct loop_work *work)
{
    task_link_flush(LIST_OWNER(work, struct task_link, flush));
}

/*
 * For all that is queued: a link that is deaf drops it, any other one writes it at the end of the
 * round, unless that would block.
 */
static void task_link_queued(struct task_link *link, int result)
{
    if (result < 0)
        complain(&link->daemon->complaints, task_link_tid(link),
                 "no memory for what goes to t%x: a message is lost", task_link_tid(link));
    else if (link->deaf)
        frame_queue_finish(&link->queue);
    else if (!link->blocked)
        loop_defer(&link->daemon->loop, &link->flush);
}

void task_link_send(struct task_link *link, const struct message *message, uint32_t destination,
                    uint32_t source)
{
    task_link_queued(link, frame_queue_add_message(&link->queue, message, destination, source));
}

void task_link_forward(struct task_link *link, const struct received_frame *received)
{
    unsigned char *data = received->body - FRAME_HEADER_SIZE;
    size_t length = FRAME_HEADER_SIZE + (size_t)received->frame.length;
    struct frame_queue *queue = &link->queue;
    task_link_queued(link, link->blocked ? frame_queue_keep(queue, received->chunk, data, length)
                                         : frame_queue_add(queue, received->chunk, data, length));
}

void task_link_forward_as(struct task_link *link, const struct frame *frame,
                          const struct received_frame *received)
{
    task_link_queued(link,
                     frame_queue_add_headed(&link->queue, frame, received->chunk, received->body));
}
