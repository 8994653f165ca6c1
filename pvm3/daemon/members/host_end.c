/* host_end.c - failing, leaving, and saying so. */
#include "daemon/members/host_end.h"

#include "daemon/base/log.h"
#include "daemon/hosts/membership.h"
#include "daemon/members/halt.h"
#include "daemon/members/member_room.h"
#include "daemon/members/table_update.h"
#include "daemon/post/host_packets.h"
#include "daemon/post/multicast.h"
#include "daemon/post/router.h"
#include "daemon/post/tree_branch.h"
#include "daemon/post/tree_origin.h"

#define TIMES_SAID 5

static void host_end_tell_scheduler(struct daemon *daemon, uint32_t part)
{
    struct message *told;
    if (services_scheduler(&daemon->task_room->services) == 0)
        return;
    told = control_new(SM_HOSTX, 0, 0);
    control_put_tid(told, part | TID_DAEMON_BIT);
    router_send(daemon, services_scheduler(&daemon->task_room->services), told);
}

void host_end_fail(struct daemon *daemon, struct host *host)
{
    struct hosts *hosts = &daemon->post->hosts;
    uint32_t part = host->part;
    log_note("host %s is gone", host->name);
    membership_remove(hosts, host);
    if (hosts_is_master(hosts)) {
        table_update_delete(daemon, part);
        block_owners_forget(&daemon->post->block_owners, part);
        host_end_tell_scheduler(daemon, part);
    }
    multicast_host_end(daemon, part);
    tree_branches_host_end(daemon, part);
    tree_origins_host_end(daemon, part);
    pending_fail(daemon, part);
    notify_host_end(daemon, part);
    daemon->post->upcalls.host_gone(daemon, part);
}

void host_end_take(struct daemon *daemon, struct host *host)
{
    if (host == daemon->post->hosts.master) {
        log_note("the master ends this daemon");
        halt(daemon, 0);
    } else {
        host_end_fail(daemon, host);
    }
}

/*
 * Nobody acknowledges this word. One of the others that misses the master's would run on until its
 * patience is over, three minutes and more with 3.4.6: the master says it several times. A host that
 * is the master no more has nothing to say: others might take it for the end of all.
 */
void host_end_say(struct daemon *daemon)
{
    const struct host *host = NULL;
    if (daemon->member_room->succession.deposed)
        return;
    int times = hosts_is_master(&daemon->post->hosts) ? TIMES_SAID : 1;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        for (int i = 0; i < times; i++)
            host_packets_say_ended(host->link);
}
