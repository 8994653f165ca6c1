/* keep_alive.c - a question now and then. */
#include "daemon/hosts/keep_alive.h"

#include <limits.h>

#include "daemon/base/log.h"
#include "daemon/hosts/host_room.h"
#include "daemon/post/host_link.h"
#include "daemon/post/host_packets.h"

/*
 * Milliseconds from one tick to the next. The patience has TICKS_MOST of them, but fewer if they
 * would be shorter than TICK_LEAST, down to TICKS_LEAST. Others are asked only if it has more.
 */
#define TICK_LEAST  450
#define TICKS_MOST  66
#define TICKS_LEAST 10

static int64_t keep_alive_tick(const struct daemon *daemon)
{
    int64_t patience = daemon->settings.host_patience;
    int64_t tick = patience / TICKS_MOST;
    if (tick >= TICK_LEAST)
        return tick;
    return patience / TICKS_LEAST < TICK_LEAST ? patience / TICKS_LEAST : TICK_LEAST;
}

static void keep_alive_set(struct keep_alive *keep_alive)
{
    struct daemon *daemon = keep_alive->daemon;
    loop_timer_set(&daemon->loop, &keep_alive->timer, (int)keep_alive_tick(daemon));
}

static unsigned keep_alive_patience(const struct daemon *daemon)
{
    return (unsigned)(daemon->settings.host_patience / keep_alive_tick(daemon));
}

/* A daemon that is not in the table yet does not ask: a master of 3.4.6 would not answer it. */
static bool keep_alive_asks(const struct hosts *hosts, const struct host *host)
{
    return !host->pending && (hosts_is_master(hosts) || host == hosts->master ||
                              host_stream_is_owed(&host->link->stream));
}

static void keep_alive_ask(const struct hosts *hosts, const struct host *host)
{
    if (host_link_is_idle(host->link) && keep_alive_asks(hosts, host))
        host_packets_ask(host->link);
}

/* Witnesses. ----------------------------------------------------------------------------------- */

/*
 * The next host behind the one that was asked last, in a ring, which may know more of `suspect`. The
 * one that was asked last is the last one again.
 */
static struct host *keep_alive_next_witness(struct keep_alive *keep_alive,
                                            const struct host *suspect)
{
    const struct hosts *hosts = &keep_alive->daemon->post->hosts;
    for (uint32_t i = 1; i <= TID_HOST_MAX + 1; i++) {
        uint32_t index = ((keep_alive->last_witness >> TID_HOST_SHIFT) + i) % (TID_HOST_MAX + 1);
        struct host *host = hosts->table[index];
        if (host && host != suspect && host->link && !host->pending && !host->link->ending &&
            host->link->suspicion.owed == 0 && host_link_is_ours(host->link))
            return host;
    }
    return NULL;
}

static void keep_alive_send_probe(const struct host *witness, const struct host *suspect,
                                  int32_t round)
{
    struct message *probe = control_new(CONTROL_PROBE, 0, 0);
    control_put_tid(probe, suspect->part);
    control_put_int(probe, round);
    if (control_is_whole(probe))
        host_packets_send(witness->link, probe);
    message_free(probe);
}

/* Nobody may be there to be asked. */
static void keep_alive_ask_others(struct keep_alive *keep_alive, const struct host *suspect)
{
    const struct host *witnesses[SUSPICION_WITNESSES];
    uint32_t parts[SUSPICION_WITNESSES];
    size_t count = 0;
    while (count < SUSPICION_WITNESSES) {
        const struct host *witness = keep_alive_next_witness(keep_alive, suspect);
        if (!witness || (count > 0 && witness == witnesses[0]))
            break;
        keep_alive->last_witness = witness->part;
        parts[count] = witness->part;
        witnesses[count++] = witness;
    }
    int32_t round = suspicion_ask(&suspect->link->suspicion, parts, count);
    for (size_t i = 0; i < count; i++)
        keep_alive_send_probe(witnesses[i], suspect, round);
    log_debug(LOG_HOSTS, "the host %s does not answer: %zu others are asked", suspect->name, count);
}

/* Judging. ------------------------------------------------------------------------------------- */

static void keep_alive_give_up(struct daemon *daemon, struct host *host, const char *others)
{
    int64_t seconds = host->link->suspicion.owed * keep_alive_tick(daemon) / 1000;
    log_write("the host %s has not answered for %lld seconds%s: it is given up", host->name,
              (long long)seconds, others);
    daemon->post->upcalls.host_lost(daemon, host);
}

