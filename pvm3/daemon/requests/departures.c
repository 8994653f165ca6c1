/* departures.c - one stage after the other. */
#include "daemon/requests/departures.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/assemble.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/router.h"
#include "daemon/post/task_link.h"
#include "daemon/post/tree_origin.h"
#include "daemon/requests/followers.h"
#include "daemon/requests/move_orders.h"
#include "daemon/requests/move_record.h"
#include "daemon/requests/request_room.h"
#include "daemon/tasks/route_sockets.h"

enum departure_stage {
    DEPARTURE_WAITS,   /* for other moves */
    DEPARTURE_HOLDS,   /* others are to hold the task */
    DEPARTURE_CLOSES,  /* tasks here finish their messages to it */
    DEPARTURE_OFFERED, /* its record is on the way */
    DEPARTURE_GONE,    /* it has been let go */
    DEPARTURE_SETTLES, /* the other host is asked whether it has arrived */
};

struct departure {
    struct list node;
    struct daemon *daemon;
    struct task *task;
    enum departure_stage stage;
    struct request_origin leave;
    uint32_t to;
    uint32_t holder;
    int32_t region;
    struct list hosts;       /* those that have not answered */
    struct message *wanted;  /* what the task wants to be told of; NULL: its record has it */
    struct pending question; /* to the other host */
    struct request_origin stay;
    bool lost; /* its process is gone */
};

/* A host that has not answered yet. */
struct departure_host {
    struct list node;
    struct departure *departure;
    uint32_t part;
    struct pending probe; /* for a host that is not known to be ours */
};

static struct departure *departure_at(struct list *node)
{
    return LIST_OWNER(node, struct departure, node);
}

static struct departure *departure_find(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.departures)
    if (departure_at(node)->task->tid == tid)
        return departure_at(node);
    return NULL;
}

bool departure_may_be_over(struct daemon *daemon, uint32_t tid, uint32_t part)
{
    const struct departure *departure = departure_find(daemon, tid);
    return departure && departure->stage >= DEPARTURE_OFFERED && departure->to == part;
}

static void departure_host_free(struct departure_host *host)
{
    pending_cancel(&host->probe);
    list_remove(&host->node);
    free(host);
}

static void departure_free(struct departure *departure)
{
    pending_cancel(&departure->question);
    LIST_FOR_EACH(node, &departure->hosts)
    departure_host_free(LIST_OWNER(node, struct departure_host, node));
    list_remove(&departure->node);
    message_free(departure->wanted);
    free(departure);
}

/* Past everything that is kept for the task. */
static void departure_answer(const struct departure *departure, const struct request_origin *origin,
                             int32_t result)
{
    struct message *answer = request_answer_to(origin);
    control_put_int(answer, result);
    router_answer(departure->task, answer);
}

static struct place *departure_place(const struct departure *departure)
{
    return places_find(&departure->daemon->post->places, departure->task->tid);
}

/* The task lives on here, and the departure is over. */
static void departure_take_back(struct departure *departure)
{
    struct daemon *daemon = departure->daemon;
    struct task *task = departure->task;
    struct place *place = departure_place(departure);
    int32_t number = place->signal;
    struct control_reader body;
    place->to = 0;
    place->signal = 0;
    region_stay(task);
    moves_tell_place(task);
    follower_release(place);
    if (departure->wanted) {
        control_read(&body, departure->wanted);
        notify_take_wanted(task, &body);
    }
    departure_free(departure);
    place_tidy(place);
    move_orders_look(daemon, task->tid);
    if (number)
        daemon->request_room->moves.acts->signal(task, number);
}

/* Before the task was let go. */
static void departure_refuse(struct departure *departure, int32_t error)
{
    struct daemon *daemon = departure->daemon;
    struct task *lost = departure->lost ? departure->task : NULL;
    log_debug(LOG_TASKS, "t%x does not leave: %d", departure->task->tid, error);
    departure_answer(departure, &departure->leave, error);
    if (departure->stage == DEPARTURE_WAITS)
        departure_free(departure);
    else
        departure_take_back(departure);
    if (lost)
        daemon->request_room->moves.acts->over(lost);
}

