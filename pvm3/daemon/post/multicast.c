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
    uint32_t sender; /* the host that has announced it */
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

/* A receiver that the frame goes to from here; the first one of each other host stands for all. */
static void multicast_forward_to(struct daemon *daemon, const struct receiver *receiver,
                                 const struct received_frame *received, bool first)
{
    const struct host *host = hosts_find(&daemon->post->hosts, receiver->part);
    struct task *to = tasks_find(&daemon->post->tasks, receiver->tid);
    if (receiver->part == 0)
        router_forward_copy(daemon, received, receiver->tid);
    else if (host && host->link && first)
        host_link_forward(host->link, received, received->frame.destination);
    else if (host && !host->link && to)
        router_copy_to(to, received);
}

/* The list is sorted by host: each host gets one copy. */
void multicast_forward(struct task *task, const struct received_frame *received)
{
    for (size_t i = 0; i < task->multicast_count; i++) {
        bool first = i == 0 || task->multicast[i].part != task->multicast[i - 1].part;
        multicast_forward_to(task->daemon, &task->multicast[i], received, first);
    }
    if (received->frame.flags & FRAME_LAST) {
        multicast_forget(task);
        places_end_source(task->daemon, task->tid);
    }
}

static struct multicast_list *multicast_find(struct daemon *daemon, uint32_t address,
                                             uint32_t sender)
{
    LIST_FOR_EACH(node, &daemon->post->multicasts)
    {
        struct multicast_list *list = LIST_OWNER(node, struct multicast_list, node);
        if (list->address == address && list->sender == sender)
            return list;
    }
    return NULL;
}

static void multicast_free(struct multicast_list *list)
{
    list_remove(&list->node);
    free(list);
}

/* Only the host that announced the list sends to it. A receiver may live elsewhere meanwhile. */
void multicast_forward_here(struct daemon *daemon, const struct received_frame *received,
                            uint32_t sender)
{
    uint32_t address = received->frame.destination;
    struct multicast_list *list = multicast_find(daemon, address, sender);
    for (size_t i = 0; list && i < list->count; i++) {
        struct task *to = tasks_find(&daemon->post->tasks, list->tids[i]);
        if (places_find(&daemon->post->places, list->tids[i]))
            router_forward_copy(daemon, received, list->tids[i]);
        else if (to)
            router_copy_to(to, received);
    }
    if (list && (received->frame.flags & FRAME_LAST))
        multicast_free(list);
}

enum request_result multicast_take_list(struct request *request)
{
    struct control_reader *body = &request->body;
    uint32_t address = control_get_tid(body), sender = tid_host_part(request->origin.tid);
    int32_t count = control_get_count(body, 4);
    if (body->failed || !tid_is_multicast(address))
        return REQUEST_MALFORMED;
    struct multicast_list *list = malloc(sizeof *list + (size_t)count * sizeof list->tids[0]);
    if (!list)
        return REQUEST_MALFORMED;
    struct multicast_list *old = multicast_find(request->daemon, address, sender);
    if (old)
        multicast_free(old);
    list->sender = sender;
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
        if (list->sender == part)
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
    const struct receiver *receivers = task->multicast;
    for (size_t first = 0, end; first < task->multicast_count; first = end) {
        for (end = first; end < task->multicast_count; end++)
            if (receivers[end].part != receivers[first].part)
                break;
        const struct host *host = hosts_find(hosts, receivers[first].part);
        if (!host || !host->link)
            continue;
        struct message *list = control_new(DM_MCA, 0, 0);
        control_put_tid(list, task->tid | TID_MULTICAST_BIT);
        control_put_int(list, (int32_t)(end - first));
        for (size_t i = first; i < end; i++)
            control_put_tid(list, receivers[i].tid);
        router_send(task->daemon, host->part | TID_DAEMON_BIT, list);
    }
}

/*
 * The host that copies the message to the receiver; 0: none. A host that is not known to be ours
 * takes no multicast of a task that was born elsewhere.
 */
static uint32_t multicast_part(const struct task *task, uint32_t tid)
{
    const struct place *place = places_find(&task->daemon->post->places, tid);
    const struct host *host = places_host(task->daemon, tid);
    bool guest = tid_host_part(task->tid) != hosts_own(&task->daemon->post->hosts)->part;
    if (!host || (place && place->holds) || (guest && host->link && !host->link->upgrade.known))
        return 0;
    return host->part;
}

/* By host, and by tid, as libraries announce them. */
static int multicast_compare(const void *one, const void *other)
{
    const struct receiver *a = one, *b = other;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

enum request_result multicast_announce(struct request *request)
{
    struct task *task = request->task;
    int32_t count = control_get_count(&request->body, 4);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    struct receiver *receivers = malloc((size_t)count * sizeof *receivers + 1);
    if (!receivers)
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++) {
        receivers[i].tid = control_get_tid(&request->body);
        receivers[i].part = multicast_part(task, receivers[i].tid);
    }
    qsort(receivers, (size_t)count, sizeof *receivers, multicast_compare);
    multicast_forget(task);
    task->multicast = receivers;
    task->multicast_count = (size_t)count;
    multicast_spread(task);
    log_debug(LOG_MULTICAST, "t%x announced a message to %d tasks", task->tid, count);
    return REQUEST_DONE;
}
