/* succession.c - losing the master, votes, and the new master. */
#include "daemon/members/succession.h"

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/members/addition.h"
#include "daemon/members/halt.h"
#include "daemon/members/host_end.h"
#include "daemon/members/member_room.h"
#include "daemon/members/table_update.h"
#include "daemon/post/host_link.h"
#include "daemon/post/router.h"

/* Looks within the patience with a host. */
#define LOOKS 10

/* So many looks a deputy waits for each before it, and everybody for a master. */
#define LOOKS_FOR_DEPUTY 4
#define LOOKS_MOST       15

/* How often a former master is reminded; once in each patience. */
#define REMINDERS 120

static struct succession *succession_of(struct daemon *daemon)
{
    return &daemon->member_room->succession;
}

static struct daemon *succession_daemon(struct succession *succession)
{
    return LIST_OWNER(succession, struct member_room, succession)->daemon;
}

/* About the term for which this daemon has given its vote last, and a host. */
static void succession_send(struct daemon *daemon, const struct host *host, int32_t tag,
                            uint32_t about)
{
    struct message *message = control_new(tag, 0, 0);
    control_put_int(message, succession_of(daemon)->voted);
    control_put_tid(message, about);
    router_send(daemon, host->part | TID_DAEMON_BIT, message);
}

static void succession_set(struct succession *succession, int64_t milliseconds)
{
    loop_timer_set(&succession_daemon(succession)->loop, &succession->timer, (int)milliseconds);
}

/* The new master. ------------------------------------------------------------------------------ */

static void succession_remind(struct loop_timer *timer)
{
    struct succession *succession = LIST_OWNER(timer, struct succession, timer);
    struct daemon *daemon = succession_daemon(succession);
    former_hosts_remind(daemon);
    if (--succession->reminders > 0)
        succession_set(succession, daemon->settings.host_patience);
}

/* There is a master again, in place of the lost one. */
static void succession_settle(struct daemon *daemon, struct host *master, struct host *lost)
{
    struct succession *succession = succession_of(daemon);
    log_note("host %s is the master now, in term %d, in place of %s", master->name,
             succession->voted, lost->name);
    loop_timer_cancel(&succession->timer);
    succession->term = succession->voted;
    succession->bereft = succession->standing = false;
    succession->table_due = master != hosts_own(&daemon->post->hosts);
    daemon->post->hosts.master = master;
    lost->deposed = true;
}

static void succession_take_over(struct daemon *daemon)
{
    struct hosts *hosts = &daemon->post->hosts;
    struct succession *succession = succession_of(daemon);
    struct host *lost = hosts->master, *host = NULL;
    succession_settle(daemon, hosts_own(hosts), lost);
    while ((host = hosts_next_other(hosts, host)) != NULL)
        if (host != lost && deputies_trust(daemon, host))
            succession_send(daemon, host, CONTROL_MASTER, lost->part);
    daemon->post->upcalls.took_over(daemon, lost);
    deputies_lose(daemon);
    host_end_fail(daemon, lost);
    table_update_start(daemon, true, addition_updated);
    succession->reminders = REMINDERS;
    loop_timer_start(&succession->timer, succession_remind);
    succession_set(succession, daemon->settings.host_patience);
    if (succession->halt_asked)
        halt(daemon, 0);
}

