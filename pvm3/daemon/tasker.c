/* tasker.c - orders to the tasker. */
#include "daemon/tasker.h"

#include <stdio.h>

#include <pvm3.h>

#include "daemon/daemon.h"
#include "daemon/lifetime.h"
#include "daemon/router.h"

/* No process has such an id. */
#define COOKIE_FIRST 10000000
#define COOKIE_COUNT 10000000

static struct message *tasker_new_order(const struct task *task, const struct execution *execution,
                                        const char *path, uint32_t number)
{
    char cookie[32];
    snprintf(cookie, sizeof cookie, "PVMEPID=%ld", (long)task->pid);
    struct message *order = control_new(SM_STTASK, 0, services_next_wait(&task->daemon->services));
    control_put_tid(order, task->tid);
    control_put_int(order, execution->flags);
    control_put_string(order, path);
    control_put_int(order, execution->arguments.count + 1);
    control_put_string(order, path);
    for (int32_t i = 0; i < execution->arguments.count; i++)
        control_put_string(order, execution->arguments.items[i]);
    control_put_int(order, execution->environment.count + 1);
    control_put_string(order, cookie);
    for (int32_t i = 0; i < execution->environment.count; i++)
        control_put_string(order, execution->environment.items[i]);
    control_put_tid(order, execution->first + number);
    control_put_int(order, execution->count);
    control_put_tid(order, execution->total);
    return order;
}

int tasker_start(struct task *task, const struct execution *execution, const char *path,
                 uint32_t number)
{
    struct services *services = &task->daemon->services;
    struct task *tasker = tasks_find(&task->daemon->tasks, services->tasker);
    task->pid = COOKIE_FIRST + services->cookie;
    services->cookie = (services->cookie + 1) % COOKIE_COUNT;
    struct message *order = tasker_new_order(task, execution, path, number);
    if (!control_is_whole(order)) {
        message_free(order);
        return PvmOutOfRes;
    }
    tasker->starts = true;
    task->starter = tasker->tid;
    router_send(task->daemon, tasker->tid, order);
    return 0;
}

void tasker_leave(struct task *tasker)
{
    static const struct task_end never_started;
    struct daemon *daemon = tasker->daemon;
    if (!tasker->starts)
        return;
    tasker->starts = false;
    LIST_FOR_EACH(node, &daemon->tasks.list)
    {
        struct task *task = task_at(node);
        if (task->starter == tasker->tid && !(task->flags & TASK_IS_CONNECTED))
            task_end(task, &never_started);
    }
}

/* How the task ended may be left out. Only tasks that a tasker was asked for end in this way. */
enum request_result tasker_end_task(struct request *request)
{
    struct control_reader *body = &request->body;
    uint32_t tid = control_get_tid(body);
    struct task_end how = {.status = control_get_int(body), .user_seconds = control_get_int(body)};
    how.user_microseconds = control_get_int(body);
    how.system_seconds = control_get_int(body);
    how.system_microseconds = control_get_int(body);
    if (tid == 0 || request->origin.tid != request->daemon->services.tasker)
        return REQUEST_MALFORMED;
    struct task *task = tasks_find(&request->daemon->tasks, tid);
    if (task && task->starter != 0 && task != request->task)
        task_end_with_process(task, &how);
    return REQUEST_DONE;
}