static void departure_settled(struct departure *departure, bool arrived)
{
    struct daemon *daemon = departure->daemon;
    struct task *task = departure->task;
    if (arrived) {
        departure_place(departure)->part = departure->to;
        departure_moved(daemon, task->tid);
    } else if (departure->lost) {
        departure_free(departure);
        daemon->request_room->moves.acts->over(task);
    } else {
        departure_answer(departure, &departure->stay, CONTROL_STAYS);
        departure_take_back(departure);
    }
}

static void departure_settle_answered(struct pending *pending, struct control_reader *body)
{
    int32_t result = control_get_int(body);
    departure_settled(LIST_OWNER(pending, struct departure, question),
                      !body->failed && result == CONTROL_ARRIVED);
}

static void departure_settle_failed(struct pending *pending)
{
    departure_settled(LIST_OWNER(pending, struct departure, question), false);
}

/* Has the task arrived? If not, it does not any more. */
static void departure_settle(struct departure *departure)
{
    struct daemon *daemon = departure->daemon;
    const struct host *host = hosts_find(&daemon->post->hosts, departure->to);
    departure->stage = DEPARTURE_SETTLES;
    if (!host) {
        departure_settled(departure, false);
        return;
    }
    pending_start(&departure->question, daemon, host, CONTROL_TASK_SETTLE,
                  departure_settle_answered, departure_settle_failed);
    struct message *question = control_new(CONTROL_TASK_SETTLE, 0, departure->question.wait);
    control_put_tid(question, departure->task->tid);
    router_send(daemon, host->part | TID_DAEMON_BIT, question);
}

static void departure_offer_answered(struct pending *pending, struct control_reader *body)
{
    struct departure *departure = LIST_OWNER(pending, struct departure, question);
    int32_t result = control_get_int(body);
    if (body->failed || result != PvmOk) {
        departure_refuse(departure, body->failed ? PvmSysErr : result);
        return;
    }
    departure->stage = DEPARTURE_GONE;
    departure_answer(departure, &departure->leave, PvmOk);
    if (departure->lost)
        departure_settle(departure);
}

static void departure_offer_failed(struct pending *pending)
{
    departure_refuse(LIST_OWNER(pending, struct departure, question), PvmHostFail);
}

/* What the task waits for is waited for by the other host alone from now on. */
static void departure_offer(struct departure *departure, const struct host *host)
{
    struct task *task = departure->task;
    departure->stage = DEPARTURE_OFFERED;
    departure->wanted = control_new(CONTROL_TASK_RECORD, 0, 0);
    notify_put_wanted(departure->wanted, task);
    pending_start(&departure->question, departure->daemon, host, CONTROL_TASK_RECORD,
                  departure_offer_answered, departure_offer_failed);
    struct message *record = control_new(CONTROL_TASK_RECORD, 0, departure->question.wait);
    move_record_put(record, task, departure->holder);
    notify_put_wanted(record, task);
    if (!control_is_whole(departure->wanted) || !control_is_whole(record)) {
        message_free(record);
        message_free(departure->wanted);
        departure->wanted = NULL;
        departure_refuse(departure, PvmNoMem);
        return;
    }
    notify_forget_wanted(task);
    region_depart(task);
    router_send(departure->daemon, host->part | TID_DAEMON_BIT, record);
}

static void departure_closed(struct place *place)
{
    struct departure *departure = departure_find(place->daemon, place->tid);
    const struct host *host = hosts_find(&place->daemon->post->hosts, departure->to);
    if (!host)
        departure_refuse(departure, PvmHostFail);
    else if (!host->link->upgrade.known)
        departure_refuse(departure, PvmNotImpl);
    else if (departure->task->killed_by)
        departure_refuse(departure, PvmDenied);
    else
        departure_offer(departure, host);
}

/* All have answered: nothing more comes from other hosts. */
static void departure_check(struct departure *departure)
{
    if (departure->stage != DEPARTURE_HOLDS || !list_is_empty(&departure->hosts))
        return;
    departure->stage = DEPARTURE_CLOSES;
    place_hold(departure_place(departure), departure_closed);
}

