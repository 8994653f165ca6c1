/* revivals.c - one stage after the other. */
#include "daemon/requests/revivals.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/notify.h"
#include "daemon/post/router.h"
#include "daemon/requests/arrivals.h"
#include "daemon/requests/followers.h"
#include "daemon/requests/move_record.h"
#include "daemon/requests/move_words.h"
#include "daemon/requests/region_requests.h"
#include "daemon/requests/request_room.h"

enum revival_stage {
    REVIVAL_PROBES, /* hosts show whether they are ours */
    REVIVAL_BEGINS, /* the master is to agree */
    REVIVAL_CLAIMS, /* the others are to agree */
    REVIVAL_OFFERS, /* its record is on the way */
    REVIVAL_COMES,  /* it may arrive */
    REVIVAL_SETTLES /* its host is asked whether it has arrived */
};

struct revival {
    struct list node;
    struct daemon *daemon;
    struct request_origin origin; /* who is to be answered; tid 0: nobody */
    uint32_t asker;
    enum revival_stage stage;
    uint32_t tid;
    uint32_t to;
    int32_t region;
    struct message *record;  /* for the host where it is to live */
    struct list asked;       /* hosts that have not answered */
    struct list agreed;      /* hosts that keep what goes to the task */
    bool agreed_here;        /* so does this one */
    struct pending question; /* to the host where it is to live */
    int32_t error;
};

/* A host that is asked, or that has agreed. */
struct revival_host {
    struct list node;
    struct revival *revival;
    uint32_t part;
    struct pending question;
};

static struct revival *revival_at(struct list *node)
{
    return LIST_OWNER(node, struct revival, node);
}

static struct revival_host *revival_host_at(struct list *node)
{
    return LIST_OWNER(node, struct revival_host, node);
}

static uint32_t own_part(const struct daemon *daemon)
{
    return hosts_own(&daemon->post->hosts)->part;
}

static void revival_host_free(struct revival_host *host)
{
    pending_cancel(&host->question);
    list_remove(&host->node);
    free(host);
}

static void revival_free(struct revival *revival)
{
    pending_cancel(&revival->question);
    LIST_FOR_EACH(node, &revival->asked)
    revival_host_free(revival_host_at(node));
    LIST_FOR_EACH(node, &revival->agreed)
    revival_host_free(revival_host_at(node));
    list_remove(&revival->node);
    message_free(revival->record);
    free(revival);
}

static void revival_reply(const struct revival *revival, int32_t result)
{
    if (revival->origin.tid == 0)
        return;
    struct message *answer = request_answer_to(&revival->origin);
    control_put_int(answer, result);
    request_reply_to(&revival->origin, answer);
}

/* Claims. -------------------------------------------------------------------------------------- */

/* Nobody here has begun a message to a task that was not there. */
static void revival_held(struct place *place)
{
    (void)place;
}

/* The task is to live on the host `to`, as `keeper` says. 0, or an error. */
static int32_t revival_claim(struct daemon *daemon, uint32_t tid, int32_t region, uint32_t keeper,
                             uint32_t to)
{
    struct post_room *post = daemon->post;
    if (!tid_is_task(tid) || region < 0 || region >= CONTROL_REGION_COUNT)
        return PvmBadParam;
    if (tasks_find(&post->tasks, tid) || places_find(&post->places, tid))
        return PvmAlready;
    int32_t error = region_claim(daemon, tid, region);
    struct place *place = error < 0 ? NULL : places_add(daemon, tid);
    if (!place) {
        if (error == PvmOk)
            region_over(daemon, tid, region);
        return error < 0 ? error : PvmNoMem;
    }
    place->part = place->keeper = keeper;
    place->to = to;
    place->region = region;
    place_hold(place, revival_held);
    return PvmOk;
}

enum request_result revival_take_claim(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = control_get_tid(&request->body), to = control_get_tid(&request->body);
    int32_t region = control_get_int(&request->body);
    if (!moves_take_hosts(daemon, &request->body))
        return REQUEST_MALFORMED;
    return request_reply_int(
        request,
        revival_claim(daemon, tid, region, tid_host_part(request->origin.tid), tid_host_part(to)));
}

static struct message *revival_words(const struct revival *revival, int32_t wait)
{
    struct message *message = control_new(CONTROL_TASK_CLAIM, 0, wait);
    control_put_tid(message, revival->tid);
    control_put_tid(message, revival->to);
    control_put_int(message, revival->region);
    moves_put_hosts(message, revival->daemon);
    return message;
}

/* Failing. ------------------------------------------------------------------------------------- */

