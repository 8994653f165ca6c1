/* services.c - who is what. */
#include "daemon/services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>
#include <pvmtev.h>

#include "daemon/add_hosts.h"
#include "daemon/daemon.h"
#include "daemon/execution.h"
#include "daemon/host_settings.h"
#include "daemon/hosts.h"
#include "daemon/log.h"
#include "daemon/output.h"
#include "daemon/router.h"
#include "daemon/spawn.h"
#include "daemon/tasker.h"
#include "daemon/trace.h"

void services_start(struct services *services)
{
    *services = (struct services){0};
}

void services_finish(struct services *services)
{
    free(services->trace_mask);
}

void services_start_plug_ins(struct daemon *daemon)
{
    static const char *const variables[] = {"PVM_TASKER", "PVM_TRACER", "PVM_HOSTER", "PVM_RM"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *command = environment_get(variables[i], NULL);
        if (command)
            spawn_plug_in(daemon, command);
    }
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
    const struct services *services = &task->daemon->services;
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
    output_tell(daemon, &task->output, task->tid, OUTPUT_STARTED, -1);
}

static void services_tell_end(struct task *task, const struct task_end *how)
{
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
    static const unsigned roles =
        TASK_IS_HOSTER | TASK_IS_TASKER | TASK_IS_TRACER | TASK_IS_SCHEDULER;
    struct services *services = &task->daemon->services;
    uint32_t tid = task->tid;
    task->flags &= ~roles;
    if (services->hoster == tid)
        services->hoster = 0;
    if (services->tracer == tid)
        services->tracer = 0;
    if (services->scheduler == tid)
        services->scheduler = 0;
    if (services->tasker == tid)
        services->tasker = 0;
    add_hosts_task_leave(task->daemon, tid);
    tasker_leave(task);
}

void services_task_end(struct task *task, const struct task_end *how)
{
    services_task_leave(task);
    if (task->scheduler)
        services_tell_end(task, how);
}

/* Takes or leaves one of the roles that only one task can have. */
static int32_t services_change(struct task *task, uint32_t *role, unsigned flag, bool take)
{
    if (take && *role != 0)
        return PvmAlready;
    if (!take && *role != task->tid)
        return PvmNoTask;
    *role = take ? task->tid : 0;
    task->flags = take ? task->flags | flag : task->flags & ~flag;
    return PvmOk;
}

static enum request_result services_register(struct request *request, uint32_t *role, unsigned flag)
{
    bool take = control_get_int(&request->body) != 0;
    if (request->body.failed)
        return REQUEST_MALFORMED;
    return request_reply_int(request, services_change(request->task, role, flag, take));
}

enum request_result services_register_tasker(struct request *request)
{
    return services_register(request, &request->daemon->services.tasker, TASK_IS_TASKER);
}

enum request_result services_register_hoster(struct request *request)
{
    if (!hosts_is_master(&request->daemon->hosts))
        return request_reply_int(request, PvmHostrNMstr);
    return services_register(request, &request->daemon->services.hoster, TASK_IS_HOSTER);
}

static void services_put_tracer(struct services *services, struct control_reader *body,
                                uint32_t tid)
{
    services->trace_sink =
        (struct sink){.tid = tid, .context = control_get_int(body), .tag = control_get_int(body)};
    services->output_sink =
        (struct sink){.tid = tid, .context = control_get_int(body), .tag = control_get_int(body)};
    free(services->trace_mask);
    services->trace_mask =
        control_get_string(body, 0); /* all fields are 0 or NULL when they were left out */
    services->trace_buffer = control_get_int(body);
    services->trace_options = control_get_int(body);
}

static void services_put_tracer_text(const struct services *services, struct message *message)
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
        services_put_tracer_text(services, message);
}

/* The other daemons follow what this one was told of a tracer. */
static void services_spread_tracer(struct daemon *daemon)
{
    const struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->hosts, host)) != NULL) {
        struct message *message = control_new(DM_SLCONF, 0, 0);
        services_put_tracer_text(&daemon->services, message);
        router_send(daemon, host->part | TID_DAEMON_BIT, message);
    }
}

