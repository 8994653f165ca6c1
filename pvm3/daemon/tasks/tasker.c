/* tasker.c - orders to the tasker. */
#include "daemon/tasks/tasker.h"

#include <stdio.h>

#include <pvm3.h>

#include "core/control.h"
#include "daemon/post/router.h"
#include "daemon/tasks/task_room.h"

/* Cookies stand for process ids, and begin above any id that a process has. */
#define COOKIE_FIRST 10000000
#define COOKIE_COUNT 10000000

static struct message *tasker_new_order(const struct task *task, const struct execution *execution,
                                        const char *path, uint32_t number)
{
    char cookie[32];
    snprintf(cookie, sizeof cookie, "PVMEPID=%ld", (long)task->pid);
    struct message *order =
        control_new(SM_STTASK, 0, services_next_wait(&task->daemon->task_room->services));
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
    struct services *services = &task->daemon->task_room->services;
    struct task *tasker = tasks_find(&task->daemon->post->tasks, services->tasker);
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