/* Whether nobody has said that the task has arrived, or is over. */
static bool revival_is_open(const struct revival *revival)
{
    const struct daemon *daemon = revival->daemon;
    const struct place *place = places_find(&daemon->post->places, revival->tid);
    return revival->agreed_here && place && place->holds && place->keeper == own_part(daemon);
}

/* Those that keep what goes to the task are told that it is over. */
static void revival_fail(struct revival *revival, int32_t error)
{
    struct daemon *daemon = revival->daemon;
    uint32_t tid = revival->tid;
    int32_t region = revival->region;
    bool open = revival_is_open(revival);
    LIST_FOR_EACH(node, &revival->agreed)
    {
        const struct host *host = hosts_find(&daemon->post->hosts, revival_host_at(node)->part);
        struct message *message = control_new(CONTROL_TASK_OVER, 0, 0);
        control_put_tid(message, tid);
        control_put_int(message, region);
        if (host)
            moves_tell(daemon, host, tid, message);
        else
            message_free(message);
    }
    log_debug(LOG_TASKS, "t%x is not brought back: %d", tid, error);
    revival_reply(revival, error);
    revival_free(revival);
    if (open) {
        arrival_drop(daemon, tid);
        follower_over(daemon, tid, region);
    }
}

/* Settling. ------------------------------------------------------------------------------------ */

static void revival_settled(struct revival *revival, bool arrived)
{
    if (!arrived) {
        revival_fail(revival, PvmNoTask);
        return;
    }
    bool open = revival_is_open(revival);
    struct place *place = places_find(&revival->daemon->post->places, revival->tid);
    uint32_t to = revival->to;
    revival_reply(revival, PvmOk);
    revival_free(revival);
    if (open)
        move_word_settle(place, to);
}

static void revival_settle_answered(struct pending *pending, struct control_reader *body)
{
    int32_t result = control_get_int(body);
    revival_settled(LIST_OWNER(pending, struct revival, question),
                    !body->failed && result == CONTROL_ARRIVED);
}

static void revival_settle_failed(struct pending *pending)
{
    revival_settled(LIST_OWNER(pending, struct revival, question), false);
}

/* Has the task arrived? If not, it does not any more. */
static void revival_settle(struct revival *revival)
{
    struct daemon *daemon = revival->daemon;
    const struct host *host = hosts_find(&daemon->post->hosts, revival->to);
    revival->stage = REVIVAL_SETTLES;
    if (!host || !host->link) {
        revival_settled(revival, host && !arrival_is_expected(daemon, revival->tid));
        return;
    }
    pending_start(&revival->question, daemon, host, CONTROL_TASK_SETTLE, revival_settle_answered,
                  revival_settle_failed);
    struct message *question = control_new(CONTROL_TASK_SETTLE, 0, revival->question.wait);
    control_put_tid(question, revival->tid);
    router_send(daemon, host->part | TID_DAEMON_BIT, question);
}

static void revival_end_unless_claiming(struct revival *revival)
{
    if (revival->stage == REVIVAL_COMES)
        revival_settle(revival);
}

/* Offering. ------------------------------------------------------------------------------------ */

static void revival_offered(struct revival *revival, int32_t result)
{
    if (result != PvmOk) {
        revival_fail(revival, result);
        return;
    }
    revival->stage = REVIVAL_COMES;
    revival_reply(revival, PvmOk);
    if (revival->asker == 0)
        revival_settle(revival);
}

static void revival_offer_answered(struct pending *pending, struct control_reader *body)
{
    int32_t result = control_get_int(body);
    revival_offered(LIST_OWNER(pending, struct revival, question),
                    body->failed ? PvmSysErr : result);
}

static void revival_offer_failed(struct pending *pending)
{
    revival_offered(LIST_OWNER(pending, struct revival, question), PvmHostFail);
}

static void revival_offer(struct revival *revival)
{
    struct daemon *daemon = revival->daemon;
    const struct host *host = hosts_find(&daemon->post->hosts, revival->to);
    struct message *record = revival->record;
    struct control_reader body;
    revival->stage = REVIVAL_OFFERS;
    if (!host || (host->link && !host->link->upgrade.known)) {
        revival_fail(revival, host ? PvmNotImpl : PvmHostFail);
    } else if (!host->link) {
        control_read(&body, record);
        revival_offered(revival, arrival_expect(daemon, host->part, &body));
    } else {
        pending_start(&revival->question, daemon, host, CONTROL_TASK_RECORD, revival_offer_answered,
                      revival_offer_failed);
        record->header.wait = revival->question.wait;
        revival->record = NULL;
        router_send(daemon, host->part | TID_DAEMON_BIT, record);
    }
}