enum request_result services_register_tracer(struct request *request)
{
    struct services *services = &request->daemon->services;
    bool take = control_get_int(&request->body) != 0;
    if (request->body.failed)
        return REQUEST_MALFORMED;
    int32_t result = services_change(request->task, &services->tracer, TASK_IS_TRACER, take);
    if (result == PvmOk) {
        services_put_tracer(services, &request->body, take ? request->origin.tid : 0);
        services_spread_tracer(request->daemon);
    }
    return request_reply_int(request, result);
}

void services_set_scheduler(struct daemon *daemon, uint32_t tid)
{
    struct task *before = tasks_find(&daemon->tasks, daemon->services.scheduler);
    struct task *after = tasks_find(&daemon->tasks, tid);
    if (before)
        before->flags &= ~(unsigned)TASK_IS_SCHEDULER;
    if (after)
        after->flags |= TASK_IS_SCHEDULER;
    daemon->services.scheduler = tid;
    log_debug(LOG_SCHEDULER, "the scheduler is t%x", tid);
}

void services_follow_tracer(struct daemon *daemon, const char *text)
{
    struct services *services = &daemon->services;
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

enum request_result services_register_scheduler(struct request *request)
{
    const struct host *master = request->daemon->hosts.master;
    struct message *answer = request_answer(request);
    control_put_tid(answer, request->daemon->services.scheduler);
    control_put_tid(answer, master->part);
    control_put_string(answer, master->name);
    control_put_string(answer, master->architecture);
    control_put_int(answer, master->speed);
    control_put_tid(answer, master->signature);
    services_set_scheduler(request->daemon, request->origin.tid);
    request_reply(request, answer);
    return REQUEST_DONE;
}

static enum request_result services_hand_off(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (tid != 0 && !tasks_find(&request->daemon->tasks, tid)) {
        log_write("t%x hands over to t%x, which there is not: there is no resource manager now",
                  request->origin.tid, tid);
        tid = 0;
    }
    services_set_scheduler(request->daemon, tid);
    return REQUEST_DONE;
}

/* What a service may send, and which. */
static const struct service_message {
    int32_t tag;
    enum { BY_SCHEDULER, BY_TASKER, BY_HOSTER } sender;
    request_handler *handle;
} service_messages[] = {
    {SM_EXEC, BY_SCHEDULER, spawn_order},
    {SM_ADD, BY_SCHEDULER, add_hosts_request},
    {SM_HANDOFF, BY_SCHEDULER, services_hand_off},
    {SM_TASKX, BY_TASKER, tasker_end_task},
    {SM_STHOSTACK, BY_HOSTER, add_hosts_take_answer},
};

static bool services_may_send(const struct request *request, const struct service_message *message)
{
    const struct services *services = &request->daemon->services;
    uint32_t tid = request->origin.tid;
    switch (message->sender) {
    case BY_SCHEDULER:
        return tid == services->scheduler;
    case BY_TASKER:
        return tid == services->tasker;
    case BY_HOSTER:
        return tid == services->hoster || add_hosts_waits_for(request->daemon, tid);
    }
    return false;
}

bool services_take(struct request *request)
{
    int32_t tag = request->message->header.tag;
    for (size_t i = 0; i < sizeof service_messages / sizeof service_messages[0]; i++) {
        if (service_messages[i].tag != tag || !services_may_send(request, &service_messages[i]))
            continue;
        if (service_messages[i].handle(request) == REQUEST_MALFORMED)
            complain(&request->daemon->complaints, request->origin.tid,
                     "a service message 0x%x from t%x makes no sense: dropped", (unsigned)tag,
                     request->origin.tid);
        return true;
    }
    return false;
}

void services_take_from_host(struct daemon *daemon, struct message *message)
{
    const struct message_header *header = &message->header;
    struct request request = {
        .daemon = daemon,
        .origin = {daemon, header->source, header->tag, header->context, header->wait},
        .message = message,
    };
    message->header.encoding = MESSAGE_XDR;
    control_read(&request.body, message);
    if (!services_take(&request))
        complain(&daemon->complaints, header->source,
                 "t%x of another host sent this daemon a message with tag 0x%x, which only a "
                 "service may send: dropped",
                 header->source, (unsigned)header->tag);
}
