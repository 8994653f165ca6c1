/* move_words.c - places that others tell of. */
#include "daemon/requests/move_words.h"

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/router.h"
#include "daemon/requests/arrivals.h"
#include "daemon/requests/departures.h"
#include "daemon/requests/followers.h"
#include "daemon/requests/request_room.h"

/* Behind all that this host has sent to the task. */
static void move_word_held(struct place *place)
{
    const struct host *host = hosts_find(&place->daemon->post->hosts, place->keeper);
    follower_begin_flush(place);
    if (!host || !host->link)
        return;
    struct message *answer = control_new(CONTROL_TASK_HELD, 0, 0);
    control_put_tid(answer, place->tid);
    host_link_send_behind(host->link, answer, place->tid);
}

/* A host says nothing of tasks that live here. */
static bool move_word_may_be_said(const struct request *request, uint32_t tid)
{
    return !request->body.failed && tid_is_task(tid) &&
           !tasks_find_task(&request->daemon->post->tasks, tid);
}

enum request_result move_word_hold(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = control_get_tid(&request->body), to = control_get_tid(&request->body);
    int32_t region = control_get_int(&request->body);
    bool here = tid_host_part(to) == hosts_own(&daemon->post->hosts)->part;
    if (!move_word_may_be_said(request, tid) || (here && !moves_take_hosts(daemon, &request->body)))
        return REQUEST_MALFORMED;
    struct place *place = places_add(daemon, tid);
    if (!place) {
        log_write("no memory to hold t%x, which moves", tid);
        return REQUEST_DONE;
    }
    const struct host *way = places_host(daemon, tid);
    place->keeper = tid_host_part(request->origin.tid);
    if (!way || !way->link)
        place->part = place->keeper;
    place->to = tid_host_part(to);
    place->region = region;
    place_hold(place, move_word_held);
    return REQUEST_DONE;
}

/* A pvmd has nothing underway to the task if it was asked to hold it by the host on its way. */
void move_word_settle(struct place *place, uint32_t part)
{
    const struct host *way = hosts_find(&place->daemon->post->hosts, place->part);
    bool held = place->holds && place->keeper == place->part;
    place->keeper = 0;
    follower_forget_fate(place->daemon, place->tid);
    if (!held && place->part != part && way && way->link) {
        follower_flush(place, part);
        return;
    }
    place->part = part;
    place->to = 0;
    watches_follow(place->daemon, place->tid);
    follower_release(place);
    place_tidy(place);
}

/* This host is new, and nothing has been sent to the task. Whoever has spoken before knows more. */
static void move_word_introduced(struct daemon *daemon, uint32_t tid, uint32_t part, int32_t region)
{
    struct place *place = places_find(&daemon->post->places, tid);
    if (place || tasks_find_task(&daemon->post->tasks, tid))
        return;
    place = places_add(daemon, tid);
    if (!place) {
        log_write("no memory for the place of t%x: it is unknown here", tid);
        return;
    }
    place->part = part;
    place->region = region;
    watches_follow(daemon, tid);
}

/* Whether the master tells of another host than itself. */
static bool move_word_is_introduction(const struct request *request, uint32_t tid, uint32_t part)
{
    uint32_t from = tid_host_part(request->origin.tid);
    return !request->body.failed && tid_is_task(tid) && from != part &&
           from == request->daemon->post->hosts.master->part;
}

enum request_result move_word_moved(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t tid = control_get_tid(&request->body), part = control_get_tid(&request->body);
    int32_t region = control_get_int(&request->body);
    bool departs = departure_may_be_over(daemon, tid, part);
    if (move_word_is_introduction(request, tid, part)) {
        move_word_introduced(daemon, tid, part, region);
        return REQUEST_DONE;
    }
    if ((!departs && !move_word_may_be_said(request, tid)) ||
        part != tid_host_part(request->origin.tid))
        return REQUEST_MALFORMED;
    struct place *place = places_add(daemon, tid);
    if (!place) {
        log_write("no memory for the place of t%x: it is unknown here", tid);
        return REQUEST_DONE;
    }
    place->region = region;
    if (departs) {
        place->part = part;
        departure_moved(daemon, tid);
    } else {
        arrival_drop(daemon, tid);
        move_word_settle(place, part);
    }
    return REQUEST_DONE;
}

enum request_result move_word_over(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body);
    int32_t region = control_get_int(&request->body);
    if (!move_word_may_be_said(request, tid))
        return REQUEST_MALFORMED;
    arrival_drop(request->daemon, tid);
    follower_over(request->daemon, tid, region);
    return REQUEST_DONE;
}

/*
 * Whether the task cannot live any more. Of a task on its way, one of the two hosts decides: the one
 * that it leaves if that is there, otherwise the other one.
 */
static bool move_word_is_over(const struct place *place)
{
    const struct hosts *hosts = &place->daemon->post->hosts;
    const struct host *to = place->to ? hosts_find(hosts, place->to) : NULL;
    if (hosts_find(hosts, place->part))
        return false;
    return !to || (!to->link && !arrival_is_expected(place->daemon, place->tid));
}

/* Whether the host that it leaves is gone, and neither this one nor that one decides. */
static bool move_word_is_undecided(const struct place *place)
{
    const struct hosts *hosts = &place->daemon->post->hosts;
    const struct host *to = place->to ? hosts_find(hosts, place->to) : NULL;
    return to && to->link && place->next == 0 && !hosts_find(hosts, place->part);
}

static const struct place *move_words_find_over(const struct daemon *daemon)
{
    const struct place *place = NULL;
    while ((place = places_next(&daemon->post->places, place)) != NULL)
        if (move_word_is_over(place))
            return place;
    return NULL;
}

void move_words_host_end(struct daemon *daemon, uint32_t part)
{
    const struct place *place;
    moves_forget_copies(daemon, part);
    region_host_end(daemon, part);
    departures_host_end(daemon, part);
    arrivals_host_end(daemon, part);
    while ((place = move_words_find_over(daemon)) != NULL) {
        uint32_t tid = place->tid;
        int32_t region = place->region;
        arrival_drop(daemon, tid);
        if (place->to == hosts_own(&daemon->post->hosts)->part)
            follower_tell_over(daemon, tid, region);
        follower_over(daemon, tid, region);
    }
    for (struct place *left = NULL; (left = places_next(&daemon->post->places, left)) != NULL;)
        if (move_word_is_undecided(left))
            follower_await_fate(left);
}
