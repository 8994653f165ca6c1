/* table_update.c - the two phases of an addition, and deletions. */
#include "daemon/table_update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/host_end.h"
#include "daemon/host_link.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/router.h"

/* An update that the master waits for. */
struct table_update {
    struct daemon *daemon;
    int left; /* daemons that have not acknowledged */
    void (*done)(struct daemon *daemon);
};

struct update_question {
    struct pending pending;
    struct table_update *update;
};

static void table_update_send(struct daemon *daemon, const struct host *host,
                              struct message *message)
{
    if (control_is_whole(message))
        router_send(daemon, host->part | TID_DAEMON_BIT, message);
    else
        log_write("no memory to tell the host %s of the table", host->name);
}

/* The master's side. --------------------------------------------------------------------------- */

static void table_update_commit(struct table_update *update)
{
    struct daemon *daemon = update->daemon;
    const struct hosts *hosts = &daemon->hosts;
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host))
        if (host->link)
            table_update_send(daemon, host, control_new(DM_HTCOMMIT, 0, 0));
    update->done(daemon);
    free(update);
}

static void table_update_count(struct pending *pending)
{
    struct update_question *question = LIST_OWNER(pending, struct update_question, pending);
    struct table_update *update = question->update;
    free(question);
    if (--update->left == 0)
        table_update_commit(update);
}

static void table_update_answered(struct pending *pending, struct control_reader *body)
{
    (void)body;
    table_update_count(pending);
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

static void table_update_ask(struct table_update *update, const struct host *host)
{
    struct update_question *question = malloc(sizeof *question);
    if (!question) {
        log_write("no memory to tell the host %s of the table", host->name);
        return;
    }
    question->update = update;
    update->left++;
    pending_start(&question->pending, update->daemon, host, table_update_answered,
                  table_update_count);
    table_update_send(
        update->daemon, host,
        table_update_new(&update->daemon->hosts, question->pending.wait, host->pending));
}

void table_update_start(struct daemon *daemon, void (*done)(struct daemon *daemon))
{
    uint32_t added[TID_HOST_MAX];
    struct hosts *hosts = &daemon->hosts;
    struct table_update *update = calloc(1, sizeof *update);
    if (!update) {
        log_write("no memory to tell of new hosts");
        done(daemon);
        return;
    }
    *update = (struct table_update){.daemon = daemon, .left = 1, .done = done};
    hosts->serial++;
    for (uint32_t i = 1; i <= TID_HOST_MAX; i++)
        if (hosts->table[i] && hosts->table[i]->link)
            table_update_ask(update, hosts->table[i]);
    notify_hosts_added(daemon, added, hosts_commit(hosts, added));
    if (--update->left == 0)
        table_update_commit(update);
}

static struct message *table_update_new_deletion(const struct hosts *hosts)
{
    struct message *message = control_new(DM_HTDEL, 0, 0);
    control_put_int(message, hosts->serial);
    return message;
}

static void table_update_spread(struct daemon *daemon, const struct message *message)
{
    const struct hosts *hosts = &daemon->hosts;
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host))
        if (host->link && !host->link->ending && control_is_whole(message))
            table_update_send(daemon, host, message_view(message));
}

void table_update_delete_ending(struct daemon *daemon)
{
    const struct hosts *hosts = &daemon->hosts;
    struct message *message = table_update_new_deletion(hosts);
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host))
        if (host->link && host->link->ending)
            control_put_tid(message, host->part);
    table_update_spread(daemon, message);
    message_free(message);
}

void table_update_delete(struct daemon *daemon, uint32_t part)
{
    struct message *message = table_update_new_deletion(&daemon->hosts);
    control_put_tid(message, part);
    table_update_spread(daemon, message);
    message_free(message);
}

/* The others' side. ---------------------------------------------------------------------------- */

