/* status.c - what is known of tasks. */
#include "daemon/status.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/signals.h"

enum request_result status_tell(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    if (request->body.failed || !tid_is_task(tid))
        return REQUEST_MALFORMED;
    return request_reply_int(request, tasks_find(&request->daemon->tasks, tid) ? PvmOk : PvmNoTask);
}

static void status_put(struct message *answer, const struct task *task)
{
    control_put_tid(answer, task->tid);
    control_put_int(answer, task->parent);
    control_put_tid(answer, tid_host_part(task->tid));
    control_put_int(answer, (int32_t)task->flags);
    control_put_string(answer, task->name);
    control_put_int(answer, task->pid);
}

enum request_result status_list(struct request *request)
{
    uint32_t where = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    struct tasks *tasks = &request->daemon->tasks;
    bool single = tid_is_task(where);
    if (where != 0 && !hosts_find(&request->daemon->hosts, where))
        return request_reply_int(request, PvmNoHost);
    struct message *answer = request_answer(request);
    control_put_int(answer, PvmOk);
    LIST_FOR_EACH(node, &tasks->list)
    if (!single || task_at(node)->tid == where)
        status_put(answer, task_at(node));
    request_reply(request, answer);
    return REQUEST_DONE;
}

/* The answer comes first and tells nothing, as in 3.4.6. */
enum request_result status_signal(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    int32_t number = control_get_int(&request->body);
    if (request->body.failed || !tid_is_task(tid))
        return REQUEST_MALFORMED;
    request_reply(request, request_answer(request));
    struct task *task = tasks_find(&request->daemon->tasks, tid);
    if (task)
        signals_send(task, number);
    return REQUEST_DONE;
}