static void departure_probe_failed(struct pending *pending)
{
    struct departure_host *host = LIST_OWNER(pending, struct departure_host, probe);
    struct departure *departure = host->departure;
    departure_host_free(host);
    departure_check(departure);
}

static struct message *departure_hold(const struct departure *departure)
{
    struct message *message = control_new(CONTROL_TASK_HOLD, 0, 0);
    control_put_tid(message, departure->task->tid);
    control_put_tid(message, departure->to);
    control_put_int(message, departure->region);
    moves_put_hosts(message, departure->daemon);
    return message;
}

static void departure_probe_answered(struct pending *pending, struct control_reader *body)
{
    struct departure_host *asked = LIST_OWNER(pending, struct departure_host, probe);
    const struct host *host = hosts_find(&pending->daemon->post->hosts, asked->part);
    (void)body;
    if (host && host->link->upgrade.known)
        moves_tell(pending->daemon, host, asked->departure->task->tid,
                   departure_hold(asked->departure));
    else
        departure_probe_failed(pending);
}

/*
 * A host that this one has never heard of is perhaps ours: its answer shows it. One that does not
 * hold tasks answers behind what the task has sent to it.
 */
static struct message *departure_probe(struct departure_host *asked, const struct host *host)
{
    pending_start(&asked->probe, asked->departure->daemon, host, DM_PSTAT, departure_probe_answered,
                  departure_probe_failed);
    struct message *question = control_new(DM_PSTAT, 0, asked->probe.wait);
    control_put_tid(question, host->part | TID_DAEMON_BIT);
    return question;
}

static void departure_ask(struct departure *departure, const struct host *host)
{
    struct departure_host *asked = calloc(1, sizeof *asked);
    if (!asked) {
        log_write("no memory to ask the host %s to hold t%x", host->name, departure->task->tid);
        return;
    }
    asked->departure = departure;
    asked->part = host->part;
    list_start(&asked->probe.node);
    list_append(&departure->hosts, &asked->node);
    moves_tell(departure->daemon, host, departure->task->tid,
               host->link->upgrade.known ? departure_hold(departure)
                                         : departure_probe(asked, host));
}

static void departure_begin(struct departure *departure)
{
    struct daemon *daemon = departure->daemon;
    struct task *task = departure->task;
    const struct host *host = NULL;
    struct place *place = places_add(daemon, task->tid);
    if (!place) {
        departure_refuse(departure, PvmNoMem);
        return;
    }
    place->part = hosts_own(&daemon->post->hosts)->part;
    place->to = departure->to;
    place->region = departure->region;
    task->travelled = true;
    task->region = departure->region;
    departure->stage = DEPARTURE_HOLDS;
    log_debug(LOG_TASKS, "t%x leaves for the host t%x", task->tid, departure->to);
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        departure_ask(departure, host);
    departure_check(departure);
}

void departures_look(struct daemon *daemon)
{
    const struct places *places = &daemon->post->places;
    LIST_FOR_EACH(node, &daemon->request_room->moves.departures)
    {
        struct departure *departure = departure_at(node);
        const struct place *place = places_find(places, departure->task->tid);
        if (departure->stage == DEPARTURE_WAITS && !(place && place->holds) &&
            !places_keep_from(places, departure->task->tid) &&
            !tree_origins_has(daemon, departure->task->tid))
            departure_begin(departure);
    }
}

/* 0, or why the task cannot leave for the host. */
static int32_t departure_check_request(const struct task *task, const struct host *host)
{
    if (!task->leased)
        return PvmNotImpl;
    if (!host)
        return PvmNoHost;
    if (!host->link)
        return PvmBadParam;
    if ((task->flags & TASK_SERVES) || task->killed_by)
        return PvmDenied;
    return departure_find(task->daemon, task->tid) ? PvmAlready : PvmOk;
}

