/* multicast.c - lists of receivers. */
#include "daemon/post/multicast.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/kept_frames.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"
#include "daemon/post/router.h"
#include "daemon/post/tree_origin.h"

/* From so many bytes on a message goes along a tree, if there are hosts enough. */
#define LONG_MESSAGE ((size_t)64 * 1024)

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
    task->multicast_waits = task->multicast_on_tree = false;
    task->multicast_bytes = 0;
    kept_frames_finish(&task->multicast_kept);
}

/* The room in front of the body may have the header of the same frame on the tree already. */
static void multicast_forward_beside_tree(struct host_link *link,
                                          const struct received_frame *received)
{
    struct received_frame copy = received_frame_copy(received);
    if (copy.chunk)
        host_link_forward(link, &copy, copy.frame.destination);
    else
        log_write("no memory for what goes to the host %s: a message is lost", link->host->name);
    chunk_release(copy.chunk);
}

/* A receiver that the frame goes to from here; the first one of each other host stands for all. */
static void multicast_forward_to(const struct task *task, const struct receiver *receiver,
                                 const struct received_frame *received, bool first)
{
    struct daemon *daemon = task->daemon;
    const struct host *host = hosts_find(&daemon->post->hosts, receiver->part);
    struct task *to = tasks_find(&daemon->post->tasks, receiver->tid);
    if (receiver->part == 0)
        router_forward_copy(daemon, received, receiver->tid);
    else if (host && !host->link && to)
        router_copy_to(to, received);
    else if (!host || !host->link || !first || receiver->on_tree)
        return;
    else if (task->multicast_on_tree)
        multicast_forward_beside_tree(host->link, received);
    else
        host_link_forward(host->link, received, received->frame.destination);
}

/* The list is sorted by host: each gets one copy. */
static void multicast_forward_frame(struct task *task, const struct received_frame *received)
{
    for (size_t i = 0; i < task->multicast_count; i++) {
        bool first = i == 0 || task->multicast[i].part != task->multicast[i - 1].part;
        multicast_forward_to(task, &task->multicast[i], received, first);
    }
    if (task->multicast_on_tree)
        tree_origin_forward(task, received);
}

/* Tells each host which of its tasks the next message is for. */
static void multicast_spread(const struct task *task)
{
    const struct hosts *hosts = &task->daemon->post->hosts;
    const struct receiver *receivers = task->multicast;
    for (size_t first = 0, end; first < task->multicast_count; first = end) {
        end = task_end_of_host(task, first);
        const struct host *host = hosts_find(hosts, receivers[first].part);
        if (!host || !host->link || receivers[first].on_tree)
            continue;
        struct message *list = control_new(DM_MCA, 0, 0);
        control_put_tid(list, task->tid | TID_MULTICAST_BIT);
        control_put_int(list, (int32_t)(end - first));
        for (size_t i = first; i < end; i++)
            control_put_tid(list, receivers[i].tid);
        router_send(task->daemon, host->part | TID_DAEMON_BIT, list);
    }
}

/* How the message goes is known: its frames go. */
static void multicast_let_go(struct task *task)
{
    struct received_frame received;
    task->multicast_waits = false;
    multicast_spread(task);
    while (kept_frames_take(&task->multicast_kept, &received)) {
        multicast_forward_frame(task, &received);
        chunk_release(received.chunk);
    }
}

/* A short message is not worth a tree: the words about it would be as long as its body. */
static void multicast_keep_frame(struct task *task, const struct received_frame *received)
{
    if (kept_frames_add(&task->multicast_kept, received) < 0) {
        log_write("no memory for a multicast of t%x: it is lost", task->tid);
        multicast_forget(task);
        return;
    }
    task->multicast_bytes += received->frame.length;
    bool is_long = task->multicast_bytes >= LONG_MESSAGE;
    if (is_long)
        task->multicast_on_tree = tree_origin_begin(task);
    if (is_long || (received->frame.flags & FRAME_LAST))
        multicast_let_go(task);
}

void multicast_forward(struct task *task, const struct received_frame *received)
{
    if (task->multicast_waits)
        multicast_keep_frame(task, received);
    else
        multicast_forward_frame(task, received);
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

/* Only the host that announced the list sends to it. */
void multicast_forward_here(struct daemon *daemon, const struct received_frame *received,
                            uint32_t sender)
{
    struct multicast_list *list = multicast_find(daemon, received->frame.destination, sender);
    if (!list)
        return;
    router_copy_to_receivers(daemon, received, list->tids, list->count);
    if (received->frame.flags & FRAME_LAST)
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
        receivers[i].on_tree = false;
    }
    qsort(receivers, (size_t)count, sizeof *receivers, multicast_compare);
    multicast_forget(task);
    task->multicast = receivers;
    task->multicast_count = (size_t)count;
    task->multicast_waits = tree_origin_suits(task);
    if (!task->multicast_waits)
        multicast_spread(task);
    log_debug(LOG_MULTICAST, "t%x announced a message to %d tasks", task->tid, count);
    return REQUEST_DONE;
}