/*
 * The master judges all, and the others judge the master alone: they hear from it who is gone, so
 * that all have the same hosts. A master of 3.4.6 leaves that to each.
 */
static bool keep_alive_judges(const struct hosts *hosts, const struct host *host)
{
    return hosts_is_master(hosts) || host == hosts->master ||
           !host_link_is_ours(hosts->master->link);
}

/* The host may be gone afterwards. */
static void keep_alive_judge(struct keep_alive *keep_alive, struct host *host)
{
    struct daemon *daemon = keep_alive->daemon;
    unsigned patience = keep_alive_patience(daemon);
    bool judges = keep_alive_judges(&daemon->post->hosts, host);
    const struct suspicion_limits limits = {
        .patience = judges ? patience : UINT_MAX,
        .stretch = local_health_stretch(&keep_alive->health),
        .early =
            judges && patience > TICKS_LEAST && host_link_is_ours(host->link) && !host->pending,
    };
    switch (suspicion_judge(&host->link->suspicion, &limits)) {
    case SUSPICION_NONE:
        break;
    case SUSPICION_ASK:
        keep_alive_ask(&daemon->post->hosts, host);
        break;
    case SUSPICION_ASK_OTHERS:
        keep_alive_ask_others(keep_alive, host);
        break;
    case SUSPICION_UNREACHABLE:
        keep_alive_give_up(daemon, host, ", nor does it answer others");
        break;
    case SUSPICION_SILENT:
        keep_alive_give_up(daemon, host, "");
        break;
    }
}

enum request_result keep_alive_take_answer(struct request *request)
{
    struct daemon *daemon = request->daemon;
    uint32_t suspect = control_get_tid(&request->body);
    int32_t round = control_get_int(&request->body);
    bool reached = control_get_int(&request->body) != 0;
    struct host *host = hosts_find(&daemon->post->hosts, suspect);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (!host || !host->link)
        return REQUEST_DONE;
    suspicion_answer(&host->link->suspicion, tid_host_part(request->origin.tid), round, reached);
    keep_alive_judge(&daemon->host_room->keep_alive, host);
    return REQUEST_DONE;
}

/*
 * A connection may stand still while the host lives: under heavy loss TCP waits longer and longer,
 * which datagrams do not. TCP gets a tenth of the patience.
 */
static void keep_alive_look_at_stream(const struct keep_alive *keep_alive, const struct host *host)
{
    struct host_link *link = host->link;
    unsigned period = keep_alive_patience(keep_alive->daemon) / TICKS_LEAST;
    if (keep_alive->ticks % period != 0)
        return;
    if (host_stream_stands_still(&link->stream) && link->suspicion.quiet < period)
        link_upgrade_give_up(link, "it stands still, though the host answers");
    else if (link->stream.still > 0)
        keep_alive_ask(&keep_alive->daemon->post->hosts, host);
}

static void keep_alive_look(struct keep_alive *keep_alive, struct host *host)
{
    struct host_link *link = host->link;
    if (link->stopped)
        return;
    suspicion_tick(&link->suspicion, link->heard, !host_link_is_idle(link));
    link->heard = false;
    keep_alive_look_at_stream(keep_alive, host);
    keep_alive_judge(keep_alive, host);
}

/* Stops when this daemon is alone, or is without its master and ends. */
static void keep_alive_expire(struct loop_timer *timer)
{
    struct keep_alive *keep_alive = LIST_OWNER(timer, struct keep_alive, timer);
    struct daemon *daemon = keep_alive->daemon;
    struct host *host = NULL;
    keep_alive->ticks++;
    local_health_tick(&keep_alive->health, loop_now() - timer->due, keep_alive_tick(daemon));
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        keep_alive_look(keep_alive, host);
    witness_tick(daemon, local_health_stretch(&keep_alive->health));
    if (hosts_next_other(&daemon->post->hosts, NULL) && !daemon->loop.ended)
        keep_alive_set(keep_alive);
}

void keep_alive_start(struct keep_alive *keep_alive, struct daemon *daemon)
{
    keep_alive->daemon = daemon;
    loop_timer_start(&keep_alive->timer, keep_alive_expire);
}

void keep_alive_begin(struct keep_alive *keep_alive)
{
    if (!loop_timer_is_set(&keep_alive->timer))
        keep_alive_set(keep_alive);
}