enum request_result departure_request(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t where = control_get_tid(&request->body);
    int32_t region = control_get_int(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    const struct host *host = hosts_find(&daemon->post->hosts, where);
    int32_t error = departure_check_request(request->task, host);
    struct departure *departure = error ? NULL : calloc(1, sizeof *departure);
    if (!departure)
        return request_reply_int(request, error ? error : PvmNoMem);
    departure->daemon = daemon;
    departure->task = request->task;
    departure->leave = request->origin;
    departure->to = host->part;
    departure->holder = tid_is_task(where) ? where : 0;
    departure->region = region;
    list_start(&departure->hosts);
    list_start(&departure->question.node);
    list_append(&daemon->request_room->moves.departures, &departure->node);
    departures_look(daemon);
    return REQUEST_DONE;
}

enum request_result departure_request_stay(struct request *request)
{
    struct departure *departure = departure_find(request->daemon, request->origin.tid);
    if (!departure || departure->stage != DEPARTURE_GONE)
        return REQUEST_MALFORMED;
    departure->stay = request->origin;
    departure_settle(departure);
    return REQUEST_DONE;
}

static void departure_take_host(struct departure *departure, uint32_t part)
{
    LIST_FOR_EACH(node, &departure->hosts)
    {
        struct departure_host *host = LIST_OWNER(node, struct departure_host, node);
        if (host->part == part)
            departure_host_free(host);
    }
    departure_check(departure);
}

enum request_result departure_take_held(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = control_get_tid(&request->body), part = tid_host_part(request->origin.tid);
    int32_t copies = control_get_int(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    struct departure *departure = departure_find(daemon, tid);
    if (moves_count(daemon, part, CONTROL_TASK_HELD, tid, copies) && departure)
        departure_take_host(departure, part);
    return REQUEST_DONE;
}

static bool departure_is_stay(const struct received_frame *received, struct message_header *header)
{
    const struct frame *frame = &received->frame;
    if (frame->flags != (FRAME_FIRST | FRAME_LAST) || frame->length < FRAME_MESSAGE_HEADER_SIZE)
        return false;
    frame_decode_message(header, frame->source, received->body);
    return header->tag == CONTROL_STAY;
}

void departure_take_late(struct task_link *link, const struct received_frame *received)
{
    struct message_header header;
    if (!departure_is_stay(received, &header))
        return;
    struct message *answer = control_new(CONTROL_STAY, header.context, header.wait);
    control_put_int(answer, CONTROL_ARRIVED);
    if (control_is_whole(answer))
        task_link_send(link, answer, received->frame.source, TID_OWN_DAEMON);
    message_free(answer);
}

/* The record goes without an end. */
static void departure_drop_task(struct task *task, struct place *place)
{
    router_end_task(task);
    notify_task_departs(task);
    contexts_pass(&task->contexts, &place->contexts);
    route_sockets_task_end(task);
    task_link_leave(task);
    task_free(task);
}

/* A signal that came meanwhile follows the task. */
static void departure_pass_signal(struct place *place)
{
    if (place->signal == 0)
        return;
    struct message *order = control_new(DM_SENDSIG, 0, 0);
    control_put_tid(order, place->tid);
    control_put_int(order, place->signal);
    router_send(place->daemon, place->part | TID_DAEMON_BIT, order);
    place->signal = 0;
}

void departure_moved(struct daemon *daemon, uint32_t tid)
{
    struct departure *departure = departure_find(daemon, tid);
    if (!departure)
        return;
    struct place *place = departure_place(departure);
    struct task *task = departure->task;
    place->to = 0;
    if (departure->stage == DEPARTURE_SETTLES && !departure->lost)
        departure_answer(departure, &departure->stay, CONTROL_ARRIVED);
    departure_free(departure);
    departure_drop_task(task, place);
    departure_pass_signal(place);
    move_orders_moved(daemon, tid, place->part);
    watches_follow(daemon, tid);
    follower_release(place);
    place_tidy(place);
}

bool departure_lose(struct task *task)
{
    struct departure *departure = departure_find(task->daemon, task->tid);
    if (!departure || departure->stage < DEPARTURE_OFFERED)
        return false;
    departure->lost = true;
    if (departure->stage == DEPARTURE_GONE)
        departure_settle(departure);
    return true;
}

void departure_cancel(const struct task *task)
{
    struct departure *departure = departure_find(task->daemon, task->tid);
    if (departure)
        departure_free(departure);
}

void departures_host_end(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.departures)
    departure_take_host(departure_at(node), part);
}
