/* keep_alive.c - a question now and then. */
#include "daemon/hosts/keep_alive.h"

#include "core/control.h"
#include "daemon/base/log.h"
#include "daemon/hosts/host_room.h"
#include "daemon/post/host_link.h"
#include "daemon/post/host_packets.h"

/* A daemon looks so often within its patience. */
#define LOOKS 10

static void keep_alive_set(struct keep_alive *keep_alive)
{
    struct daemon *daemon = keep_alive->daemon;
    loop_timer_set(&daemon->loop, &keep_alive->timer,
                   (int)(daemon->settings.host_patience / LOOKS));
}

/* A daemon that is not in the table yet does not ask: a master of 3.4.6 would not answer it. */
static bool keep_alive_asks(const struct hosts *hosts, const struct host *host)
{
    return !host->pending && (hosts_is_master(hosts) || host == hosts->master ||
                              host_stream_is_owed(&host->link->stream));
}

static void keep_alive_ask(struct host_link *link)
{
    struct message *question = control_new(DM_NULL, 0, 0);
    if (question)
        host_packets_send(link, question);
    message_free(question);
}

/*
 * The first look that finds a packet unanswered may come right behind it, and does not count: hence
 * one more than LOOKS. A connection may stand still while the host lives: under heavy loss TCP
 * waits longer and longer, which datagrams do not.
 */
static void keep_alive_look(struct daemon *daemon, struct host *host)
{
    struct host_link *link = host->link;
    bool heard = link->heard;
    bool still = host_stream_stands_still(&link->stream);
    link->heard = false;
    if (heard || host_link_is_idle(link)) {
        link->silence = 0;
        if (heard && still)
            link_upgrade_give_up(link, "it stands still, though the host answers");
        else if ((!heard || link->stream.still > 0) && keep_alive_asks(&daemon->post->hosts, host))
            keep_alive_ask(link);
    } else if (++link->silence > LOOKS) {
        log_write("the host %s has not answered for %lld seconds: it is given up", host->name,
                  (long long)(daemon->settings.host_patience / 1000));
        daemon->post->upcalls.host_lost(daemon, host);
    }
}

/* Stops when this daemon is alone, or is without its master and ends. */
static void keep_alive_expire(struct loop_timer *timer)
{
    struct keep_alive *keep_alive = LIST_OWNER(timer, struct keep_alive, timer);
    struct daemon *daemon = keep_alive->daemon;
    struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        keep_alive_look(daemon, host);
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
