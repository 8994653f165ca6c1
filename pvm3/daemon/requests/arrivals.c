/* arrivals.c - records without tasks. */
#include "daemon/requests/arrivals.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/lease.h"
#include "daemon/post/router.h"
#include "daemon/post/task_link.h"
#include "daemon/requests/followers.h"
#include "daemon/requests/move_record.h"
#include "daemon/requests/request_room.h"

struct arrival {
    struct list node;
    struct task *task;
    uint32_t from;
    uint32_t holder;
    bool lost; /* it will not arrive; the host that it comes from decides what becomes of it */
    char *name;
};

static struct arrival *arrival_at(struct list *node)
{
    return LIST_OWNER(node, struct arrival, node);
}

static struct arrival *arrival_find(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.arrivals)
    if (arrival_at(node)->task->tid == tid)
        return arrival_at(node);
    return NULL;
}

bool arrival_is_expected(struct daemon *daemon, uint32_t tid)
{
    return arrival_find(daemon, tid) != NULL;
}

static void arrival_free(struct arrival *arrival)
{
    list_remove(&arrival->node);
    free(arrival->name);
    free(arrival);
}

void arrival_drop(struct daemon *daemon, uint32_t tid)
{
    struct arrival *arrival = arrival_find(daemon, tid);
    if (!arrival)
        return;
    notify_forget_wanted(arrival->task);
    task_free(arrival->task);
    arrival_free(arrival);
}

void arrivals_finish(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.arrivals)
    arrival_drop(daemon, arrival_at(node)->task->tid);
}

/* Becomes the owner of the name. NULL: no memory, or a task has the tid. */
static struct arrival *arrival_new(struct daemon *daemon, const struct move_record *record,
                                   uint32_t from)
{
    struct arrival *arrival = malloc(sizeof *arrival);
    struct task *task = arrival ? task_receive(&daemon->post->tasks, record->tid) : NULL;
    if (!task) {
        free(arrival);
        return NULL;
    }
    move_record_apply(record, task);
    *arrival = (struct arrival){
        .task = task, .from = from, .holder = record->holder, .name = record->name};
    list_append(&daemon->request_room->moves.arrivals, &arrival->node);
    return arrival;
}

/* The host holds the task already, since it was asked to before. */
int32_t arrival_expect(struct daemon *daemon, uint32_t from, struct control_reader *body)
{
    struct move_record record = {0};
    bool sound = move_record_read(&record, body);
    const struct place *place = places_find(&daemon->post->places, record.tid);
    if (!sound || !place || !place->holds || place->part != from) {
        free(record.name);
        return PvmBadParam;
    }
    const struct arrival *arrival = arrival_new(daemon, &record, from);
    if (!arrival)
        free(record.name);
    else if (!notify_take_wanted(arrival->task, body))
        log_write("t%x arrives with a wrong list of notices: the list is ignored", record.tid);
    return arrival ? PvmOk : PvmNoMem;
}

enum request_result arrival_take_record(struct request *request)
{
    uint32_t from = tid_host_part(request->origin.tid);
    int32_t result = arrival_expect(request->daemon, from, &request->body);
    return result == PvmBadParam ? REQUEST_MALFORMED : request_reply_int(request, result);
}

enum request_result arrival_settle(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = control_get_tid(&request->body), from = tid_host_part(request->origin.tid);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    const struct place *place = places_find(&daemon->post->places, tid);
    bool expected = arrival_is_expected(daemon, tid) || (place && place->holds);
    bool arrived =
        !expected && (tasks_find_task(&daemon->post->tasks, tid) || (place && place->part != from));
    arrival_drop(daemon, tid);
    return request_reply_int(request, arrived ? CONTROL_ARRIVED : CONTROL_STAYS);
}

/* The task is one of the holder's connection from now on. */
static int arrival_begin(const struct arrival *arrival, const struct task *holder)
{
    struct task *task = arrival->task;
    if (task_begin(task, arrival->name) < 0)
        return -1;
    task->pid = holder->link->pid;
    task->process = holder->link->process;
    task->flags |= TASK_IS_CONNECTED;
    task->leased = true;
    task->daemon->post->tasks.leased++;
    task_link_join(holder->link, task);
    return 0;
}

static void arrival_happen(struct daemon *daemon, struct task *task, struct place *place)
{
    place->part = hosts_own(&daemon->post->hosts)->part;
    place->to = 0;
    log_debug(LOG_TASKS, "t%x has arrived, in process %ld", task->tid, (long)task->pid);
    contexts_pass(&place->contexts, &task->contexts);
    moves_tell_place(task);
    notify_task_arrives(task);
    watches_follow(daemon, task->tid);
}

enum request_result arrival_request(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    struct arrival *arrival = arrival_find(daemon, tid);
    struct place *place = places_find(&daemon->post->places, tid);
    if (!arrival || !place || !request->task->link->leased)
        return request_reply_int(request, PvmNoTask);
    if (arrival_begin(arrival, request->task) < 0)
        return request_reply_int(request, PvmNoMem);
    arrival_happen(daemon, arrival->task, place);
    arrival_free(arrival);
    request_reply_int(request, PvmOk);
    follower_release(place);
    place_tidy(place);
    return REQUEST_DONE;
}

/* Whether nobody can bring the task any more. */
static bool arrival_is_orphan(const struct arrival *arrival, const struct task_link *closed)
{
    const struct post_room *post = arrival->task->daemon->post;
    const struct task *holder = tasks_find_task(&post->tasks, arrival->holder);
    if (hosts_find(&post->hosts, arrival->from))
        return false;
    bool alone = !holder || !holder->link || holder->link == closed;
    return arrival->lost || (arrival->holder != 0 && alone);
}

/* The task is over before it is here. */
static void arrival_end(const struct arrival *arrival)
{
    struct daemon *daemon = arrival->task->daemon;
    uint32_t tid = arrival->task->tid;
    int32_t region = arrival->task->region;
    arrival_drop(daemon, tid);
    follower_tell_over(daemon, tid, region);
    follower_over(daemon, tid, region);
}

void arrivals_look(struct daemon *daemon, const struct task_link *closed)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.arrivals)
    if (arrival_is_orphan(arrival_at(node), closed))
        arrival_end(arrival_at(node));
}

/* The record may have come after the holder had given the task up. */
static void arrival_ask(const struct arrival *arrival)
{
    struct message *question = control_new(CONTROL_HOLD, CONTROL_CONTEXT_TC, 0);
    control_put_tid(question, arrival->task->tid);
    control_put_int(question, CONTROL_HOLD_COMES);
    router_send(arrival->task->daemon, arrival->holder, question);
}

void arrivals_host_end(struct daemon *daemon, uint32_t part)
{
    arrivals_look(daemon, NULL);
    LIST_FOR_EACH(node, &daemon->request_room->moves.arrivals)
    if (arrival_at(node)->from == part && arrival_at(node)->holder != 0)
        arrival_ask(arrival_at(node));
}

enum request_result arrival_request_not(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    struct arrival *arrival = arrival_find(daemon, tid);
    if (arrival)
        arrival->lost = true;
    arrivals_look(daemon, NULL);
    return REQUEST_DONE;
}