/* Asking all. ---------------------------------------------------------------------------------- */

static void revival_advance(struct revival *revival);

static void revival_host_failed(struct pending *pending)
{
    struct revival_host *host = LIST_OWNER(pending, struct revival_host, question);
    struct revival *revival = host->revival;
    revival_host_free(host);
    revival_advance(revival);
}

/* Its answer has shown whether it is ours. */
static void revival_probe_answered(struct pending *pending, struct control_reader *body)
{
    (void)body;
    revival_host_failed(pending);
}

static void revival_claim_answered(struct pending *pending, struct control_reader *body)
{
    struct revival_host *host = LIST_OWNER(pending, struct revival_host, question);
    struct revival *revival = host->revival;
    int32_t result = control_get_int(body);
    if (body->failed || result != PvmOk) {
        revival->error = body->failed ? PvmSysErr : result;
        revival_host_free(host);
    } else {
        list_remove(&host->node);
        list_append(&revival->agreed, &host->node);
    }
    revival_advance(revival);
}

static struct revival_host *revival_host_new(struct revival *revival, const struct host *host)
{
    struct revival_host *asked = calloc(1, sizeof *asked);
    if (!asked) {
        revival->error = PvmNoMem;
        return NULL;
    }
    asked->revival = revival;
    asked->part = host->part;
    list_append(&revival->asked, &asked->node);
    return asked;
}

static void revival_ask(struct revival *revival, const struct host *host)
{
    struct revival_host *asked = revival_host_new(revival, host);
    if (!asked)
        return;
    pending_start(&asked->question, revival->daemon, host, CONTROL_TASK_CLAIM,
                  revival_claim_answered, revival_host_failed);
    router_send(revival->daemon, host->part | TID_DAEMON_BIT,
                revival_words(revival, asked->question.wait));
}

/* Hosts of 3.4.6 keep nothing: what they send goes by the home of the task, which must be ours. */
static void revival_probe(struct revival *revival, const struct host *host)
{
    struct revival_host *asked = revival_host_new(revival, host);
    if (!asked)
        return;
    pending_start(&asked->question, revival->daemon, host, DM_PSTAT, revival_probe_answered,
                  revival_host_failed);
    struct message *question = control_new(DM_PSTAT, 0, asked->question.wait);
    control_put_tid(question, host->part | TID_DAEMON_BIT);
    router_send(revival->daemon, host->part | TID_DAEMON_BIT, question);
}

static void revival_probe_all(struct revival *revival)
{
    const struct host *host = NULL;
    while ((host = hosts_next_other(&revival->daemon->post->hosts, host)) != NULL)
        if (!host->link->upgrade.known)
            revival_probe(revival, host);
}

static void revival_claim_here(struct revival *revival)
{
    struct daemon *daemon = revival->daemon;
    int32_t error =
        revival_claim(daemon, revival->tid, revival->region, own_part(daemon), revival->to);
    revival->agreed_here = error == PvmOk;
    if (error < 0)
        revival->error = error;
}

static void revival_ask_master(struct revival *revival)
{
    const struct hosts *hosts = &revival->daemon->post->hosts;
    const struct host *home = hosts_find(hosts, revival->tid);
    revival->stage = REVIVAL_BEGINS;
    if (home && home->link && !home->link->upgrade.known)
        revival->error = PvmNotImpl;
    else if (hosts_is_master(hosts))
        revival_claim_here(revival);
    else if (hosts->master->link->upgrade.known)
        revival_ask(revival, hosts->master);
    else
        revival->error = PvmNotImpl;
}

static void revival_ask_others(struct revival *revival)
{
    const struct hosts *hosts = &revival->daemon->post->hosts;
    const struct host *host = NULL;
    revival->stage = REVIVAL_CLAIMS;
    if (!hosts_is_master(hosts))
        revival_claim_here(revival);
    while ((host = hosts_next_other(hosts, host)) != NULL)
        if (host != hosts->master && host->link->upgrade.known)
            revival_ask(revival, host);
}

/* The next stage begins when all have answered. */
static void revival_advance(struct revival *revival)
{
    while (list_is_empty(&revival->asked)) {
        if (revival->error < 0) {
            revival_fail(revival, revival->error);
            return;
        }
        if (revival->stage == REVIVAL_PROBES) {
            revival_ask_master(revival);
        } else if (revival->stage == REVIVAL_BEGINS) {
            revival_ask_others(revival);
        } else {
            revival_offer(revival);
            return;
        }
    }
}

