/* rooms.c - all parts of a daemon, in the order in which they can go. */
#include "daemon/rooms.h"

#include <malloc.h>
#include <stdlib.h>

#include "daemon/hosts/membership.h"
#include "daemon/members/add_hosts.h"
#include "daemon/members/host_end.h"
#include "daemon/members/host_file.h"
#include "daemon/post/link_upgrade.h"
#include "daemon/post/multicast.h"
#include "daemon/post/task_link.h"
#include "daemon/requests/again.h"
#include "daemon/requests/arrivals.h"
#include "daemon/requests/departures.h"
#include "daemon/requests/followers.h"
#include "daemon/requests/inbound.h"
#include "daemon/requests/lifetime.h"
#include "daemon/requests/move_words.h"
#include "daemon/requests/replica.h"
#include "daemon/requests/revivals.h"
#include "daemon/tasks/authenticate.h"
#include "daemon/tasks/execute.h"

/* Chunks that are kept to read into, for the next tasks that send something. */
#define CHUNKS_KEPT 32

static void daemon_close_link(struct task_link *link)
{
    region_link_end(link);
    if (link->leased)
        arrivals_look(link->daemon, link);
}

/* What this host decides comes first. */
static void daemon_lose_host(struct daemon *daemon, uint32_t part)
{
    revivals_host_end(daemon, part);
    move_words_host_end(daemon, part);
    deputies_review(daemon);
}

static void daemon_introduce_host(struct daemon *daemon, const struct host *host)
{
    moves_introduce(daemon, host);
    deputies_review(daemon);
}

static void daemon_meet_host(struct daemon *daemon, const struct host *host)
{
    moves_meet(daemon, host);
    deputies_review(daemon);
}

/* A task may leave when all hosts have what it has sent. */
static void daemon_look_at_moves(struct daemon *daemon)
{
    loop_defer(&daemon->loop, &daemon->request_room->moves.look);
}

static const struct move_acts daemon_move_acts = {
    .over = task_end_alone,
    .signal = task_signal,
    .look = departures_look,
};

static const struct upcalls daemon_upcalls = {
    .stranger_frame = authenticate_take,
    .task_frame = inbound_take_from_task,
    .task_lost = task_lose_link,
    .link_closed = daemon_close_link,
    .host_frame = inbound_take_from_host,
    .host_lost = succession_lose_host,
    .deposed = succession_take_deposition,
    .ask_again = again_ask,
    .copy_all = replica_copy_all,
    .took_over = replica_take_over,
    .late_frame = departure_take_late,
    .host_added = moves_greet,
    .host_introduced = daemon_introduce_host,
    .host_met = daemon_meet_host,
    .host_gone = daemon_lose_host,
    .host_ended = host_end_take,
    .tree_done = daemon_look_at_moves,
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
    list_start(&daemon->backlogs.holding);
    daemon->post->upcalls = daemon_upcalls;
    pool_start(&daemon->chunks, CHUNKS_KEPT);
    loop_timer_start(&daemon->trim, daemon_trim);
    complaints_start(&daemon->complaints, &daemon->loop);
    loop_source_start(&daemon->post->datagrams.source, NULL);
    keep_alive_start(&daemon->host_room->keep_alive, daemon);
    witness_start(&daemon->host_room->witness);
    doorman_start(&daemon->post->doorman, daemon, &daemon_offers);
    list_start(&daemon->post->pendings);
    terminal_start(&daemon->member_room->terminal, &daemon->loop);
    deputies_start(&daemon->member_room->deputies);
    succession_start(daemon);
    list_start(&daemon->task_room->orders);
    list_start(&daemon->post->multicasts);
    tree_origins_start(daemon);
    tree_branches_start(daemon);
    loop_source_start(&daemon->member_room->starter.source, NULL);
    loop_timer_start(&daemon->member_room->idle_end, NULL);
    loop_source_start(&daemon->post->listener.source, NULL);
    list_start(&daemon->post->tasks.list);
    notify_start(&daemon->post->notify);
    mailbox_start(&daemon->request_room->mailboxes);
    list_start(&daemon->request_room->mailbox_waits);
    list_start(&daemon->request_room->mailbox_users);
    region_start(daemon);
    moves_start(daemon, &daemon_move_acts);
    watches_start(&daemon->post->watches);
    services_start(&daemon->task_room->services);
    list_start(&daemon->task_room->trace_readers);
}

void daemon_finish(struct daemon *daemon)
{
    address_file_release(&daemon->address_file);
    listener_finish(&daemon->post->listener);
    lifetime_await_newcomers(daemon);
    lifetime_end_all(daemon);
    arrivals_finish(daemon);
    host_end_say(daemon);
    pending_fail_all(daemon);
    orders_fail(daemon);
    multicast_finish(daemon);
    tree_origins_finish(daemon);
    tree_branches_finish(daemon);
    add_hosts_finish(daemon);
    terminal_finish(&daemon->member_room->terminal);
    tasks_finish(&daemon->post->tasks);
    talk_finish(&daemon->post->talk);
    mailbox_finish(&daemon->request_room->mailboxes);
    replica_finish(daemon);
    deputies_finish(&daemon->member_room->deputies);
    followers_finish(daemon);
    places_finish(&daemon->post->places);
    moves_finish(daemon);
    region_finish(daemon);
    services_finish(&daemon->task_room->services);
    witness_finish(&daemon->host_room->witness);
    membership_finish(&daemon->post->hosts);
    doorman_finish(&daemon->post->doorman);
    datagrams_finish(&daemon->post->datagrams);
    host_file_free(daemon->member_room->host_file);
    settings_finish(&daemon->settings);
    complaints_finish(&daemon->complaints);
    loop_finish(&daemon->loop);
    pool_finish(&daemon->chunks, free);
}
