/* router.c - forwarding. */
#include "daemon/post/router.h"

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"
#include "daemon/post/task_link.h"

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

void router_forward(struct daemon *daemon, const struct received_frame *received)
{
    const struct host *host = hosts_find(&daemon->post->hosts, received->frame.destination);
    if (host && host->link) {
        host_link_forward(host->link, received, received->frame.destination);
        return;
    }
    struct task *task = tasks_find(&daemon->post->tasks, received->frame.destination);
    if (!task) {
        log_debug(LOG_APPLICATION, "t%x sent to t%x, which there is not", received->frame.source,
                  received->frame.destination);
        return;
    }
    frame_encode(&received->frame, received->body - FRAME_HEADER_SIZE);
    if (task->link)
        task_link_forward(task->link, received);
    else
        router_keep(task, received);
}

void router_copy_to(struct task *to, const struct received_frame *received)
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

void router_end_task(const struct task *task)
{
    struct daemon *daemon = task->daemon;
    const struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        host_link_end_flow(host->link, task->tid);
    if (daemon->post->serving == task->tid)
        daemon->post->serving = 0;
}

void router_send(struct daemon *daemon, uint32_t destination, struct message *message)
{
    struct task *task = tasks_find(&daemon->post->tasks, destination);
    const struct host *host = hosts_find(&daemon->post->hosts, destination);
    if (!control_is_whole(message))
        log_write("no memory for a message to t%x: it is lost", destination);
    else if (host && host->link)
        host_link_send(host->link, message, destination,
                       hosts_own(&daemon->post->hosts)->part | TID_DAEMON_BIT);
    else if (task && task->link)
        task_link_send(task->link, message, destination, TID_OWN_DAEMON);
    else if (task && !(task->flags & TASK_IS_CONNECTED) &&
             frame_queue_add_message(&task->waiting, message, destination, TID_OWN_DAEMON) < 0)
        log_write("no memory for a message to t%x: it is lost", destination);
    message_free(message);
}
