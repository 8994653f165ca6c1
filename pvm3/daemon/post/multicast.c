/* multicast.c - lists of receivers. */
#include "daemon/post/multicast.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"
#include "daemon/post/router.h"

/* Where messages for a multicast address go on this host, as another host has announced. */
struct multicast_list {
    struct list node;
    uint32_t address;
    size_t count;
    uint32_t tids[];
};

static void multicast_forget(struct task *task)
{
    free(task->multicast);
    task->multicast = NULL;
    task->multicast_count = 0;
}

/* The list is sorted by tid, and so by host: each host gets one copy. */
void multicast_forward(struct task *task, const struct received_frame *received)
{
    const struct hosts *hosts = &task->daemon->post->hosts;
    const struct host *last = NULL;
    for (size_t i = 0; i < task->multicast_count; i++) {
        const struct host *host = hosts_find(hosts, task->multicast[i]);
        if (host && host->link && host != last)
            host_link_forward(host->link, received, received->frame.destination);
        last = host;
        struct task *to = tasks_find(&task->daemon->post->tasks, task->multicast[i]);
        if (to)
            router_copy_to(to, received);
    }
    if (received->frame.flags & FRAME_LAST)
        multicast_forget(task);
}

static struct multicast_list *multicast_find(struct daemon *daemon, uint32_t address)
{
    LIST_FOR_EACH(node, &daemon->post->multicasts)
    if (LIST_OWNER(node, struct multicast_list, node)->address == address)
        return LIST_OWNER(node, struct multicast_list, node);
    return NULL;
}

static void multicast_free(struct multicast_list *list)
{
    list_remove(&list->node);
    free(list);
}

/* Only the host that announced the list sends to it: the address has its part. */
void multicast_forward_here(struct daemon *daemon, const struct received_frame *received,
                            uint32_t sender)
{
    uint32_t address = received->frame.destination;
    struct multicast_list *list =
        tid_host_part(address) == sender ? multicast_find(daemon, address) : NULL;
    for (size_t i = 0; list && i < list->count; i++) {
        struct task *to = tasks_find(&daemon->post->tasks, list->tids[i]);
        if (to)
            router_copy_to(to, received);
    }
    if (list && (received->frame.flags & FRAME_LAST))
        multicast_free(list);
}

enum request_result multicast_take_list(struct request *request)
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
    struct multicast_list *old = multicast_find(request->daemon, address);
    if (old)
        multicast_free(old);
    list->address = address;
    list->count = (size_t)count;
    for (int32_t i = 0; i < count; i++)
        list->tids[i] = control_get_tid(body);
    list_append(&request->daemon->post->multicasts, &list->node);
    return REQUEST_DONE;
}

void multicast_host_end(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->post->multicasts)
    {
        struct multicast_list *list = LIST_OWNER(node, struct multicast_list, node);
        if (tid_host_part(list->address) == part)
            multicast_free(list);
    }
}

void multicast_finish(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->post->multicasts)
    multicast_free(LIST_OWNER(node, struct multicast_list, node));
}

/* Tells each host which of its tasks the next message is for. */
static void multicast_spread(const struct task *task)
{
    const struct hosts *hosts = &task->daemon->post->hosts;
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

enum request_result multicast_announce(struct request *request)
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
    multicast_forget(task);
    task->multicast = tids;
    task->multicast_count = (size_t)count;
    multicast_spread(task);
    log_debug(LOG_MULTICAST, "t%x announced a message to %d tasks", task->tid, count);
    return REQUEST_DONE;
}
