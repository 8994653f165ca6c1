/*
 * notify.c - requests to be told, each in the list of its requester and in the list of what it
 * waits for.
 */
#include "daemon/post/notify.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/lease.h"
#include "daemon/post/post_room.h"
#include "daemon/post/router.h"
#include "daemon/post/watch.h"

#define NOTIFY_CANCEL 256

/* Bytes of a notification in the record of a task that moves. */
#define WANTED_SIZE 24

struct notification {
    struct list node;      /* in the list of what it waits for */
    struct list requested; /* in the list of its requester */
    struct request_origin origin;
    int32_t kind;
    int32_t context; /* of the event, with its tag */
    int32_t tag;
    uint32_t subject;   /* what is waited for, as it was named in the request */
    int32_t count;      /* additions still to be told of; -1 is all */
    bool of_host;       /* another daemon asks, for one of its tasks */
    bool due;           /* it is to be told of when its requester has arrived here */
    struct watch watch; /* of a task of another host */
};

static struct notification *notify_at(struct list *node)
{
    return LIST_OWNER(node, struct notification, node);
}

void notify_start(struct notify *notify)
{
    list_start(&notify->host_ends);
    list_start(&notify->new_hosts);
    list_start(&notify->remote);
    list_start(&notify->of_hosts);
}

static void notify_forget(struct notification *notification)
{
    list_remove(&notification->node);
    list_remove(&notification->requested);
    watch_stop(&notification->watch);
    free(notification);
}

/* Events about tasks carry the wait identifier of the request. */
static void notify_tell(const struct notification *notification)
{
    int32_t wait = notification->kind == PvmTaskExit ? notification->origin.wait : 0;
    if (notification->of_host) {
        struct message *answer = request_answer_to(&notification->origin);
        control_put_tid(answer, notification->subject);
        request_reply_to(&notification->origin, answer);
        return;
    }
    struct message *event = control_new(notification->tag, notification->context, wait);
    control_put_tid(event, notification->subject);
    router_send(notification->origin.daemon, notification->origin.tid, event);
}

/*
 * Whether the requester is a task that is expected here, and has not arrived. If it stays where it
 * was, it is told there.
 */
static bool notify_is_early(const struct notification *notification)
{
    const struct tasks *tasks = &notification->origin.daemon->post->tasks;
    uint32_t tid = notification->origin.tid;
    return !notification->of_host && tasks_find(tasks, tid) && !tasks_find_task(tasks, tid);
}

/* What was waited for has happened. */
static void notify_end(struct notification *notification)
{
    if (notify_is_early(notification)) {
        watch_stop(&notification->watch);
        list_remove(&notification->node);
        notification->due = true;
        return;
    }
    notify_tell(notification);
    notify_forget(notification);
}

static void notify_watch_ended(struct watch *watch)
{
    notify_end(LIST_OWNER(watch, struct notification, watch));
}

/* Puts it into the list of what it waits for. A task of another host is watched. */
static void notify_put(struct notification *notification, struct list *place)
{
    struct daemon *daemon = notification->origin.daemon;
    watch_stop(&notification->watch);
    list_remove(&notification->node);
    list_append(place, &notification->node);
    if (place == &daemon->post->notify.remote)
        watch_start(&notification->watch, daemon, notification->subject, notify_watch_ended);
}

/* `place` NULL: it has happened already. */
static void notify_new(const struct notification *wanted, struct list *requester,
                       struct list *place)
{
    struct notification *notification = malloc(sizeof *notification);
    if (!notification) {
        log_write("no memory for a notification wanted by t%x: it will not be told",
                  wanted->origin.tid);
        return;
    }
    *notification = *wanted;
    list_start(&notification->node);
    watch_init(&notification->watch);
    list_append(requester, &notification->requested);
    if (place)
        notify_put(notification, place);
    else
        notify_end(notification);
}

/*
 * The notification in `place` that has the requester, subject, context and tag of `wanted`, or
 * NULL.
 */
static struct notification *notify_find(struct list *place, const struct notification *wanted)
{
    LIST_FOR_EACH(node, place)
    {
        struct notification *there = notify_at(node);
        if (there->origin.tid == wanted->origin.tid && there->subject == wanted->subject &&
            there->context == wanted->context && there->tag == wanted->tag)
            return there;
    }
    return NULL;
}

