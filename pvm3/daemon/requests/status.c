/* status.c - what is known of tasks. */
#include "daemon/requests/status.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/hosts/relay.h"
#include "daemon/post/lease.h"
#include "daemon/post/router.h"
#include "daemon/requests/lifetime.h"
#include "daemon/requests/request_room.h"

/* Daemons ask of a daemon, too, to see whether it is there. */
enum request_result status_tell(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    bool daemon = !request->task && tid_is_daemon(tid);
    if (request->body.failed || !(tid_is_task(tid) || daemon))
        return REQUEST_MALFORMED;
    lease_hear(request->daemon, tid);
    const struct host *host = request_way(request, tid);
    if (host)
        return relay(request, host, DM_PSTAT, NULL, 0, PvmHostFail);
    return request_reply_int(
        request, daemon || tasks_find_task(&request->daemon->post->tasks, tid) ? PvmOk : PvmNoTask);
}

static void status_put(struct message *answer, const struct task *task)
{
    control_put_tid(answer, task->tid);
    control_put_int(answer, task->parent);
    control_put_tid(answer, hosts_own(&task->daemon->post->hosts)->part);
    control_put_int(answer, (int32_t)task->flags);
    control_put_string(answer, task->name);
    control_put_int(answer, task->pid);
}

static void status_hear(struct daemon *daemon, uint32_t where)
{
    if ((where & TID_LOCAL_MASK) == 0)
        lease_hear_all(daemon);
    else
        lease_hear(daemon, where);
}

/* The tasks of this host, or the task that `where` names. */
static void status_put_own(struct message *answer, struct daemon *daemon, uint32_t where)
{
    LIST_FOR_EACH(node, &daemon->post->tasks.list)
    if ((where & TID_LOCAL_MASK) == 0 || task_at(node)->tid == where)
        status_put(answer, task_at(node));
}

/* A list that several hosts make together. */
struct status_list {
    struct request_origin origin;
    struct message *answer;
    int left; /* hosts that have not answered */
};

struct status_question {
    struct pending pending;
    struct status_list *list;
};

static void status_list_count(struct status_list *list)
{
    if (--list->left > 0)
        return;
    request_reply_to(&list->origin, list->answer);
    free(list);
}

static void status_list_failed(struct pending *pending)
{
    struct status_question *question = LIST_OWNER(pending, struct status_question, pending);
    struct status_list *list = question->list;
    free(question);
    status_list_count(list);
}

static void status_list_answered(struct pending *pending, struct control_reader *body)
{
    struct status_list *list = LIST_OWNER(pending, struct status_question, pending)->list;
    if (control_is_whole(list->answer) &&
        message_append_rest(list->answer, body->message, (struct cursor){0, 0}) < 0)
        log_write("no memory for the tasks of a host: they are left out");
    status_list_failed(pending);
}

static void status_list_ask(struct status_list *list, const struct host *host, uint32_t where)
{
    struct daemon *daemon = list->origin.daemon;
    struct status_question *question = malloc(sizeof *question);
    if (!question) {
        log_write("no memory for the tasks of %s: they are left out", host->name);
        return;
    }
    question->list = list;
    list->left++;
    pending_start(&question->pending, daemon, host, DM_TASK, status_list_answered,
                  status_list_failed);
    struct message *message = control_new(DM_TASK, 0, question->pending.wait);
    control_put_tid(message, where);
    router_send(daemon, host->part | TID_DAEMON_BIT, message);
}

enum request_result status_list(struct request *request)
{
    struct daemon *daemon = request->daemon;
    const struct hosts *hosts = &daemon->post->hosts;
    uint32_t where = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (request->task && where != 0 && !places_host(daemon, where))
        return request_reply_int(request, PvmNoHost);
    status_hear(daemon, where);
    struct status_list *list = malloc(sizeof *list);
    if (!list)
        return REQUEST_MALFORMED;
    *list = (struct status_list){request->origin, request_answer(request), 1};
    if (request->task)
        control_put_int(list->answer, PvmOk);
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host)) {
        if (where != 0 && host != places_host(daemon, where))
            continue;
        if (!host->link)
            status_put_own(list->answer, daemon, where);
        else if (request->task || request_way(request, where))
            status_list_ask(list, host, where);
    }
    status_list_count(list);
    return REQUEST_DONE;
}

/* The answer comes first and tells nothing, as in 3.4.6. */
enum request_result status_signal(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    int32_t number = control_get_int(&request->body);
    if (request->body.failed || !tid_is_task(tid))
        return REQUEST_MALFORMED;
    if (request->task)
        request_reply(request, request_answer(request));
    const struct host *host = request_way(request, tid);
    if (host) {
        struct message *order = control_new(DM_SENDSIG, 0, 0);
        control_put_tid(order, tid);
        control_put_int(order, number);
        router_send(request->daemon, host->part | TID_DAEMON_BIT, order);
    }
    lease_hear(request->daemon, tid);
    struct task *task = tasks_find_task(&request->daemon->post->tasks, tid);
    struct place *place = places_find(&request->daemon->post->places, tid);
    if (task && place && place->holds)
        place->signal = number;
    else if (task)
        task_signal(task, number);
    return REQUEST_DONE;
}
