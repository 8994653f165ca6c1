/* service_requests.c - taking and leaving roles, and what each role may say. */
#include "daemon/requests/service_requests.h"

#include <stdlib.h>

#include <pvm3.h>

#include "daemon/base/log.h"
#include "daemon/members/add_hosts.h"
#include "daemon/post/lease.h"
#include "daemon/post/router.h"
#include "daemon/requests/lifetime.h"
#include "daemon/requests/request_room.h"
#include "daemon/tasks/spawn.h"

/* Takes or leaves one of the roles that only one task can have. */
static int32_t service_change(struct task *task, uint32_t *role, unsigned flag, bool take)
{
    if (take && *role != 0)
        return PvmAlready;
    if (!take && *role != task->tid)
        return PvmNoTask;
    *role = take ? task->tid : 0;
    task->flags = take ? task->flags | flag : task->flags & ~flag;
    return PvmOk;
}

static enum request_result service_register(struct request *request, uint32_t *role, unsigned flag)
{
    bool take = control_get_int(&request->body) != 0;
    if (request->body.failed)
        return REQUEST_MALFORMED;
    return request_reply_int(request, service_change(request->task, role, flag, take));
}

enum request_result service_register_tasker(struct request *request)
{
    return service_register(request, &request->daemon->task_room->services.tasker, TASK_IS_TASKER);
}

enum request_result service_register_hoster(struct request *request)
{
    if (!hosts_is_master(&request->daemon->post->hosts))
        return request_reply_int(request, PvmHostrNMstr);
    return service_register(request, &request->daemon->task_room->services.hoster, TASK_IS_HOSTER);
}

static void service_put_tracer(struct services *services, struct control_reader *body, uint32_t tid)
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

/* The other daemons follow what this one was told of a tracer. */
static void service_spread_tracer(struct daemon *daemon)
{
    const struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL) {
        struct message *message = control_new(DM_SLCONF, 0, 0);
        services_put_tracer(&daemon->task_room->services, message);
        router_send(daemon, host->part | TID_DAEMON_BIT, message);
    }
}

enum request_result service_register_tracer(struct request *request)
{
    struct services *services = &request->daemon->task_room->services;
    bool take = control_get_int(&request->body) != 0;
    if (request->body.failed)
        return REQUEST_MALFORMED;
    int32_t result = service_change(request->task, &services->tracer, TASK_IS_TRACER, take);
    if (result == PvmOk) {
        service_put_tracer(services, &request->body, take ? request->origin.tid : 0);
        service_spread_tracer(request->daemon);
    }
    return request_reply_int(request, result);
}

enum request_result service_register_scheduler(struct request *request)
{
    const struct host *master = request->daemon->post->hosts.master;
    struct message *answer = request_answer(request);
    control_put_tid(answer, request->daemon->task_room->services.scheduler);
    control_put_tid(answer, master->part);
    control_put_string(answer, master->name);
    control_put_string(answer, master->architecture);
    control_put_int(answer, master->speed);
    control_put_tid(answer, master->signature);
    services_set_scheduler(request->daemon, request->origin.tid);
    request_reply(request, answer);
    return REQUEST_DONE;
}

static enum request_result service_hand_off(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    lease_hear(request->daemon, tid);
    if (tid != 0 && !tasks_find_task(&request->daemon->post->tasks, tid)) {
        log_write("t%x hands over to t%x, which there is not: there is no resource manager now",
                  request->origin.tid, tid);
        tid = 0;
    }
    services_set_scheduler(request->daemon, tid);
    return REQUEST_DONE;
}

/* How the task ended may be left out. Only tasks that a tasker was asked for end in this way. */
static enum request_result service_end_task(struct request *request)
{
    struct control_reader *body = &request->body;
    uint32_t tid = control_get_tid(body);
    struct task_end how = {.status = control_get_int(body), .user_seconds = control_get_int(body)};
    how.user_microseconds = control_get_int(body);
    how.system_seconds = control_get_int(body);
    how.system_microseconds = control_get_int(body);
    if (tid == 0 || request->origin.tid != request->daemon->task_room->services.tasker)
        return REQUEST_MALFORMED;
    struct task *task = tasks_find(&request->daemon->post->tasks, tid);
    if (task && task->starter != 0 && task != request->task)
        task_end_with_process(task, &how);
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
    {SM_HANDOFF, BY_SCHEDULER, service_hand_off},
    {SM_TASKX, BY_TASKER, service_end_task},
    {SM_STHOSTACK, BY_HOSTER, add_hosts_take_answer},
};

static bool service_may_send(const struct request *request, const struct service_message *message)
{
    const struct services *services = &request->daemon->task_room->services;
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

bool service_request_take(struct request *request)
{
    int32_t tag = request->message->header.tag;
    for (size_t i = 0; i < sizeof service_messages / sizeof service_messages[0]; i++) {
        if (service_messages[i].tag != tag || !service_may_send(request, &service_messages[i]))
            continue;
        if (service_messages[i].handle(request) == REQUEST_MALFORMED)
            complain(&request->daemon->complaints, request->origin.tid,
                     "a service message 0x%x from t%x makes no sense: dropped", (unsigned)tag,
                     request->origin.tid);
        return true;
    }
    return false;
}

void service_request_take_from_host(struct daemon *daemon, struct message *message)
{
    const struct message_header *header = &message->header;
    struct request request = {
        .daemon = daemon,
        .origin = {daemon, header->source, header->tag, header->context, header->wait},
        .message = message,
    };
    message->header.encoding = MESSAGE_XDR;
    control_read(&request.body, message);
    if (!service_request_take(&request))
        complain(&daemon->complaints, header->source,
                 "t%x of another host sent this daemon a message with tag 0x%x, which only a "
                 "service may send: dropped",
                 header->source, (unsigned)header->tag);
}
