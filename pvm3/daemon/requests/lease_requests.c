/* lease_requests.c - leases, births and deaths. */
#include "daemon/requests/lease_requests.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/hosts.h"
#include "daemon/post/lease.h"
#include "daemon/post/post_room.h"
#include "daemon/post/task_link.h"
#include "daemon/requests/lifetime.h"
#include "daemon/requests/request_room.h"
#include "daemon/tasks/output.h"
#include "daemon/tasks/trace.h"

#define NAME_LIMIT 1024

/* Bytes of a birth whose task has an empty name. */
#define BIRTH_LEAST 40

/* What is said of a new task. */
struct birth {
    uint32_t tid;
    int32_t parent;
    char *name;
    struct sink output;
    struct sink trace;
};

enum request_result lease_request(struct request *request)
{
    uint32_t tids[CONTROL_LEASE_MOST];
    int32_t needed = control_get_int(&request->body), wished = control_get_int(&request->body);
    bool sound = 0 <= needed && needed <= wished && wished <= CONTROL_LEASE_MOST;
    if (request->body.failed || !sound)
        return REQUEST_MALFORMED;
    int32_t count = lease_extend(request->task->link, needed, wished, tids);
    struct message *answer = request_answer(request);
    control_put_int(answer, count);
    for (int32_t i = 0; i < count; i++)
        control_put_tid(answer, tids[i]);
    request_reply(request, answer);
    log_debug(LOG_TASKS, "t%x asked for %d tids and got %d", request->task->tid, needed, count);
    return REQUEST_DONE;
}

static void birth_read_sink(struct sink *sink, struct control_reader *body)
{
    sink->tid = control_get_tid(body);
    sink->context = control_get_int(body);
    sink->tag = control_get_int(body);
}

/* The name becomes the caller's (free). */
static void birth_read(struct birth *birth, struct control_reader *body)
{
    birth->tid = control_get_tid(body);
    birth->parent = control_get_int(body);
    birth->name = control_get_string(body, NAME_LIMIT);
    birth_read_sink(&birth->output, body);
    birth_read_sink(&birth->trace, body);
}

/*
 * A process may hold tasks for others, which are perhaps tasks of another host, where they are not
 * looked for. What the process says of its tasks is believed, as is where their output goes.
 */
static int32_t birth_parent(const struct birth *birth, const struct daemon *daemon)
{
    const uint32_t parent = (uint32_t)birth->parent;
    const struct host *host = places_host(daemon, parent);
    bool known = host && (host->link || tasks_find_task(&daemon->post->tasks, parent));
    return (tid_is_task(parent) && known) || birth->parent == PvmParentNotSet ? birth->parent : 0;
}

/* Others see what they see of a task that enrols and then sets its sinks. */
static void birth_happen(const struct birth *birth, struct task *task)
{
    task->pid = task->link->pid;
    task->process = task->link->process;
    task->beside = true;
    task->flags |= TASK_IS_CONNECTED;
    task->parent = birth_parent(birth, task->daemon);
    log_debug(LOG_TASKS, "t%x is of process %ld", task->tid, (long)task->pid);
    services_adopt(task);
    services_tell_stranger(task);
    if (birth->output.tid != 0)
        output_redirect(task, &birth->output);
    if (birth->trace.tid != 0)
        trace_redirect(task, &birth->trace);
}

static void birth_take(const struct birth *birth, const struct task *sibling)
{
    struct task *task = lease_find(sibling->link, birth->tid, true);
    if (!task)
        complain(&sibling->daemon->complaints, sibling->tid,
                 "t%x tells of the birth of t%x, which is no free tid of its lease: ignored",
                 sibling->tid, birth->tid);
    else if (task_begin(task, birth->name) < 0)
        log_write("no memory for the new task t%x: it is not there", task->tid);
    else
        birth_happen(birth, task);
}

static bool births_make_sense(struct control_reader body, int32_t count)
{
    for (int32_t i = 0; i < count && !body.failed; i++) {
        struct birth birth;
        birth_read(&birth, &body);
        free(birth.name);
    }
    return !body.failed;
}

enum request_result lease_take_births(struct request *request)
{
    int32_t count = control_get_count(&request->body, BIRTH_LEAST);
    if (!request->task->link->leased || !births_make_sense(request->body, count))
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++) {
        struct birth birth;
        birth_read(&birth, &request->body);
        birth_take(&birth, request->task);
        free(birth.name);
    }
    return REQUEST_DONE;
}

enum request_result lease_take_deaths(struct request *request)
{
    struct daemon *daemon = request->daemon;
    const struct task_link *link = request->task->link;
    int32_t count = control_get_count(&request->body, sizeof(uint32_t));
    if (!link->leased || request->body.failed)
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++) {
        uint32_t tid = control_get_tid(&request->body);
        struct task *task = lease_find(link, tid, false);
        if (task)
            task_end_alone(task);
        else
            complain(&daemon->complaints, request->origin.tid,
                     "t%x tells of the death of t%x, which is no task of its lease: ignored",
                     request->origin.tid, tid);
    }
    return REQUEST_DONE;
}
