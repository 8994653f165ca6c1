/* router.c - forwarding. */
#include "daemon/router.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/host_link.h"
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

void router_forward(struct daemon *daemon, const struct received_frame *received)
{
    const struct host *host = hosts_find(&daemon->hosts, received->frame.destination);
    if (host && host->link) {
        host_link_forward(host->link, received, received->frame.destination);
        return;
    }
    struct task *task = tasks_find(&daemon->tasks, received->frame.destination);
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

/* Multicasts. ---------------------------------------------------------------------------------- */

/* Where messages for a multicast address go on this host, as another host has announced. */
struct multicast_list {
    struct list node;
    uint32_t address;
    size_t count;
    uint32_t tids[];
};

static void router_forget_multicast(struct task *task)
{
    free(task->multicast);
    task->multicast = NULL;
    task->multicast_count = 0;
}

/* The list is sorted by tid, and so by host: each host gets one copy. */
void router_multicast(struct task *task, const struct received_frame *received)
{
    const struct hosts *hosts = &task->daemon->hosts;
    const struct host *last = NULL;
    for (size_t i = 0; i < task->multicast_count; i++) {
        const struct host *host = hosts_find(hosts, task->multicast[i]);
        if (host && host->link && host != last)
            host_link_forward(host->link, received, received->frame.destination);
        last = host;
        struct task *to = tasks_find(&task->daemon->tasks, task->multicast[i]);
        if (to)
            router_copy_to(to, received);
    }
    if (received->frame.flags & FRAME_LAST)
        router_forget_multicast(task);
}

static struct multicast_list *router_find_list(struct daemon *daemon, uint32_t address)
{
    LIST_FOR_EACH(node, &daemon->multicasts)
    if (LIST_OWNER(node, struct multicast_list, node)->address == address)
        return LIST_OWNER(node, struct multicast_list, node);
    return NULL;
}

static void router_free_list(struct multicast_list *list)
{
    list_remove(&list->node);
    free(list);
}

/* Only the host that announced the list sends to it: the address has its part. */
void router_multicast_here(struct daemon *daemon, const struct received_frame *received,
                           uint32_t sender)
{
    uint32_t address = received->frame.destination;
    struct multicast_list *list =
        tid_host_part(address) == sender ? router_find_list(daemon, address) : NULL;
    for (size_t i = 0; list && i < list->count; i++) {
        struct task *to = tasks_find(&daemon->tasks, list->tids[i]);
        if (to)
            router_copy_to(to, received);
    }
    if (list && (received->frame.flags & FRAME_LAST))
        router_free_list(list);
}

enum request_result router_take_list(struct request *request)
{
    struct control_reader *body = &request->body;
    uint32_t address = control_get_tid(body);
    int32_t count = control_get_count(body, 4);
    if (body->failed || !tid_is_multicast(address) ||
        tid_host_part(address) != tid_host_part(request->origin.tid))
        return REQUEST_MALFORMED;
    struct multicast_list *list = malloc(sizeof *list + (size_t)count * sizeof list->tids[0]);
    if (!list)
        return REQUEST_MALFORMED;
    struct multicast_list *old = router_find_list(request->daemon, address);
    if (old)
        router_free_list(old);
    list->address = address;
    list->count = (size_t)count;
    for (int32_t i = 0; i < count; i++)
        list->tids[i] = control_get_tid(body);
    list_append(&request->daemon->multicasts, &list->node);
    return REQUEST_DONE;
}

void router_host_end(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->multicasts)
    {
        struct multicast_list *list = LIST_OWNER(node, struct multicast_list, node);
        if (tid_host_part(list->address) == part)
            router_free_list(list);
    }
}

void router_finish(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->multicasts)
    router_free_list(LIST_OWNER(node, struct multicast_list, node));
}

/* Tells each host which of its tasks the next message is for. */
static void router_spread_list(const struct task *task)
{
    const struct hosts *hosts = &task->daemon->hosts;
    for (size_t first = 0, end; first < task->multicast_count; first = end) {
        uint32_t part = tid_host_part(task->multicast[first]);
        for (end = first; end < task->multicast_count; end++)
            if (tid_host_part(task->multicast[end]) != part)
                break;
        const struct host *host = hosts_find(hosts, part);
        if (!host || !host->link)
            continue;
        struct message *list = control_new(DM_MCA, 0, 0);
        control_put_tid(list, task->tid | TID_MULTICAST_BIT);
        control_put_int(list, (int32_t)(end - first));
        for (size_t i = first; i < end; i++)
            control_put_tid(list, task->multicast[i]);
        router_send(task->daemon, host->part | TID_DAEMON_BIT, list);
    }
}

void router_end_task(const struct task *task)
{
    struct daemon *daemon = task->daemon;
    const struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->hosts, host)) != NULL)
        host_link_end_flow(host->link, task->tid);
    if (daemon->serving == task->tid)
        daemon->serving = 0;
}

void router_send(struct daemon *daemon, uint32_t destination, struct message *message)
{
    struct task *task = tasks_find(&daemon->tasks, destination);
    const struct host *host = hosts_find(&daemon->hosts, destination);
    if (!control_is_whole(message))
        log_write("no memory for a message to t%x: it is lost", destination);
    else if (host && host->link)
        host_link_send(host->link, message, destination,
                       hosts_own(&daemon->hosts)->part | TID_DAEMON_BIT);
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
    router_spread_list(task);
    log_debug(LOG_MULTICAST, "t%x announced a message to %d tasks", task->tid, count);
    return REQUEST_DONE;
}