/* Where requests about the subject wait; NULL when there is no such subject. */
static struct list *notify_place(struct daemon *daemon, int32_t kind, uint32_t subject)
{
    if (kind == PvmHostDelete)
        return hosts_find(&daemon->post->hosts, subject) ? &daemon->post->notify.host_ends : NULL;
    const struct host *host = places_host(daemon, subject);
    if (host && host->link)
        return &daemon->post->notify.remote;
    struct task *task = tasks_find_task(&daemon->post->tasks, subject);
    if (!task && places_may_come(daemon, subject))
        return &daemon->post->notify.remote;
    return task ? &task->watchers : NULL;
}

/* One subject of a request; cancelling tells of it at once, as its absence does. */
static void notify_add_subject(struct list *requester, const struct notification *wanted,
                               bool cancel)
{
    struct list *place = notify_place(wanted->origin.daemon, wanted->kind, wanted->subject);
    if (!place) {
        if (!cancel)
            notify_new(wanted, requester, NULL);
        return;
    }
    if (!cancel) {
        notify_new(wanted, requester, place);
        return;
    }
    struct notification *there = notify_find(place, wanted);
    if (there) {
        notify_tell(there);
        notify_forget(there);
    }
}

/* `count` additions are to be told of; 0 or cancelling ends that. */
static void notify_add_hosts(struct request *request, const struct notification *wanted,
                             bool cancel)
{
    struct list *place = &request->daemon->post->notify.new_hosts;
    struct notification *there = notify_find(place, wanted);
    bool end = cancel || wanted->count == 0;
    if (there && end)
        notify_forget(there);
    else if (there)
        there->count = wanted->count;
    else if (!end)
        notify_new(wanted, &request->task->watching, place);
}

/* Leases may know more of the subjects. False if the requester is gone afterwards. */
static bool notify_hear(const struct request *request, struct control_reader body, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        lease_hear(request->daemon, control_get_tid(&body));
    return tasks_find_task(&request->daemon->post->tasks, request->origin.tid) == request->task;
}

enum request_result notify_request(struct request *request)
{
    struct control_reader *body = &request->body;
    int32_t what = control_get_int(body);
    bool cancel = what & NOTIFY_CANCEL;
    struct notification wanted = {.origin = request->origin, .kind = what & ~NOTIFY_CANCEL};
    wanted.context = control_get_int(body);
    wanted.tag = control_get_int(body);
    if (wanted.kind == PvmHostAdd) {
        wanted.count = control_get_int(body);
        if (!body->failed)
            notify_add_hosts(request, &wanted, cancel);
        return body->failed ? REQUEST_MALFORMED : REQUEST_DONE;
    }
    int32_t count = control_get_count(body, 4);
    if (body->failed || (wanted.kind != PvmTaskExit && wanted.kind != PvmHostDelete))
        return REQUEST_MALFORMED;
    if (!notify_hear(request, *body, count))
        return REQUEST_DONE;
    for (int32_t i = 0; i < count; i++) {
        wanted.subject = control_get_tid(body);
        notify_add_subject(&request->task->watching, &wanted, cancel);
    }
    return REQUEST_DONE;
}

/* Another daemon is answered when the task ends, at once when there is none. */
static void notify_promise(struct request *request, uint32_t tid)
{
    struct notification wanted = {
        .origin = request->origin, .of_host = true, .kind = PvmTaskExit, .subject = tid};
    lease_hear(request->daemon, tid);
    struct list *place = notify_place(request->daemon, PvmTaskExit, tid);
    bool here = place != &request->daemon->post->notify.remote;
    bool known = places_find(&request->daemon->post->places, tid);
    if (place && (here || known || request_way(request, tid)))
        notify_new(&wanted, &request->daemon->post->notify.of_hosts, place);
    else
        notify_tell(&wanted);
}

enum request_result notify_request_of_host(struct request *request)
{
    int32_t kind = control_get_int(&request->body);
    uint32_t tid = control_get_tid(&request->body);
    if (request->body.failed || kind != PvmTaskExit)
        return REQUEST_MALFORMED;
    notify_promise(request, tid);
    return REQUEST_DONE;
}

enum request_result notify_request_of_reset(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    notify_promise(request, tid);
    return REQUEST_DONE;
}

