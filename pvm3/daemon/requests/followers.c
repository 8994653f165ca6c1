/* followers.c - releasing, flushing, forgetting. */
#include "daemon/requests/followers.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/router.h"
#include "daemon/requests/request_room.h"

/* A question whether the way to a task is empty, of this host or passed on for another one. */
struct flush {
    struct list node;
    struct pending pending;
    struct request_origin origin; /* daemon NULL: of this host */
    uint32_t tid;
};

static void flush_free(struct flush *flush)
{
    list_remove(&flush->node);
    free(flush);
}

static void flush_answer(const struct request_origin *origin)
{
    request_reply_to(origin, request_answer_to(origin));
}

/* The way of this host is empty. */
static void follower_end_flush(struct daemon *daemon, uint32_t tid)
{
    struct place *place = places_find(&daemon->post->places, tid);
    if (!place || place->flushes == 0)
        return;
    if (--place->flushes > 0 || place->to != 0)
        return;
    follower_release(place);
    place_tidy(place);
}

static void flush_failed(struct pending *pending)
{
    struct flush *flush = LIST_OWNER(pending, struct flush, pending);
    struct daemon *daemon = pending->daemon;
    const struct flush done = *flush;
    flush_free(flush);
    if (done.origin.daemon)
        flush_answer(&done.origin);
    else
        follower_end_flush(daemon, done.tid);
}

static void flush_answered(struct pending *pending, struct control_reader *body)
{
    (void)body;
    flush_failed(pending);
}

static void flush_ask(struct daemon *daemon, struct flush *flush, const struct host *host)
{
    pending_start(&flush->pending, daemon, host, CONTROL_TASK_FLUSH, flush_answered, flush_failed);
    struct message *question = control_new(CONTROL_TASK_FLUSH, 0, flush->pending.wait);
    control_put_tid(question, flush->tid);
    host_link_send_behind(host->link, question, flush->tid);
}

/* Waits while the task moves, asks the next host on the way, or answers. */
static void flush_serve(struct flush *flush)
{
    struct daemon *daemon = flush->origin.daemon;
    const struct place *place = places_find(&daemon->post->places, flush->tid);
    const struct host *host = place ? hosts_find(&daemon->post->hosts, place->part) : NULL;
    list_remove(&flush->node);
    if (place && place->holds) {
        list_append(&daemon->request_room->moves.flushes, &flush->node);
    } else if (host && host->link && host->link->upgrade.known) {
        flush_ask(daemon, flush, host);
    } else {
        flush_answer(&flush->origin);
        flush_free(flush);
    }
}

static struct flush *flush_new(uint32_t tid)
{
    struct flush *flush = calloc(1, sizeof *flush);
    if (!flush)
        return NULL;
    flush->tid = tid;
    list_start(&flush->node);
    list_start(&flush->pending.node);
    return flush;
}

enum request_result follower_take_flush(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = control_get_tid(&request->body), part = tid_host_part(request->origin.tid);
    int32_t copies = control_get_int(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (!moves_count(daemon, part, CONTROL_TASK_FLUSH, tid, copies))
        return REQUEST_DONE;
    struct flush *flush = flush_new(tid);
    if (!flush) {
        flush_answer(&request->origin);
        return REQUEST_DONE;
    }
    flush->origin = request->origin;
    flush_serve(flush);
    return REQUEST_DONE;
}

static void follower_serve_flushes(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.flushes)
    if (LIST_OWNER(node, struct flush, node)->tid == tid)
        flush_serve(LIST_OWNER(node, struct flush, node));
}

/* Of a task that has left a host that is gone, until it is known to live on the other one. */
struct fate {
    struct list node;
    struct watch end;
};

static struct fate *fate_at(struct list *node)
{
    return LIST_OWNER(node, struct fate, node);
}

static void fate_free(struct fate *fate)
{
    watch_stop(&fate->end);
    list_remove(&fate->node);
    free(fate);
}

void follower_forget_fate(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.fates)
    if (fate_at(node)->end.tid == tid)
        fate_free(fate_at(node));
}

void followers_finish(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.flushes)
    flush_free(LIST_OWNER(node, struct flush, node));
    LIST_FOR_EACH(node, &daemon->request_room->moves.fates)
    fate_free(fate_at(node));
}

void follower_release(struct place *place)
{
    struct daemon *daemon = place->daemon;
    if (place->flushes > 0)
        return;
    router_release(place);
    follower_serve_flushes(daemon, place->tid);
    loop_defer(&daemon->loop, &daemon->request_room->moves.look);
}

void follower_begin_flush(struct place *place)
{
    const struct host *former = hosts_find(&place->daemon->post->hosts, place->part);
    if (place->next == 0)
        return;
    struct flush *flush = flush_new(place->tid);
    place->part = place->next;
    place->next = 0;
    watches_follow(place->daemon, place->tid);
    if (flush && former && former->link && former->link->upgrade.known) {
        flush_ask(place->daemon, flush, former);
        return;
    }
    free(flush);
    follower_end_flush(place->daemon, place->tid);
}

/* Tasks of this host have ended their messages: the rest goes the new way. */
static void follower_flush_held(struct place *place)
{
    place->to = 0;
    if (hosts_find(&place->daemon->post->hosts, place->next))
        follower_begin_flush(place);
    else
        follower_over(place->daemon, place->tid, place->region);
}

void follower_flush(struct place *place, uint32_t to)
{
    place->flushes += place->next == 0;
    place->to = place->next = to;
    place_hold(place, follower_flush_held);
}

void follower_tell_over(struct daemon *daemon, uint32_t tid, int32_t region)
{
    struct message *message = control_new(CONTROL_TASK_OVER, 0, 0);
    control_put_tid(message, tid);
    control_put_int(message, region);
    moves_tell_all(daemon, tid, message);
}

void follower_over(struct daemon *daemon, uint32_t tid, int32_t region)
{
    struct place *place = places_find(&daemon->post->places, tid);
    if (place) {
        contexts_end(&daemon->request_room->contexts, &place->contexts);
        place_drop(place);
    }
    follower_forget_fate(daemon, tid);
    watches_end_task(daemon, tid);
    region_over(daemon, tid, region);
    follower_serve_flushes(daemon, tid);
    loop_defer(&daemon->loop, &daemon->request_room->moves.look);
}

static void fate_ended(struct watch *end)
{
    struct daemon *daemon = end->daemon;
    const struct place *place = places_find(&daemon->post->places, end->tid);
    follower_over(daemon, end->tid, place ? place->region : -1);
}

void follower_await_fate(struct place *place)
{
    struct daemon *daemon = place->daemon;
    struct fate *fate = malloc(sizeof *fate);
    place->part = place->to;
    if (!fate) {
        log_write("no memory to ask for the fate of t%x", place->tid);
        return;
    }
    list_append(&daemon->request_room->moves.fates, &fate->node);
    watch_start(&fate->end, daemon, place->tid, fate_ended);
}
