/* daemon.c - all parts, in the order in which they can go. */
#include "daemon/daemon.h"

#include <malloc.h>
#include <stdlib.h>

#include "daemon/hosts/membership.h"
#include "daemon/members/add_hosts.h"
#include "daemon/members/host_end.h"
#include "daemon/members/host_file.h"
#include "daemon/post/link_upgrade.h"
#include "daemon/post/multicast.h"
#include "daemon/requests/inbound.h"
#include "daemon/requests/lifetime.h"
#include "daemon/tasks/authenticate.h"
#include "daemon/tasks/execute.h"

/* Chunks that are kept to read into, for the next tasks that send something. */
#define CHUNKS_KEPT 32

static const struct upcalls daemon_upcalls = {
    .stranger_frame = authenticate_take,
    .task_frame = inbound_take_from_task,
    .task_lost = task_lose_link,
    .host_frame = inbound_take_from_host,
    .host_lost = host_end_fail,
    .host_ended = host_end_take,
};

static const struct doorman_offers daemon_offers = {
    .awaits = link_upgrade_awaits,
    .expects = link_upgrade_expects,
    .accept = link_upgrade_accept,
};

static void daemon_trim(struct loop_timer *timer)
{
    (void)timer;
#ifdef HAVE_MALLOC_TRIM
    malloc_trim(0);
#endif
}

void daemon_prepare(struct daemon *daemon)
{
    daemon->loop.epoll = -1;
    list_start(&daemon->loop.work);
    daemon->upcalls = daemon_upcalls;
    pool_start(&daemon->chunks, CHUNKS_KEPT);
    loop_timer_start(&daemon->trim, daemon_trim);
    complaints_start(&daemon->complaints, &daemon->loop);
    loop_source_start(&daemon->datagrams.source, NULL);
    keep_alive_start(&daemon->keep_alive, daemon);
    doorman_start(&daemon->doorman, daemon, &daemon_offers);
    list_start(&daemon->pendings);
    terminal_start(&daemon->terminal, &daemon->loop);
    list_start(&daemon->orders);
    list_start(&daemon->multicasts);
    loop_source_start(&daemon->starter.source, NULL);
    loop_timer_start(&daemon->idle_end, NULL);
    loop_source_start(&daemon->listener.source, NULL);
    list_start(&daemon->tasks.list);
    notify_start(&daemon->notify);
    mailbox_start(&daemon->mailboxes);
    list_start(&daemon->mailbox_waits);
    list_start(&daemon->mailbox_users);
    services_start(&daemon->services);
    list_start(&daemon->trace_readers);
}

void daemon_finish(struct daemon *daemon)
{
    address_file_release(&daemon->address_file);
    listener_finish(&daemon->listener);
    lifetime_await_newcomers(daemon);
    lifetime_end_all(daemon);
    host_end_say(daemon);
    pending_fail_all(daemon);
    orders_fail(daemon);
    multicast_finish(daemon);
    add_hosts_finish(daemon);
    terminal_finish(&daemon->terminal);
    tasks_finish(&daemon->tasks);
    mailbox_finish(&daemon->mailboxes);
    services_finish(&daemon->services);
    membership_finish(&daemon->hosts);
    doorman_finish(&daemon->doorman);
    datagrams_finish(&daemon->datagrams);
    host_file_free(daemon->host_file);
    settings_finish(&daemon->settings);
    complaints_finish(&daemon->complaints);
    loop_finish(&daemon->loop);
    pool_finish(&daemon->chunks, free);
}
