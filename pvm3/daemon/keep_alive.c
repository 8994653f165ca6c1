/* keep_alive.c - a question now and then. */
#include "daemon/keep_alive.h"

#include "core/control.h"
#include "daemon/daemon.h"
#include "daemon/host_link.h"
#include "daemon/router.h"

/* Two questions fit into the time after which a host that does not answer is gone. */
#define QUESTIONS 2

static void keep_alive_set(struct keep_alive *keep_alive)
{
    struct daemon *daemon = keep_alive->daemon;
    loop_timer_set(&daemon->loop, &keep_alive->timer,
                   (int)(daemon->settings.host_patience / QUESTIONS) + 1);
}

static void keep_alive_ask(struct daemon *daemon, const struct host *host)
{
    struct host_link *link = host->link;
    bool silent = !link->heard && packet_link_is_idle(&link->packets);
    link->heard = false;
    if (silent)
        router_send(daemon, host->part | TID_DAEMON_BIT, control_new(DM_NULL, 0, 0));
}

static void keep_alive_expire(struct loop_timer *timer)
{
    struct keep_alive *keep_alive = LIST_OWNER(timer, struct keep_alive, timer);
    struct daemon *daemon = keep_alive->daemon;
    const struct hosts *hosts = &daemon->hosts;
    const struct host *host = NULL;
    bool any = false;
    while ((host = hosts_next_other(hosts, host)) != NULL) {
        if (!hosts_is_master(hosts) && host != hosts->master)
            continue;
        keep_alive_ask(daemon, host);
        any = true;
    }
    if (any)
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
