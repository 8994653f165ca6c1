/* table_replica.c - entries as the master tells them. */
#include "daemon/members/table_replica.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/hosts/membership.h"
#include "daemon/members/host_end.h"
#include "daemon/members/member_room.h"
#include "daemon/post/notify.h"
#include "daemon/post/router.h"

/* An entry of the table, as the master tells it. */
struct table_entry {
    uint32_t index;
    char *name;
    char *architecture;
    struct host_facts facts;
};

/* False when the entry makes no sense or memory is short; it is to be freed all the same. */
static bool table_entry_read(struct table_entry *entry, struct control_reader *body)
{
    struct host_facts *facts = &entry->facts;
    *entry = (struct table_entry){.index = (uint32_t)control_get_int(body)};
    entry->name = control_get_string(body, HOST_NAME_SIZE);
    entry->architecture = control_get_string(body, HOST_ARCHITECTURE_SIZE);
    char *address = control_get_string(body, 0);
    *facts = (struct host_facts){.name = entry->name, .architecture = entry->architecture};
    facts->mtu = control_get_int(body);
    facts->speed = control_get_int(body);
    facts->signature = control_get_tid(body);
    bool good = !body->failed && entry->index >= 1 && entry->index <= TID_HOST_MAX &&
                facts->mtu >= HOST_MTU_LEAST &&
                environment_parse_address(address, &facts->address, &facts->port);
    free(address);
    return good;
}

static void table_entry_free(struct table_entry *entry)
{
    free(entry->name);
    free(entry->architecture);
}

/* Whether the first table of a new master has a host whose end this daemon has heard of. */
static bool table_entry_is_gone(const struct table_entry *entry, const struct daemon *daemon)
{
    return daemon->member_room->succession.table_due && !daemon->post->hosts.table[entry->index] &&
           former_hosts_has(&daemon->host_room->former_hosts, entry->index << TID_HOST_SHIFT);
}

static void table_entry_apply(const struct table_entry *entry, struct daemon *daemon)
{
    struct hosts *hosts = &daemon->post->hosts;
    struct host *host = hosts->table[entry->index];
    if (table_entry_is_gone(entry, daemon))
        return;
    if (!host)
        host = membership_add(hosts, entry->index << TID_HOST_SHIFT);
    if (!host)
        log_write("no memory for the host %s: it is unknown here", entry->name);
    else if (host->link)
        hosts_describe(host, &entry->facts);
    else
        host->speed = entry->facts.speed; /* the own one knows the rest */
}

/*
 * Reads `count` entries, into the table of the daemon unless it is NULL. False when they make no
 * sense.
 */
static bool table_replica_read(struct daemon *daemon, struct control_reader body, int32_t count)
{
    bool good = true;
    for (int32_t i = 0; i < count && good; i++) {
        struct table_entry entry;
        good = table_entry_read(&entry, &body);
        if (good && daemon)
            table_entry_apply(&entry, daemon);
        table_entry_free(&entry);
    }
    return good;
}

/* Other hosts than those of these entries are gone. */
static void table_replica_keep(struct daemon *daemon, const bool *named)
{
    const struct hosts *hosts = &daemon->post->hosts;
    for (uint32_t i = 1; i <= TID_HOST_MAX; i++)
        if (hosts->table[i] && hosts->table[i]->link && hosts->table[i] != hosts->master &&
            !named[i])
            host_end_fail(daemon, hosts->table[i]);
}

/* Makes the own table and the first one of a new master alike. */
static void table_replica_compare(struct daemon *daemon, struct control_reader body, int32_t count)
{
    bool named[TID_HOST_MAX + 1] = {false};
    struct message *gone = control_new(CONTROL_GONE, 0, 0);
    bool any = false;
    for (int32_t i = 0; i < count; i++) {
        struct table_entry entry;
        table_entry_read(&entry, &body);
        named[entry.index] = true;
        if (table_entry_is_gone(&entry, daemon)) {
            control_put_tid(gone, entry.index << TID_HOST_SHIFT);
            any = true;
        }
        table_entry_free(&entry);
    }
    daemon->member_room->succession.table_due = false;
    table_replica_keep(daemon, named);
    if (any && control_is_whole(gone))
        router_send(daemon, daemon->post->hosts.master->part | TID_DAEMON_BIT, gone);
    else
        message_free(gone);
}

enum request_result table_replica_take_gone(struct request *request)
{
    struct daemon *daemon = request->daemon;
    while (control_rest(&request->body) >= 4) {
        struct host *host = hosts_find(&daemon->post->hosts, control_get_tid(&request->body));
        if (host && host->link)
            host_end_fail(daemon, host);
    }
    return REQUEST_DONE;
}

enum request_result table_replica_take(struct request *request)
{
    struct hosts *hosts = &request->daemon->post->hosts;
    struct control_reader *body = &request->body;
    int32_t serial = control_get_int(body);
    uint32_t master = (uint32_t)control_get_int(body);
    control_get_int(body); /* the console's host, which is the master */
    int32_t count = control_get_count(body, 28);
    if (body->failed || hosts->master->part != master << TID_HOST_SHIFT ||
        !table_replica_read(NULL, *body, count))
        return REQUEST_MALFORMED;
    table_replica_read(request->daemon, *body, count);
    hosts->serial = serial;
    request_reply(request, request_answer(request));
    if (request->daemon->member_room->succession.table_due)
        table_replica_compare(request->daemon, *body, count);
    return REQUEST_DONE;
}

/* A host that is in the table has its key, or none. */
enum request_result table_replica_take_salts(struct request *request)
{
    struct post_room *post = request->daemon->post;
    while (control_rest(&request->body) > 0) {
        uint32_t index = (uint32_t)control_get_int(&request->body);
        uint64_t salt = (uint64_t)control_get_tid(&request->body) << 32;
        salt |= control_get_tid(&request->body);
        if (request->body.failed || index < 1 || index > TID_HOST_MAX)
            return REQUEST_MALFORMED;
        if (!post->hosts.table[index])
            post->machine_key.salts[index] = salt;
    }
    return REQUEST_DONE;
}

static void table_replica_end(struct daemon *daemon)
{
    uint32_t added[TID_HOST_MAX];
    notify_hosts_added(daemon, added, hosts_commit(&daemon->post->hosts, added));
    loop_timer_cancel(&daemon->member_room->idle_end);
}

enum request_result table_replica_take_commit(struct request *request)
{
    table_replica_end(request->daemon);
    return REQUEST_DONE;
}

void table_replica_heed(struct daemon *daemon, uint32_t from)
{
    const struct host *host = hosts_find(&daemon->post->hosts, from);
    if (host && host->pending && !hosts_is_master(&daemon->post->hosts))
        table_replica_end(daemon);
}

enum request_result table_replica_take_deletion(struct request *request)
{
    struct daemon *daemon = request->daemon;
    struct hosts *hosts = &daemon->post->hosts;
    int32_t serial = control_get_int(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (serial != hosts->serial) {
        complain(&daemon->complaints, 0, "the master deletes hosts of another table: ignored");
        return REQUEST_DONE;
    }
    while (control_rest(&request->body) >= 4) {
        struct host *host = hosts_find(hosts, control_get_tid(&request->body));
        if (host && host->link && host != hosts->master)
            host_end_fail(daemon, host);
    }
    return REQUEST_DONE;
}
