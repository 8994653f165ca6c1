/* deputies.c - choosing, copying, and answers that wait. */
#include "daemon/members/deputies.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/members/member_room.h"
#include "daemon/post/host_link.h"
#include "daemon/post/router.h"

/* An answer, and for each deputy the change that it is to have first. */
struct held_answer {
    struct list node;
    struct request_origin origin;
    struct message *answer;
    struct {
        uint32_t part; /* 0: none */
        uint32_t number;
    } awaited[DEPUTIES];
};

static struct held_answer *held_answer_at(struct list *node)
{
    return LIST_OWNER(node, struct held_answer, node);
}

void deputies_start(struct deputies *deputies)
{
    list_start(&deputies->held);
}

void deputies_finish(struct deputies *deputies)
{
    LIST_FOR_EACH(node, &deputies->held)
    {
        list_remove(node);
        message_free(held_answer_at(node)->answer);
        free(held_answer_at(node));
    }
}

static bool deputies_is_ours(const struct host *host)
{
    return host->key.seal.there || host->link->upgrade.known;
}

bool deputies_trust(const struct daemon *daemon, const struct host *host)
{
    return host && host->link && hosts_may_rule(&daemon->post->hosts, &host->key);
}

/* The first other host that is a member for all, or the one behind `host`; NULL behind the last. */
static struct host *deputies_next_member(const struct daemon *daemon, const struct host *host)
{
    struct host *next = (struct host *)(uintptr_t)host;
    do
        next = hosts_next_other(&daemon->post->hosts, next);
    while (next && (next->pending || next->table_new));
    return next;
}

static struct host *deputies_next(const struct daemon *daemon, const struct host *host)
{
    struct host *next = (struct host *)(uintptr_t)host;
    do
        next = deputies_next_member(daemon, next);
    while (next && next->deputy.rank == 0);
    return next;
}

bool deputies_are_there(const struct daemon *daemon)
{
    return deputies_next(daemon, NULL) != NULL;
}

/* Copying. ------------------------------------------------------------------------------------- */

/* In one order, whatever is asked by the task that is being served. */
static void deputies_post(struct daemon *daemon, const struct host *host, struct message *message)
{
    const uint32_t serving = daemon->post->serving;
    daemon->post->serving = 0;
    router_send(daemon, host->part | TID_DAEMON_BIT, message);
    daemon->post->serving = serving;
}

static void deputies_send_numbered(struct daemon *daemon, struct host *deputy,
                                   const struct message *change)
{
    struct message *message = control_new(CONTROL_COPY, 0, 0);
    control_put_tid(message, ++deputy->deputy.sent);
    if (control_is_whole(message) && control_is_whole(change) &&
        message_append_rest(message, change, (struct cursor){0, 0}) == 0) {
        deputies_post(daemon, deputy, message);
        return;
    }
    message_free(message);
    deputy->deputy.copied = deputy->deputy.sent;
    log_write("no memory to tell the deputy %s of a change", deputy->name);
}

void deputies_send(struct daemon *daemon, const struct host *deputy, const struct message *change)
{
    deputies_send_numbered(daemon, hosts_find(&daemon->post->hosts, deputy->part), change);
}

void deputies_copy(struct daemon *daemon, struct message *change)
{
    struct host *host = NULL;
    while ((host = deputies_next(daemon, host)) != NULL)
        deputies_send_numbered(daemon, host, change);
    message_free(change);
}

/* Answers that wait. --------------------------------------------------------------------------- */

static bool held_answer_waits(const struct held_answer *held)
{
    for (int i = 0; i < DEPUTIES; i++) {
        const struct host *host =
            hosts_find(&held->origin.daemon->post->hosts, held->awaited[i].part);
        if (held->awaited[i].part != 0 && host && host->deputy.rank > 0 &&
            (int32_t)(held->awaited[i].number - host->deputy.copied) > 0)
            return true;
    }
    return false;
}

/* In the order in which they came. */
static void deputies_release(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->member_room->deputies.held)
    {
        struct held_answer *held = held_answer_at(node);
        if (held_answer_waits(held))
            return;
        list_remove(node);
        request_reply_to(&held->origin, held->answer);
        free(held);
    }
}