/* Reads an entry into the table. False when it makes no sense or memory is short. */
static bool table_update_read(struct hosts *hosts, struct control_reader *body)
{
    uint32_t index = (uint32_t)control_get_int(body);
    char *name = control_get_string(body, HOST_NAME_SIZE);
    char *architecture = control_get_string(body, HOST_ARCHITECTURE_SIZE);
    char *address = control_get_string(body, 0);
    int mtu = control_get_int(body), speed = control_get_int(body);
    uint32_t signature = control_get_tid(body), ip = 0;
    uint16_t port = 0;
    bool good = !body->failed && index >= 1 && index <= TID_HOST_MAX && mtu >= HOST_MTU_LEAST &&
                environment_parse_address(address, &ip, &port);
    struct host *host = good ? hosts->table[index] : NULL;
    if (good && !host)
        host = hosts_add(hosts, index << TID_HOST_SHIFT);
    if (host && host->link) {
        snprintf(host->name, sizeof host->name, "%s", name);
        snprintf(host->architecture, sizeof host->architecture, "%s", architecture);
        host->address = ip;
        host->port = port;
        host->mtu = mtu < HOST_MTU ? mtu : HOST_MTU;
        host->speed = speed;
        host->signature = signature;
    } else if (host) {
        host->speed = speed; /* the own one */
    }
    free(name);
    free(architecture);
    free(address);
    return host != NULL;
}

enum request_result table_update_take(struct request *request)
{
    struct hosts *hosts = &request->daemon->hosts;
    struct control_reader *body = &request->body;
    int32_t serial = control_get_int(body);
    uint32_t master = (uint32_t)control_get_int(body);
    control_get_int(body); /* the console's host, which is the master */
    int32_t count = control_get_count(body, 28);
    if (body->failed || hosts_is_master(hosts) || hosts->master->part != master << TID_HOST_SHIFT)
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++)
        if (!table_update_read(hosts, body))
            return REQUEST_MALFORMED;
    hosts->serial = serial;
    request_reply(request, request_answer(request));
    return REQUEST_DONE;
}

enum request_result table_update_take_commit(struct request *request)
{
    uint32_t added[TID_HOST_MAX];
    struct daemon *daemon = request->daemon;
    notify_hosts_added(daemon, added, hosts_commit(&daemon->hosts, added));
    loop_timer_cancel(&daemon->idle_end);
    return REQUEST_DONE;
}

enum request_result table_update_take_deletion(struct request *request)
{
    struct daemon *daemon = request->daemon;
    struct hosts *hosts = &daemon->hosts;
    int32_t serial = control_get_int(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (serial != hosts->serial || tid_host_part(request->origin.tid) != hosts->master->part ||
        hosts_is_master(hosts)) {
        log_write("t%x deletes hosts, which is not its to do now: ignored", request->origin.tid);
        return REQUEST_DONE;
    }
    while (control_rest(&request->body) >= 4) {
        struct host *host = hosts_find(hosts, control_get_tid(&request->body));
        if (host && host->link && host != hosts->master)
            host_end_fail(daemon, host);
    }
    return REQUEST_DONE;
}

static void table_update_set(struct daemon *daemon, int32_t field, const char *value)
{
    switch (field) {
    case SETTING_SEARCH_PATH:
        settings_replace(&daemon->settings, value, NULL, NULL);
        break;
    case SETTING_DEBUGGER:
        settings_replace(&daemon->settings, NULL, value, NULL);
        break;
    case SETTING_DIRECTORY:
        settings_replace(&daemon->settings, NULL, NULL, value);
        settings_enter_directory(&daemon->settings);
        break;
    case SETTING_SCHEDULER:
        services_follow_scheduler(daemon, (uint32_t)strtoul(value, NULL, 16));
        break;
    case SETTING_TRACER:
        services_follow_tracer(daemon, value);
        break;
    default:
        log_write("the master sets %d to '%s', which means nothing here: ignored", field, value);
    }
}

enum request_result table_update_take_settings(struct request *request)
{
    while (control_rest(&request->body) > 0) {
        int32_t field = control_get_int(&request->body);
        char *value = control_get_string(&request->body, 0);
        if (!value)
            return REQUEST_MALFORMED;
        table_update_set(request->daemon, field, value);
        free(value);
    }
    return REQUEST_DONE;
}
