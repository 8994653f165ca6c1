/* router.c - forwarding. */
#include "daemon/router.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/task_link.h"

/* A frame to a task that has not connected yet waits in its record. */
static void router_keep(struct task *task, const struct received_frame *received)
{
    unsigned char *data = received->body - FRAME_HEADER_SIZE;
    if (task->flags & TASK_IS_CONNECTED)
        return;
    if (frame_queue_copy(&task->waiting, data, FRAME_HEADER_SIZE + (size_t)received->frame.length) <
        0)
        log_write("no memory for what goes to t%x: a message is lost", task->tid);
}

/*
 * The header in front of the body is ours to change: nobody else looks at it before it is
 * forwarded.
 */
static void router_forward(struct daemon *daemon, const struct received_frame *received)
{
    struct task *task = tasks_find(&daemon->tasks, received->frame.destination);
    if (!task) {
        log_debug(LOG_ROUTES, "t%x sent to t%x, which there is not", received->frame.source,
                  received->frame.destination);
        return;
    }
    frame_encode(&received->frame, received->body - FRAME_HEADER_SIZE);
    if (task->link)
        task_link_forward(task->link, received);
    else
        router_keep(task, received);
}

static void router_copy_to(struct task *to, const struct received_frame *received)
{
    struct received_frame copy = *received;
    copy.frame.destination = to->tid;
    if (to->link) {
        task_link_forward_as(to->link, &copy.frame, received);
    } else {
        frame_encode(&copy.frame, copy.body - FRAME_HEADER_SIZE);
        router_keep(to, &copy);
    }
}

static void router_forget_multicast(struct task *task)
{
    free(task->multicast);
    task->multicast = NULL;
    task->multicast_count = 0;
}

static void router_multicast(struct task *task, const struct received_frame *received)
{
    for (size_t i = 0; i < task->multicast_count; i++) {
        struct task *to = tasks_find(&task->daemon->tasks, task->multicast[i]);
        if (to)
            router_copy_to(to, received);
    }
    if (received->frame.flags & FRAME_LAST)
        router_forget_multicast(task);
}

static void router_take_request(struct task *task, const struct received_frame *received)
{
    struct message *message;
    switch (assembler_add(&task->link->assembler, received, &message)) {
    case ASSEMBLER_MORE:
        return;
    case ASSEMBLER_MESSAGE:
        request_take(task, message);
        message_free(message);
        return;
    case ASSEMBLER_STRAY:
        log_write("t%x sent the daemon frames that make no message: dropped", task->tid);
        return;
    case ASSEMBLER_MEMORY:
        log_write("no memory for a request of t%x: dropped", task->tid);
        return;
    }
}

void router_take(struct task *task, struct received_frame *received)
{
    struct frame *frame = &received->frame;
    uint32_t own = hosts_own(&task->daemon->hosts)->part;
    frame->source = task->tid;
    frame->flags &= FRAME_FIRST | FRAME_LAST;
    if (tid_is_multicast(frame->destination)) {
        if (task->multicast && frame->destination == (task->tid | TID_MULTICAST_BIT))
            router_multicast(task, received);
    } else if (tid_is_daemon(frame->destination)) {
        if (tid_is_here(frame->destination, own))
            router_take_request(task, received);
    } else if (tid_is_task(frame->destination)) {
        router_forward(task->daemon, received);
    }
}

void router_send(struct daemon *daemon, uint32_t destination, struct message *message)
{
    struct task *task = tasks_find(&daemon->tasks, destination);
    if (!control_is_whole(message))
        log_write("no memory for a message to t%x: it is lost", destination);
    else if (task && task->link)
        task_link_send(task->link, message, destination, TID_OWN_DAEMON);
    else if (task && !(task->flags & TASK_IS_CONNECTED) &&
             frame_queue_add_message(&task->waiting, message, destination, TID_OWN_DAEMON) < 0)
        log_write("no memory for a message to t%x: it is lost", destination);
    message_free(message);
}

enum request_result router_announce(struct request *request)
{
    struct task *task = request->task;
    int32_t count = control_get_count(&request->body, 4);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    uint32_t *tids = malloc((size_t)count * sizeof *tids + 1);
    if (!tids)
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++)
        tids[i] = control_get_tid(&request->body);
    router_forget_multicast(task);
    task->multicast = tids;
    task->multicast_count = (size_t)count;
    log_debug(LOG_MULTICAST, "t%x announced a message to %d tasks", task->tid, count);
    return REQUEST_DONE;
}