enum request_result succession_obey(struct request *request)
{
    struct daemon *daemon = request->daemon;
    struct succession *succession = succession_of(daemon);
    struct hosts *hosts = &daemon->post->hosts;
    struct host *host = hosts_find(hosts, request->origin.tid);
    struct host *lost = hosts->master;
    int32_t term = control_get_int(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (!deputies_trust(daemon, host) || term < succession->voted || term <= succession->term ||
        !(succession->possible || hosts->master->pending))
        return REQUEST_DONE;
    if (hosts_is_master(hosts)) {
        succession_take_deposition(daemon, host->part);
        return REQUEST_DONE;
    }
    succession->voted = term;
    succession_settle(daemon, host, lost);
    host_end_fail(daemon, lost);
    if (succession->halt_asked)
        router_send(daemon, host->part | TID_DAEMON_BIT, control_new(DM_HALT, 0, 0));
    return REQUEST_DONE;
}

void succession_take_deposition(struct daemon *daemon, uint32_t part)
{
    if (!hosts_is_master(&daemon->post->hosts) || succession_of(daemon)->deposed)
        return;
    log_error("the host t%x has become the master while this one was silent: this daemon ends",
              part);
    succession_of(daemon)->deposed = true;
    halt(daemon, 0);
}

/* Votes. --------------------------------------------------------------------------------------- */

/* Takes over if there are enough. */
static void succession_count(struct daemon *daemon)
{
    const struct succession *succession = succession_of(daemon);
    const struct host *host = NULL;
    int votes = 1;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        votes += !host->pending && host->deputy.vote == succession->voted;
    if (2 * votes > succession->known)
        succession_take_over(daemon);
}

/* Asks those that have not given their vote. */
static void succession_ask(struct daemon *daemon)
{
    const struct hosts *hosts = &daemon->post->hosts;
    const struct host *host = NULL;
    while ((host = hosts_next_other(hosts, host)) != NULL)
        if (host != hosts->master && host->deputy.vote != succession_of(daemon)->voted &&
            deputies_trust(daemon, host))
            succession_send(daemon, host, CONTROL_VOTE, hosts->master->part);
}

static void succession_stand(struct daemon *daemon)
{
    struct succession *succession = succession_of(daemon);
    const struct hosts *hosts = &daemon->post->hosts;
    succession->voted =
        1 + (succession->voted > succession->term ? succession->voted : succession->term);
    succession->voted_for = hosts_own(hosts)->part;
    succession->standing = true;
    log_note("asking for the votes of more than half of %d hosts, to be the master in term %d",
             succession->known, succession->voted);
    succession_ask(daemon);
}

static void succession_vote(struct daemon *daemon, const struct host *host, int32_t term)
{
    struct succession *succession = succession_of(daemon);
    if (term > succession->voted)
        log_note("host %s gets the vote of this one for term %d", host->name, term);
    succession->voted = term;
    succession->voted_for = host->part;
    succession->standing = false;
    succession->stands_at = succession->looks + LOOKS_FOR_DEPUTY * succession->rank;
    succession_send(daemon, host, CONTROL_VOTED, host->part);
}

/* This host has not lost its master. It looks whether the master is there, and remembers who asks. */
static void succession_doubt(struct daemon *daemon, const struct host *host, int32_t term)
{
    succession_of(daemon)->asked_by = host->part;
    succession_of(daemon)->asked_term = term;
    router_send(daemon, daemon->post->hosts.master->part | TID_DAEMON_BIT,
                control_new(DM_NULL, 0, 0));
}

enum request_result succession_take_request(struct request *request)
{
    struct daemon *daemon = request->daemon;
    const struct succession *succession = succession_of(daemon);
    const struct hosts *hosts = &daemon->post->hosts;
    const struct host *host = hosts_find(hosts, request->origin.tid);
    int32_t term = control_get_int(&request->body);
    uint32_t lost = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (!deputies_trust(daemon, host) || hosts_is_master(hosts) || lost != hosts->master->part)
        return REQUEST_DONE;
    bool free = term > succession->voted ||
                (term == succession->voted && succession->voted_for == host->part);
    if (!free)
        succession_send(daemon, host, CONTROL_VOTED, succession->voted_for);
    else if (succession->bereft || hosts->master->pending)
        succession_vote(daemon, host, term);
    else
        succession_doubt(daemon, host, term);
    return REQUEST_DONE;
}

enum request_result succession_take_vote(struct request *request)
{
    struct daemon *daemon = request->daemon;
    struct succession *succession = succession_of(daemon);
    struct host *host = hosts_find(&daemon->post->hosts, request->origin.tid);
    int32_t term = control_get_int(&request->body);
    uint32_t voted_for = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (!deputies_trust(daemon, host) || !succession->standing || term < succession->voted)
        return REQUEST_DONE;
    if (voted_for == hosts_own(&daemon->post->hosts)->part) {
        host->deputy.vote = term;
        succession_count(daemon);
    } else {
        succession->voted = term;
        succession_stand(daemon);
    }
    return REQUEST_DONE;
}

enum request_result succession_take_rank(struct request *request)
{
    struct succession *succession = succession_of(request->daemon);
    int32_t term = control_get_int(&request->body);
    int32_t possible = control_get_int(&request->body), rank = control_get_int(&request->body);
    if (request->body.failed || rank < 0 || rank > DEPUTIES)
        return REQUEST_MALFORMED;
    if (term > succession->term)
        succession->term = term;
    succession->possible = possible != 0;
    succession->rank = rank;
    return REQUEST_DONE;
}

/* Without a master. ---------------------------------------------------------------------------- */

static void succession_look(struct loop_timer *timer)
{
    struct succession *succession = LIST_OWNER(timer, struct succession, timer);
    struct daemon *daemon = succession_daemon(succession);
    if (++succession->looks > LOOKS_MOST) {
        log_error("no host has become the master: this daemon ends");
        halt(daemon, 0);
        return;
    }
    succession_set(succession, daemon->settings.host_patience / LOOKS);
    if (succession->standing)
        succession_ask(daemon);
    else if (succession->rank > 0 && succession->looks >= succession->stands_at)
        succession_stand(daemon);
}

static int succession_count_hosts(const struct hosts *hosts)
{
    const struct host *host = NULL;
    int count = 0;
    while ((host = hosts_next(hosts, host)) != NULL)
        count++;
    return count;
}

/* Nothing more is sent to the lost master, whose entry stays until there is another one. */
static void succession_lose_master(struct daemon *daemon, struct host *master)
{
    struct succession *succession = succession_of(daemon);
    if (succession->bereft)
        return;
    succession->known = succession_count_hosts(&daemon->post->hosts);
    if (!succession->possible || succession->known < DEPUTIES_HOSTS_LEAST) {
        log_error("the master %s is gone: this daemon ends", master->name);
        halt(daemon, 0);
        return;
    }
    log_note("the master %s is gone: waiting for another one", master->name);
    host_link_stop(master->link);
    succession->bereft = true;
    succession->looks = 0;
    succession->stands_at = LOOKS_FOR_DEPUTY * (succession->rank - 1);
    loop_timer_start(&succession->timer, succession_look);
    succession_set(succession, daemon->settings.host_patience / LOOKS);
    const struct host *asker = hosts_find(&daemon->post->hosts, succession->asked_by);
    if (asker && succession->asked_term > succession->voted &&
        succession->asked_term > succession->term)
        succession_vote(daemon, asker, succession->asked_term);
    else if (succession->rank == 1)
        succession_stand(daemon);
}

void succession_lose_host(struct daemon *daemon, struct host *host)
{
    if (host == daemon->post->hosts.master) {
        succession_lose_master(daemon, host);
        return;
    }
    deputies_lose(daemon);
    host_end_fail(daemon, host);
}

void succession_start(struct daemon *daemon)
{
    loop_timer_start(&succession_of(daemon)->timer, NULL);
}
