/* services.c - the roles that tasks have taken. */
#include "daemon/tasks/services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvmtev.h>

#include "core/control.h"
#include "daemon/base/log.h"
#include "daemon/post/router.h"
#include "daemon/tasks/execution.h"
#include "daemon/tasks/output.h"
#include "daemon/tasks/task_room.h"
#include "daemon/tasks/trace.h"

void services_start(struct services *services)
{
    *services = (struct services){0};
}

void services_finish(struct services *services)
{
    free(services->trace_mask);
}

int32_t services_next_wait(struct services *services)
{
    services->wait = services->wait < INT32_MAX ? services->wait + 1 : 1;
    return services->wait;
}

uint32_t services_scheduler(const struct services *services)
{
    return services->scheduler;
}

bool services_has_tasker(const struct services *services)
{
    return services->tasker != 0;
}

static void services_replace_variable(struct strings *list, const char *name, const char *value)
{
    char *variable;
    if (asprintf(&variable, "%s=%s", name, value) < 0)
        return;
    size_t length = strlen(name) + 1;
    for (int32_t i = 0; i < list->count; i++)
        if (strncmp(list->items[i], variable, length) == 0) {
            free(list->items[i]);
            list->items[i] = variable;
            return;
        }
    if (!strings_add(list, variable))
        log_write("no memory for the settings of the tracer: %s is not passed on", name);
    free(variable);
}

void services_complete(const struct services *services, struct execution *execution)
{
    char number[16];
    if (services->tracer == 0)
        return;
    if (execution->output.tid == 0)
        execution->output = services->output_sink;
    if (execution->trace.tid != 0)
        return;
    execution->trace = services->trace_sink;
    services_replace_variable(&execution->environment, "PVMTMASK",
                              services->trace_mask ? services->trace_mask : "");
    snprintf(number, sizeof number, "%d", services->trace_buffer);
    services_replace_variable(&execution->environment, "PVMTRCBUF", number);
    snprintf(number, sizeof number, "%d", services->trace_options);
    services_replace_variable(&execution->environment, "PVMTRCOPT", number);
}

void services_adopt(struct task *task)
{
    const struct services *services = &task->daemon->task_room->services;
    task->scheduler = services->scheduler;
    if (services->tracer == 0)
        return;
    task->output = services->output_sink;
    task->trace = services->trace_sink;
}

void services_tell_stranger(struct task *task)
{
    struct daemon *daemon = task->daemon;
    if (task->scheduler) {
        struct message *told = control_new(SM_EXECACK, 0, 0);
        control_put_int(told, 1);
        control_put_tid(told, task->tid);
        router_send(daemon, task->scheduler, told);
    }
    trace_stranger(task);
    output_tell(daemon, &task->output, task->tid, OUTPUT_STARTED, task->parent ? task->parent : -1);
}

void services_tell_end(struct task *task, const struct task_end *how)
{
    if (task->scheduler == 0)
        return;
    struct message *told = control_new(SM_TASKX, 0, 0);
    control_put_tid(told, task->tid);
    control_put_int(told, how->status);
    control_put_int(told, how->user_seconds);
    control_put_int(told, how->user_microseconds);
    control_put_int(told, how->system_seconds);
    control_put_int(told, how->system_microseconds);
    router_send(task->daemon, task->scheduler, told);
}

void services_task_leave(struct task *task)
{
    struct services *services = &task->daemon->task_room->services;
    uint32_t tid = task->tid;
    task->flags &= ~(unsigned)TASK_SERVES;
    if (services->hoster == tid)
        services->hoster = 0;
    if (services->tracer == tid)
        services->tracer = 0;
    if (services->scheduler == tid)
        services->scheduler = 0;
    if (services->tasker == tid)
        services->tasker = 0;
}

void services_put_tracer(const struct services *services, struct message *message)
{
    char text[256];
    Pvmtmask none; /* daemons of 3.4.6 do not obey words that lack the mask */
    TEV_MASK_INIT(none);
    snprintf(text, sizeof text, "%x %d %d %x %d %d %d %d %s", services->trace_sink.tid,
             services->trace_sink.context, services->trace_sink.tag, services->output_sink.tid,
             services->output_sink.context, services->output_sink.tag, services->trace_buffer,
             services->trace_options, services->trace_mask ? services->trace_mask : none);
    control_put_int(message, SETTING_TRACER);
    control_put_string(message, text);
}

void services_put_settings(const struct services *services, struct message *message)
{
    char text[16];
    if (services->scheduler != 0) {
        snprintf(text, sizeof text, "%x", services->scheduler);
        control_put_int(message, SETTING_SCHEDULER);
        control_put_string(message, text);
    }
    if (services->tracer != 0)
        services_put_tracer(services, message);
}

void services_set_scheduler(struct daemon *daemon, uint32_t tid)
{
    struct task *before = tasks_find(&daemon->post->tasks, daemon->task_room->services.scheduler);
    struct task *after = tasks_find(&daemon->post->tasks, tid);
    if (before)
        before->flags &= ~(unsigned)TASK_IS_SCHEDULER;
    if (after)
        after->flags |= TASK_IS_SCHEDULER;
    daemon->task_room->services.scheduler = tid;
    log_debug(LOG_SCHEDULER, "the scheduler is t%x", tid);
}

void services_follow_tracer(struct daemon *daemon, const char *text)
{
    struct services *services = &daemon->task_room->services;
    unsigned trace = 0, output = 0;
    int values[6] = {0};
    char mask[sizeof(Pvmtmask)] = "";
    if (sscanf(text, "%x %d %d %x %d %d %d %d %35s", &trace, &values[0], &values[1], &output,
               &values[2], &values[3], &values[4], &values[5], mask) < 8) {
        complain(&daemon->complaints, 0,
                 "another daemon tells of a tracer in words that make no sense: '%s'", text);
        return;
    }
    services->tracer = trace;
    services->trace_sink = (struct sink){trace, values[0], values[1]};
    services->output_sink = (struct sink){output, values[2], values[3]};
    services->trace_buffer = values[4];
    services->trace_options = values[5];
    free(services->trace_mask);
    services->trace_mask = strdup(mask);
}
