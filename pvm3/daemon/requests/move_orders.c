/* move_orders.c - a list of all orders. */
#include "daemon/requests/move_orders.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/hosts/relay.h"
#include "daemon/post/host_link.h"
#include "daemon/post/lease.h"
#include "daemon/post/router.h"
#include "daemon/requests/request_room.h"

#define TEXT_LIMIT 4096

struct move_order {
    struct list node;
    struct request_origin origin;
    uint32_t tid;
    uint32_t where;
    int32_t number; /* which the task has been told; 0: it has not */
};

static struct move_order *move_order_at(struct list *node)
{
    return LIST_OWNER(node, struct move_order, node);
}

static void move_order_reply(const struct request_origin *origin, int32_t code, const char *text)
{
    struct message *answer = request_answer_to(origin);
    control_put_int(answer, code);
    control_put_string(answer, text);
    request_reply_to(origin, answer);
}

static void move_order_end(struct move_order *order, int32_t code, const char *text)
{
    move_order_reply(&order->origin, code, text);
    list_remove(&order->node);
    free(order);
}

static void move_order_tell(struct move_order *order)
{
    struct moves *moves = &order->origin.daemon->request_room->moves;
    moves->last_order = moves->last_order < INT32_MAX ? moves->last_order + 1 : 1;
    order->number = moves->last_order;
    struct message *told = control_new(CONTROL_MOVE, CONTROL_CONTEXT_TC, 0);
    control_put_int(told, order->number);
    control_put_tid(told, order->where);
    router_send(order->origin.daemon, order->tid, told);
}

static struct move_order *move_orders_find(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.orders)
    if (move_order_at(node)->tid == tid)
        return move_order_at(node);
    return NULL;
}

void move_orders_look(struct daemon *daemon, uint32_t tid)
{
    struct move_order *order = move_orders_find(daemon, tid);
    const struct place *place = places_find(&daemon->post->places, tid);
    bool moves = place && place->to != 0;
    if (order && order->number == 0 && !moves)
        move_order_tell(order);
}

/* NULL, or why the task cannot be told to move to the host; then *error is set. */
static const char *move_order_check(const struct task *task, const struct host *host,
                                    int32_t *error)
{
    *error = PvmNotImpl;
    if (task && host && !task->leased)
        return "it is no user-level process";
    *error = PvmNoTask;
    if (!task)
        return "there is no such task";
    *error = PvmNoHost;
    if (!host)
        return "there is no such host";
    *error = PvmDenied;
    return task->flags & TASK_SERVES ? "it does a service for the virtual machine" : NULL;
}

static void move_order_add(const struct request *request, uint32_t tid, uint32_t where)
{
    struct move_order *order = malloc(sizeof *order);
    if (!order) {
        move_order_reply(&request->origin, PvmNoMem, "no memory");
        return;
    }
    *order = (struct move_order){.origin = request->origin, .tid = tid, .where = where};
    list_append(&request->daemon->request_room->moves.orders, &order->node);
    move_orders_look(request->daemon, tid);
}

/* To a host that is known to be ours: another one answers nothing. */
static void move_order_pass_on(struct request *request, const struct host *host, uint32_t tid,
                               uint32_t where)
{
    struct message *question = control_new(CONTROL_MOVE_ORDER, 0, 0);
    control_put_tid(question, tid);
    control_put_tid(question, where);
    relay(request, host, CONTROL_MOVE_ORDER, question, 0, PvmHostFail);
}

/* An order for a task of a host of which nothing is known yet. */
struct move_probe {
    struct pending pending;
    struct request_origin origin;
    uint32_t tid;
    uint32_t where;
};

static void move_probe_failed(struct pending *pending)
{
    struct move_probe *probe = LIST_OWNER(pending, struct move_probe, pending);
    move_order_reply(&probe->origin, PvmHostFail, "its host is gone");
    free(probe);
}

static void move_probe_answered(struct pending *pending, struct control_reader *body)
{
    struct move_probe *probe = LIST_OWNER(pending, struct move_probe, pending);
    struct request request = {.daemon = pending->daemon, .origin = probe->origin};
    const struct host *host = hosts_find(&pending->daemon->post->hosts, pending->part);
    (void)body;
    if (host && host->link->upgrade.known)
        move_order_pass_on(&request, host, probe->tid, probe->where);
    else
        move_order_reply(&probe->origin, PvmNotImpl, "the pvmd of its host moves no tasks");
    free(probe);
}

/* What the host answers shows whether it is ours. */
static void move_order_probe(const struct request *request, const struct host *host, uint32_t tid,
                             uint32_t where)
{
    struct move_probe *probe = malloc(sizeof *probe);
    if (!probe) {
        move_order_reply(&request->origin, PvmNoMem, "no memory");
        return;
    }
    probe->origin = request->origin;
    probe->tid = tid;
    probe->where = where;
    pending_start(&probe->pending, request->daemon, host, DM_PSTAT, move_probe_answered,
                  move_probe_failed);
    struct message *question = control_new(DM_PSTAT, 0, probe->pending.wait);
    control_put_tid(question, host->part | TID_DAEMON_BIT);
    router_send(request->daemon, host->part | TID_DAEMON_BIT, question);
}

static void move_order_here(const struct request *request, uint32_t tid, uint32_t where)
{
    const struct task *task = tasks_find_task(&request->daemon->post->tasks, tid);
    const struct host *host = hosts_find(&request->daemon->post->hosts, where);
    int32_t error;
    const char *why = move_order_check(task, host, &error);
    if (task && host && !host->link)
        move_order_reply(&request->origin, PvmOk, "");
    else if (why)
        move_order_reply(&request->origin, error, why);
    else
        move_order_add(request, tid, where);
}

enum request_result move_order_request(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body), where = control_get_tid(&request->body);
    if (request->body.failed || !tid_is_task(tid))
        return REQUEST_MALFORMED;
    lease_hear(request->daemon, tid);
    const struct host *host = request_way(request, tid);
    if (!host)
        move_order_here(request, tid, where);
    else if (host->link->upgrade.known)
        move_order_pass_on(request, host, tid, where);
    else
        move_order_probe(request, host, tid, where);
    return REQUEST_DONE;
}

enum request_result move_order_take_answer(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = request->origin.tid;
    int32_t number = control_get_int(&request->body), code = control_get_int(&request->body);
    char *text = control_get_string(&request->body, TEXT_LIMIT);
    struct move_order *order = move_orders_find(daemon, tid);
    if (text && order && order->number == number && number != 0) {
        move_order_end(order, code, text);
        move_orders_look(daemon, tid);
    }
    free(text);
    return request->body.failed ? REQUEST_MALFORMED : REQUEST_DONE;
}

/* An order of a task that has gone elsewhere meanwhile. */
static void move_order_follow(struct move_order *order)
{
    struct request request = {.daemon = order->origin.daemon, .origin = order->origin};
    const struct host *host = places_host(request.daemon, order->tid);
    if (host && host->link)
        move_order_pass_on(&request, host, order->tid, order->where);
    else
        move_order_reply(&order->origin, PvmHostFail, "its host is gone");
    list_remove(&order->node);
    free(order);
}

void move_orders_moved(struct daemon *daemon, uint32_t tid, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.orders)
    {
        struct move_order *order = move_order_at(node);
        if (order->tid == tid && tid_host_part(order->where) == part)
            move_order_end(order, PvmOk, "");
        else if (order->tid == tid)
            move_order_follow(order);
    }
}

void move_orders_task_end(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.orders)
    if (move_order_at(node)->tid == tid)
        move_order_end(move_order_at(node), PvmNoTask, "it has ended");
}
