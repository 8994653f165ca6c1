/* task_requests.c - which request goes where. */
#include "daemon/requests/task_requests.h"

#include "daemon/base/log.h"
#include "daemon/members/add_hosts.h"
#include "daemon/members/halt.h"
#include "daemon/post/multicast.h"
#include "daemon/post/notify.h"
#include "daemon/requests/arrivals.h"
#include "daemon/requests/contexts.h"
#include "daemon/requests/departures.h"
#include "daemon/requests/host_requests.h"
#include "daemon/requests/lease_requests.h"
#include "daemon/requests/lifetime.h"
#include "daemon/requests/mailbox_requests.h"
#include "daemon/requests/move_orders.h"
#include "daemon/requests/region_requests.h"
#include "daemon/requests/request_room.h"
#include "daemon/requests/revivals.h"
#include "daemon/requests/service_requests.h"
#include "daemon/requests/status.h"
#include "daemon/requests/tickle.h"
#include "daemon/tasks/options.h"
#include "daemon/tasks/spawn.h"

struct task_request_kind {
    const char *name;
    request_handler *handle;
};

/*
 * By tag, from TM_CONNECT on. Tags without a handler make no sense from a task that is connected.
 */
static const struct task_request_kind kinds[] = {
    {"TM_CONNECT", NULL},
    {"TM_CONN2", NULL},
    {"TM_EXIT", lifetime_exit},
    {"TM_ADDHOST", add_hosts_request},
    {"TM_DELHOST", host_requests_delete},
    {"TM_CONFIG", host_requests_list},
    {"TM_MSTAT", host_requests_state},
    {"TM_HALT", halt_request},
    {"TM_TICKLE", tickle_request},
    {"TM_SPAWN", spawn_request},
    {"TM_PSTAT", status_tell},
    {"TM_SENDSIG", status_signal},
    {"TM_TASK", status_list},
    {"TM_MCA", multicast_announce},
    {"TM_NOTIFY", notify_request},
    {"TM_DB", mailbox_request},
    {"TM_SCHED", service_register_scheduler},
    {"TM_TASKER", service_register_tasker},
    {"TM_HOSTER", service_register_hoster},
    {"TM_TRACER", service_register_tracer},
    {"TM_HOSTSYNC", host_requests_clock},
    {"TM_SETOPT", options_set},
    {"TM_GETOPT", options_tell},
    {"TM_CONTEXT", contexts_request},
    {"TM_SHMCONN", NULL},
};

/* By tag, from CONTROL_LEASE on: requests that only our own libraries make. */
static const struct task_request_kind own_kinds[] = {
    {"CONTROL_LEASE", lease_request},
    {"CONTROL_BIRTHS", lease_take_births},
    {"CONTROL_DEATHS", lease_take_deaths},
    {"CONTROL_REGIONS", region_request},
    {"CONTROL_REGIONS_BACK", region_take_back},
    {"CONTROL_MIGRATE", move_order_request},
    {"CONTROL_MIGRATED", move_order_take_answer},
    {"CONTROL_LEAVE", departure_request},
    {"CONTROL_STAY", departure_request_stay},
    {"CONTROL_ARRIVE", arrival_request},
    {"CONTROL_ARRIVE_NOT", arrival_request_not},
    {"CONTROL_RECORD", revival_request_record},
    {"CONTROL_REVIVE", revival_request},
    {"CONTROL_REVIVED", revival_request_end},
    {"CONTROL_WANT", revival_take_wishes},
};

static const struct task_request_kind *task_request_find(int32_t tag)
{
    uint32_t number = (uint32_t)tag - (uint32_t)TM_CONNECT;
    uint32_t own_number = (uint32_t)tag - (uint32_t)CONTROL_LEASE;
    if (own_number < sizeof own_kinds / sizeof own_kinds[0])
        return &own_kinds[own_number];
    if (number >= sizeof kinds / sizeof kinds[0])
        return NULL;
    return kinds[number].handle ? &kinds[number] : NULL;
}

static struct request_origin task_request_origin(const struct task *task,
                                                 const struct message *message)
{
    const struct message_header *header = &message->header;
    return (struct request_origin){task->daemon, task->tid, header->tag, header->context,
                                   header->wait};
}

void task_request_take(struct task *task, struct message *message)
{
    uint32_t tid = task->tid;
    struct request request = {
        .daemon = task->daemon,
        .task = task,
        .origin = task_request_origin(task, message),
        .message = message,
    };
    message->header.encoding = MESSAGE_XDR; /* whatever it says */
    control_read(&request.body, message);
    task->daemon->statistics.requests++;
    if (service_request_take(&request))
        return;
    const struct task_request_kind *kind = task_request_find(message->header.tag);
    if (!kind) {
        complain(&request.daemon->complaints, tid,
                 "t%x sent a request with the unknown tag 0x%x: dropped", tid,
                 (unsigned)message->header.tag);
        request_refuse(&request.origin);
        return;
    }
    log_debug(LOG_MESSAGES, "%s from t%x, %zu bytes", kind->name, tid, message->length);
    if (kind->handle(&request) == REQUEST_DONE)
        return;
    complain(&request.daemon->complaints, tid, "a %s of %zu bytes from t%x makes no sense: dropped",
             kind->name, message->length, tid);
    request_refuse(&request.origin);
}

void task_request_drop(struct task *task, const struct message *message)
{
    struct request_origin origin = task_request_origin(task, message);
    request_refuse(&origin);
}