void deputies_answer(const struct request_origin *origin, struct message *answer)
{
    struct deputies *deputies = &origin->daemon->member_room->deputies;
    struct held_answer *held = calloc(1, sizeof *held);
    const struct host *host = NULL;
    if (!held) {
        log_write("no memory to keep an answer until deputies have its change");
        request_reply_to(origin, answer);
        return;
    }
    held->origin = *origin;
    held->answer = answer;
    for (int i = 0; i < DEPUTIES && (host = deputies_next(origin->daemon, host)) != NULL; i++) {
        held->awaited[i].part = host->part;
        held->awaited[i].number = host->deputy.sent;
    }
    list_append(&deputies->held, &held->node);
    deputies_release(origin->daemon);
}

enum request_result deputies_take_copied(struct request *request)
{
    struct host *host = hosts_find(&request->daemon->post->hosts, request->origin.tid);
    uint32_t number = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (host && (int32_t)(host->deputy.sent - number) >= 0)
        host->deputy.copied = number;
    deputies_release(request->daemon);
    return REQUEST_DONE;
}

/* Who they are. -------------------------------------------------------------------------------- */

static void deputies_say_why_not(struct daemon *daemon, const struct host *foreign)
{
    if (daemon->member_room->deputies.said || daemon->settings.ends_with_master)
        return;
    daemon->member_room->deputies.said = true;
    log_note("the daemon of %s is one of 3.4.6: as long as there is such a host, no other host can "
             "become the master, and the virtual machine ends with this one",
             foreign->name);
}

static int deputies_count_hosts(const struct daemon *daemon)
{
    const struct host *host = NULL;
    int count = 1;
    while ((host = deputies_next_member(daemon, host)) != NULL)
        count++;
    return count;
}

/* Whoever was cut off together has been given up together. */
void deputies_lose(struct daemon *daemon)
{
    struct deputies *deputies = &daemon->member_room->deputies;
    int64_t now = loop_now();
    if (now - deputies->lost_at > daemon->settings.host_patience &&
        deputies_count_hosts(daemon) > deputies->lost)
        deputies->lost = 0;
    deputies->lost++;
    deputies->lost_at = now;
}

static bool deputies_may_be(struct daemon *daemon)
{
    const struct host *host = NULL, *foreign = NULL;
    int count = deputies_count_hosts(daemon);
    while ((host = deputies_next_member(daemon, host)) != NULL)
        if (!deputies_is_ours(host))
            foreign = host;
    if (foreign)
        deputies_say_why_not(daemon, foreign);
    return !daemon->settings.ends_with_master && count >= DEPUTIES_HOSTS_LEAST &&
           count > daemon->member_room->deputies.lost && !foreign;
}

/* What the host is to know comes behind all that it has to have when it knows it. */
static void deputies_tell(struct daemon *daemon, struct host *host, bool there, int rank)
{
    struct host_deputy *deputy = &host->deputy;
    if (deputy->told == there && deputy->rank == rank)
        return;
    bool is_new = deputy->rank == 0 && rank > 0;
    deputy->told = there;
    deputy->rank = rank;
    if (is_new)
        daemon->post->upcalls.copy_all(daemon, host);
    struct message *message = control_new(CONTROL_DEPUTY, 0, 0);
    control_put_int(message, daemon->member_room->succession.term);
    control_put_int(message, there);
    control_put_int(message, rank);
    if (rank > 0)
        log_note("host %s is deputy %d", host->name, rank);
    deputies_post(daemon, host, message);
}

void deputies_review(struct daemon *daemon)
{
    struct host *host = NULL;
    int ranks = 0;
    if (!hosts_is_master(&daemon->post->hosts) || daemon->loop.ended)
        return;
    bool there = deputies_may_be(daemon);
    while ((host = deputies_next_member(daemon, host)) != NULL) {
        bool chosen = there && ranks < DEPUTIES && deputies_trust(daemon, host);
        if (deputies_is_ours(host))
            deputies_tell(daemon, host, there, chosen ? ++ranks : 0);
    }
    deputies_release(daemon);
}
