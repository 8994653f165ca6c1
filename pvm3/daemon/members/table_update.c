/* table_update.c - the two phases of an addition, and deletions. */
#include "daemon/members/table_update.h"

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/members/member_room.h"
#include "daemon/post/host_link.h"
#include "daemon/post/host_packets.h"
#include "daemon/post/notify.h"
#include "daemon/post/router.h"

static void table_update_send(struct daemon *daemon, const struct host *host,
                              struct message *message)
{
    if (control_is_whole(message))
        router_send(daemon, host->part | TID_DAEMON_BIT, message);
    else
        log_write("no memory to tell the host %s of the table", host->name);
}

/* Milliseconds for which a member may be silent before it is no longer waited for. */
#define SILENCE 1000

static void table_update_commit(struct daemon *daemon)
{
    struct host *host = NULL;
    loop_timer_cancel(&daemon->member_room->table_update.look);
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL) {
        bool introduced = host->table_new;
        host->table_new = false;
        if (introduced)
            daemon->post->upcalls.host_introduced(daemon, host);
        table_update_send(daemon, host, control_new(DM_HTCOMMIT, 0, 0));
    }
    daemon->member_room->table_update.done(daemon);
}

static void table_update_count(struct daemon *daemon)
{
    if (--daemon->member_room->table_update.left == 0)
        table_update_commit(daemon);
}

static void table_update_failed(struct pending *pending)
{
    LIST_OWNER(pending, struct host, table_question)->table_awaited = false;
    table_update_count(pending->daemon);
}

static void table_update_answered(struct pending *pending, struct control_reader *body)
{
    (void)body;
    table_update_failed(pending);
}

/* An answer that comes after all answers nothing. */
static void table_update_look(struct loop_timer *timer)
{
    struct daemon *daemon = LIST_OWNER(timer, struct member_room, table_update.look)->daemon;
    struct host *host = NULL;
    int silent = 0;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL) {
        if (!host->table_awaited || host->link->spoken)
            continue;
        log_write("the host %s is silent: an addition does not wait for it", host->name);
        pending_cancel(&host->table_question);
        host->table_awaited = false;
        silent++;
    }
    loop_timer_set(&daemon->loop, timer, SILENCE);
    daemon->member_room->table_update.left -= silent;
    if (daemon->member_room->table_update.left == 0)
        table_update_commit(daemon);
}

static void table_update_put(struct message *message, const struct host *host)
{
    char address[ENVIRONMENT_ADDRESS_SIZE];
    environment_format_address(address, host->address, host->port);
    control_put_int(message, (int32_t)(host->part >> TID_HOST_SHIFT));
    control_put_string(message, host->name);
    control_put_string(message, host->architecture);
    control_put_string(message, address);
    control_put_int(message, host->mtu);
    control_put_int(message, host->speed);
    control_put_tid(message, host->signature);
}

/* The old hosts, if `all`, and then the new ones, each from the highest index down. */
static struct message *table_update_new(const struct hosts *hosts, int32_t wait, bool all)
{
    struct message *message = control_new(DM_HTUPD, 0, wait);
    int32_t count = 0;
    for (uint32_t i = TID_HOST_MAX; i > 0; i--)
        count += hosts->table[i] && (all || hosts->table[i]->pending);
    control_put_int(message, hosts->serial);
    control_put_int(message, (int32_t)(hosts->master->part >> TID_HOST_SHIFT));
    control_put_int(message, (int32_t)(hosts->master->part >> TID_HOST_SHIFT));
    control_put_int(message, count);
    for (int pending = all ? 0 : 1; pending < 2; pending++)
        for (uint32_t i = TID_HOST_MAX; i > 0; i--)
            if (hosts->table[i] && hosts->table[i]->pending == (pending == 1))
                table_update_put(message, hosts->table[i]);
    return message;
}

/* Before the hosts themselves, so that their first packets are known by their seals. */
static void table_update_tell_salts(struct daemon *daemon, const struct host *host)
{
    const struct post_room *post = daemon->post;
    const struct host *other = NULL;
    if (!host->key.seal.there)
        return;
    struct message *message = control_new(CONTROL_SALTS, 0, 0);
    while ((other = hosts_next_other(&post->hosts, other)) != NULL) {
        uint32_t index = other->part >> TID_HOST_SHIFT;
        uint64_t salt = post->machine_key.salts[index];
        if (other == host || salt == 0 || !(host->pending || other->pending))
            continue;
        control_put_int(message, (int32_t)index);
        control_put_tid(message, (uint32_t)(salt >> 32));
        control_put_tid(message, (uint32_t)salt);
    }
    table_update_send(daemon, host, message);
}

static void table_update_ask(struct daemon *daemon, struct host *host)
{
    struct pending *question = &host->table_question;
    table_update_tell_salts(daemon, host);
    pending_start(question, daemon, host, DM_HTUPD, table_update_answered, table_update_failed);
    struct message *message =
        table_update_new(&daemon->post->hosts, question->wait,
                         host->pending || daemon->member_room->table_update.whole);
    if (control_is_whole(message)) {
        daemon->member_room->table_update.left++;
        host->table_awaited = !host->pending;
        host->table_new = host->pending;
        host->link->spoken = false;
        router_send(daemon, host->part | TID_DAEMON_BIT, message);
        return;
    }
    log_write("no memory to tell the host %s of the table: it is to end", host->name);
    pending_cancel(question);
    host_packets_end(host->link);
}

bool table_update_runs(const struct daemon *daemon)
{
    return daemon->member_room->table_update.left > 0;
}

void table_update_start(struct daemon *daemon, bool whole, void (*done)(struct daemon *daemon))
{
    uint32_t added[TID_HOST_MAX];
    struct hosts *hosts = &daemon->post->hosts;
    struct host *host = NULL;
    daemon->member_room->table_update =
        (struct table_update){.left = 1, .whole = whole, .done = done};
    loop_timer_start(&daemon->member_room->table_update.look, table_update_look);
    loop_timer_set(&daemon->loop, &daemon->member_room->table_update.look, SILENCE);
    hosts->serial++;
    while ((host = hosts_next_other(hosts, host)) != NULL)
        table_update_ask(daemon, host);
    notify_hosts_added(daemon, added, hosts_commit(hosts, added));
    table_update_count(daemon);
}

static struct message *table_update_new_deletion(const struct hosts *hosts)
{
    struct message *message = control_new(DM_HTDEL, 0, 0);
    control_put_int(message, hosts->serial);
    return message;
}

static void table_update_spread(struct daemon *daemon, const struct message *message)
{
    const struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        if (!host->link->ending && control_is_whole(message))
            table_update_send(daemon, host, message_view(message));
}

void table_update_delete_ending(struct daemon *daemon)
{
    struct message *message = table_update_new_deletion(&daemon->post->hosts);
    const struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        if (host->link->ending)
            control_put_tid(message, host->part);
    table_update_spread(daemon, message);
    message_free(message);
}

void table_update_delete(struct daemon *daemon, uint32_t part)
{
    struct message *message = table_update_new_deletion(&daemon->post->hosts);
    control_put_tid(message, part);
    table_update_spread(daemon, message);
    message_free(message);
}