void notify_host_end(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->post->notify.host_ends)
    {
        struct notification *notification = notify_at(node);
        if (tid_host_part(notification->subject) == part)
            notify_end(notification);
    }
    LIST_FOR_EACH(asked, &daemon->post->notify.of_hosts)
    {
        struct notification *notification = LIST_OWNER(asked, struct notification, requested);
        if (tid_host_part(notification->origin.tid) == part)
            notify_forget(notification);
    }
}

/* Tells one who asked, and forgets a request that has been told often enough. */
static void notify_tell_added(struct notification *notification, const uint32_t *parts, int count)
{
    struct message *event = control_new(notification->tag, notification->context, 0);
    control_put_int(event, count);
    for (int i = 0; i < count; i++)
        control_put_tid(event, parts[i]);
    router_send(notification->origin.daemon, notification->origin.tid, event);
    if (notification->count > 0 && --notification->count == 0)
        notify_forget(notification);
}

void notify_hosts_added(struct daemon *daemon, const uint32_t *parts, int count)
{
    if (count == 0)
        return;
    LIST_FOR_EACH(node, &daemon->post->notify.new_hosts)
    notify_tell_added(notify_at(node), parts, count);
}

void notify_task_leave(struct task *task)
{
    LIST_FOR_EACH(node, &task->watchers)
    {
        struct notification *notification = notify_at(node);
        if (notification->context == CONTROL_CONTEXT_TC)
            notify_end(notification);
    }
}

/* A pvmd of ours asks for itself where the task is going to live. */
static bool notify_follows(const struct notification *notification)
{
    const struct hosts *hosts = &notification->origin.daemon->post->hosts;
    const struct host *host = hosts_find(hosts, notification->origin.tid);
    return notification->of_host && host && host->link && host->link->upgrade.known;
}

void notify_task_departs(struct task *task)
{
    LIST_FOR_EACH(node, &task->watchers)
    {
        struct notification *notification = notify_at(node);
        if (notify_follows(notification))
            notify_forget(notification);
        else
            notify_put(notification, &task->daemon->post->notify.remote);
    }
}

void notify_task_arrives(struct task *task)
{
    LIST_FOR_EACH(node, &task->daemon->post->notify.remote)
    if (notify_at(node)->subject == task->tid)
        notify_put(notify_at(node), &task->watchers);
    LIST_FOR_EACH(asked, &task->watching)
    if (LIST_OWNER(asked, struct notification, requested)->due)
        notify_end(LIST_OWNER(asked, struct notification, requested));
}

void notify_put_wanted(struct message *message, struct task *task)
{
    int32_t count = 0;
    LIST_FOR_EACH(node, &task->watching)
    count++;
    control_put_int(message, count);
    LIST_FOR_EACH(asked, &task->watching)
    {
        const struct notification *wanted = LIST_OWNER(asked, struct notification, requested);
        control_put_int(message, wanted->kind);
        control_put_int(message, wanted->context);
        control_put_int(message, wanted->tag);
        control_put_tid(message, wanted->subject);
        control_put_int(message, wanted->count);
        control_put_int(message, wanted->origin.wait);
    }
}

void notify_forget_wanted(struct task *task)
{
    while (!list_is_empty(&task->watching))
        notify_forget(LIST_OWNER(task->watching.next, struct notification, requested));
}

static void notify_want(struct task *task, const struct notification *wanted)
{
    if (wanted->kind == PvmHostAdd)
        notify_new(wanted, &task->watching, &task->daemon->post->notify.new_hosts);
    else
        notify_add_subject(&task->watching, wanted, false);
}

bool notify_take_wanted(struct task *task, struct control_reader *body)
{
    int32_t count = control_get_count(body, WANTED_SIZE);
    for (int32_t i = 0; i < count && !body->failed; i++) {
        struct notification wanted = {.origin = {.daemon = task->daemon, .tid = task->tid}};
        wanted.kind = control_get_int(body);
        wanted.context = control_get_int(body);
        wanted.tag = control_get_int(body);
        wanted.subject = control_get_tid(body);
        wanted.count = control_get_int(body);
        wanted.origin.wait = control_get_int(body);
        if (!body->failed)
            notify_want(task, &wanted);
    }
    return !body->failed;
}

void notify_task_end(struct task *task)
{
    while (!list_is_empty(&task->watchers))
        notify_end(notify_at(task->watchers.next));
    watches_end_task(task->daemon, task->tid);
    notify_forget_wanted(task);
}