/* Requests. ------------------------------------------------------------------------------------ */

/*
 * What is to be expected: the record of the request, whose holder is the asker, so that nobody brings
 * the task when this host is gone. What the task wants to be told of comes later. NULL: no sense.
 */
static struct message *revival_record(struct request *request, struct move_record *record)
{
    struct control_reader ahead = request->body;
    bool sound = move_record_read(record, &ahead);
    size_t size = control_rest(&request->body) - control_rest(&ahead);
    unsigned char *bytes = sound ? malloc(size) : NULL;
    if (!bytes)
        return NULL;
    size -= 2 * sizeof(uint32_t);
    control_get_tid(&request->body);
    control_get_tid(&request->body);
    control_get_bytes(&request->body, bytes, size);
    struct message *message = control_new(CONTROL_TASK_RECORD, 0, 0);
    control_put_tid(message, record->tid);
    control_put_tid(message, request->origin.tid);
    control_put_bytes(message, bytes, size);
    control_put_int(message, 0);
    free(bytes);
    return message;
}

static struct revival *revival_new(const struct request *request, const struct move_record *record)
{
    struct revival *revival = calloc(1, sizeof *revival);
    if (!revival)
        return NULL;
    revival->daemon = request->daemon;
    revival->origin = request->origin;
    revival->asker = request->origin.tid;
    revival->tid = record->tid;
    revival->region = record->region;
    list_start(&revival->asked);
    list_start(&revival->agreed);
    list_start(&revival->question.node);
    list_append(&request->daemon->request_room->moves.revivals, &revival->node);
    return revival;
}

enum request_result revival_request(struct request *request)
{
    const struct hosts *hosts = &request->daemon->post->hosts;
    const struct host *host = hosts_find(hosts, control_get_tid(&request->body));
    struct move_record record = {0};
    struct message *message = revival_record(request, &record);
    free(record.name);
    if (!control_is_whole(message) || !host) {
        message_free(message);
        return host ? REQUEST_MALFORMED : request_reply_int(request, PvmNoHost);
    }
    struct revival *revival = revival_new(request, &record);
    if (!revival) {
        message_free(message);
        return request_reply_int(request, PvmNoMem);
    }
    revival->to = host->part;
    revival->record = message;
    revival_probe_all(revival);
    revival_advance(revival);
    return REQUEST_DONE;
}

enum request_result revival_request_end(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    LIST_FOR_EACH(node, &request->daemon->request_room->moves.revivals)
    {
        struct revival *revival = revival_at(node);
        if (revival->tid != tid || revival->asker != request->origin.tid ||
            revival->stage != REVIVAL_COMES)
            continue;
        revival->origin = request->origin;
        revival_settle(revival);
        return REQUEST_DONE;
    }
    return request->body.failed ? REQUEST_MALFORMED : request_reply_int(request, PvmNoTask);
}

void revivals_task_end(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.revivals)
    {
        struct revival *revival = revival_at(node);
        if (revival->asker != tid)
            continue;
        revival->asker = revival->origin.tid = 0;
        revival_end_unless_claiming(revival);
    }
}

void revivals_host_end(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.revivals)
    {
        struct revival *revival = revival_at(node);
        if (revival->to == part && revival_is_open(revival)) {
            revival->origin.tid = 0;
            revival_end_unless_claiming(revival);
        }
    }
}

/* What is put away. ---------------------------------------------------------------------------- */

enum request_result revival_request_record(struct request *request)
{
    struct task as_it_will_be = *request->task;
    struct message *answer = request_answer(request);
    bool owns = !list_is_empty(&request->task->contexts);
    as_it_will_be.region = control_get_int(&request->body);
    control_put_int(answer, owns ? PvmDenied : PvmOk);
    control_put_string(answer, owns ? "it has contexts of its own" : "");
    if (!owns) {
        move_record_put(answer, &as_it_will_be, 0);
        notify_put_wanted(answer, request->task);
    }
    request_reply(request, answer);
    return REQUEST_DONE;
}

enum request_result revival_take_wishes(struct request *request)
{
    struct task *task = request->task;
    struct move_record record = {0};
    bool prints = control_get_int(&request->body) != 0;
    bool traces = control_get_int(&request->body) != 0;
    bool sound = move_record_read(&record, &request->body);
    free(record.name);
    if (!sound)
        return REQUEST_MALFORMED;
    if (!prints)
        task->output = (struct sink){0};
    if (!traces)
        task->trace = (struct sink){0};
    return notify_take_wanted(task, &request->body) ? REQUEST_DONE : REQUEST_MALFORMED;
}
