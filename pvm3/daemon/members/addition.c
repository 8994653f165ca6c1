/* addition.c - from a name to an entry of the table. */
#include "daemon/members/addition.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "daemon/base/log.h"
#include "daemon/hosts/membership.h"
#include "daemon/members/copies.h"
#include "daemon/members/host_file.h"
#include "daemon/members/host_settings.h"
#include "daemon/members/member_room.h"
#include "daemon/members/table_update.h"
#include "daemon/post/router.h"

/* How long hosts that are ready wait for the others, in milliseconds. */
#define MOMENT 1000

static void addition_go_on(struct addition *addition);

static void addition_run_moment(struct loop_timer *timer)
{
    struct addition *addition = LIST_OWNER(timer, struct addition, moment);
    addition->hurried = true;
    addition_go_on(addition);
}

struct addition *addition_new(struct daemon *daemon, int32_t room)
{
    struct addition *addition = calloc(1, sizeof *addition);
    struct added_host *hosts = calloc((size_t)room, sizeof *hosts);
    if (!addition || !hosts) {
        free(addition);
        free(hosts);
        return NULL;
    }
    addition->daemon = daemon;
    addition->origin.daemon = daemon;
    addition->hosts = hosts;
    loop_timer_start(&addition->moment, addition_run_moment);
    return addition;
}

void addition_free(struct addition *addition)
{
    loop_timer_cancel(&addition->moment);
    if (addition->lookup.inquiry.loop)
        lookup_finish(&addition->lookup);
    for (int32_t i = 0; i < addition->count; i++) {
        starter_finish(&addition->hosts[i].starter);
        host_spec_free(&addition->hosts[i].spec);
    }
    free(addition->hosts);
    free(addition);
}

static void added_host_fail(struct added_host *host, int32_t result)
{
    host->result = result;
    host->state = ADDED_HOST_SETTLED;
}

void addition_add(struct addition *addition, const char *text)
{
    struct added_host *host = &addition->hosts[addition->count++];
    host->addition = addition;
    switch (host_spec_read(&host->spec, text)) {
    case HOST_SPEC_GOOD:
        host_file_complete(addition->daemon->member_room->host_file, &host->spec);
        return;
    case HOST_SPEC_MEMORY:
        added_host_fail(host, PvmNoMem);
        return;
    case HOST_SPEC_EMPTY:
    case HOST_SPEC_BAD:
        log_write("'%s' cannot be added: %s", text, host->spec.wrong);
        added_host_fail(host, PvmBadParam);
    }
}

struct added_host *addition_find(const struct addition *addition, uint32_t part)
{
    for (int32_t i = 0; i < addition->count; i++)
        if (part != 0 && addition->hosts[i].part == part)
            return &addition->hosts[i];
    return NULL;
}

static int32_t addition_number(const struct addition *addition, enum added_host_state state)
{
    int32_t number = 0;
    for (int32_t i = 0; i < addition->count; i++)
        number += addition->hosts[i].state == state;
    return number;
}

/* Judging. ------------------------------------------------------------------------------------- */

/* The address is taken, by a host or by one that was judged before. */
static bool addition_has_address(const struct addition *addition, uint32_t address)
{
    if (hosts_has_address(&addition->daemon->post->hosts, address))
        return true;
    for (int32_t i = 0; i < addition->count; i++)
        if (addition->hosts[i].part != 0 && addition->hosts[i].address == address)
            return true;
    return false;
}

/* A host file that all hosts share names the own host, too, by whatever name. */
static bool addition_is_own(const struct addition *addition, uint32_t address)
{
    struct ifaddrs *interfaces;
    bool own = false;
    if (addition->origin.tid != 0 || getifaddrs(&interfaces) < 0)
        return false;
    for (const struct ifaddrs *one = interfaces; one && !own; one = one->ifa_next)
        own = one->ifa_addr && one->ifa_addr->sa_family == AF_INET &&
              ((const struct sockaddr_in *)(const void *)one->ifa_addr)->sin_addr.s_addr ==
                  htonl(address);
    freeifaddrs(interfaces);
    return own;
}

static void added_host_judge(struct added_host *host, uint32_t address)
{
    struct addition *addition = host->addition;
    if (address == 0)
        added_host_fail(host, PvmNoHost);
    else if (!host->spec.shared &&
             (addition_has_address(addition, address) || addition_is_own(addition, address)))
        added_host_fail(host, PvmDupHost);
    else if ((host->part = hosts_next_part(&addition->daemon->post->hosts)) == 0)
        added_host_fail(host, PvmOutOfRes);
    else
        host->state = ADDED_HOST_GOOD;
    if (host->state == ADDED_HOST_GOOD)
        copy_cursor(addition->daemon);
    host->address = address;
}

/* Judges the hosts whose turn it is. */
static void addition_judge(struct addition *addition)
{
    for (int32_t i = 0; i < addition->count; i++) {
        struct added_host *host = &addition->hosts[i];
        const struct looked_up *name = &addition->lookup.names[i];
        if (host->state != ADDED_HOST_NAMED)
            continue;
        if (name->known)
            added_host_judge(host, name->address);
        else if (!addition->hurried)
            break;
    }
}

/* True when hosts whose names are known must wait for hosts before them. */
static bool addition_holds_back(const struct addition *addition)
{
    return (size_t)addition_number(addition, ADDED_HOST_NAMED) > addition->lookup.unknown;
}

/* Starting. ------------------------------------------------------------------------------------ */

/* Says what a host without the secret means, or ends its daemon if such hosts are not wanted. */
static void added_host_take_without_key(struct added_host *host)
{
    struct daemon *daemon = host->addition->daemon;
    if (!daemon->settings.keyed_peers_only) {
        log_note("the daemon on %s holds no key, as one of 3.4.6 or one that was started by hand: "
                 "whoever can send packets with its address can act for it%s (PVM_PEERS=ours "
                 "refuses such hosts)",
                 host->spec.name,
                 daemon->settings.secrecy ? ", and what it is sent is not encrypted" : "");
        return;
    }
    log_write("the daemon on %s holds no key, as one of 3.4.6 or one that was started by hand: it "
              "is refused (PVM_PEERS=ours)",
              host->spec.name);
    former_hosts_end(daemon, &(struct former_host){.part = host->part,
                                                   .address = host->told.address,
                                                   .port = host->told.port});
    added_host_fail(host, PvmBadVersion);
}

void addition_take_line(struct added_host *host, const char *line)
{
    int32_t result = host_start_judge(line, &host->told);
    host->state = ADDED_HOST_RUNNING;
    if (result == PvmOk && host->told.salt == 0 && host->addition->daemon->post->machine_key.known)
        added_host_take_without_key(host);
    if (result == PvmOk)
        return;
    log_write("the daemon on %s was not started: \"%s\"", host->spec.name, line);
    added_host_fail(host, result);
}

static void added_host_started(struct starter *starter)
{
    struct added_host *host = LIST_OWNER(starter, struct added_host, starter);
    addition_take_line(host, starter->result);
    addition_go_on(host->addition);
}

static void added_host_start(struct added_host *host)
{
    static const char *const ways[] = {[STARTER_ASKING_SHELL] = "pw", [STARTER_BY_HAND] = "ms"};
    struct daemon *daemon = host->addition->daemon;
    const struct host *master = hosts_own(&daemon->post->hosts);
    const struct host_spec *spec = &host->spec;
    const struct machine_key *key = &daemon->post->machine_key;
    const char *way = spec->options[HOST_START] ? spec->options[HOST_START] : "";
    const bool with_key = key->known && strcmp(way, ways[STARTER_BY_HAND]) != 0;
    struct starter_order order = {
        .host = spec->name,
        .address = host_spec_address(spec),
        .login = spec->options[HOST_LOGIN],
        .machine = host_start_machine(spec),
        .command = host_start_command(spec, master, host->part, host->address, with_key),
        .windows_command = host_start_windows_command(spec, master, host->part, host->address),
    };
    for (int i = STARTER_ASKING_SHELL; i <= STARTER_BY_HAND; i++)
        if (strcmp(way, ways[i]) == 0)
            order.way = (enum starter_way)i;
    if (with_key)
        machine_key_write(key, master->part >> TID_HOST_SHIFT, order.key);
    host->state = ADDED_HOST_STARTING;
    if (order.command) {
        starter_start(&host->starter, daemon, &order, added_host_started);
        return;
    }
    free(order.windows_command);
    added_host_fail(host, PvmNoMem);
}

/* The order to the hoster; NULL when memory is short. */
static struct message *addition_new_order(const struct addition *addition)
{
    const struct host *master = hosts_own(&addition->daemon->post->hosts);
    struct message *order = control_new(SM_STHOST, 0, addition->wait);
    control_put_int(order, addition_number(addition, ADDED_HOST_GOOD));
    for (int32_t i = 0; i < addition->count; i++) {
        const struct added_host *host = &addition->hosts[i];
        if (host->state == ADDED_HOST_GOOD &&
            !host_start_put(order, &host->spec, master, host->part, host->address)) {
            message_free(order);
            return NULL;
        }
    }
    return order;
}

/* Asks the hoster to start all of them. False when it was not asked. */
static bool addition_order(struct addition *addition)
{
    struct services *services = &addition->daemon->task_room->services;
    addition->wait = services_next_wait(services);
    struct message *order = addition_new_order(addition);
    if (!control_is_whole(order)) {
        message_free(order);
        return false;
    }
    addition->hoster = services->hoster;
    for (int32_t i = 0; i < addition->count; i++)
        if (addition->hosts[i].state == ADDED_HOST_GOOD)
            addition->hosts[i].state = ADDED_HOST_STARTING;
    router_send(addition->daemon, addition->hoster, order);
    return true;
}

/* A hoster is asked once, for all that can be started; otherwise each is started as it comes. */
static void addition_start(struct addition *addition)
{
    if (addition_number(addition, ADDED_HOST_GOOD) == 0)
        return;
    if (addition->for_hoster && addition->daemon->task_room->services.hoster != 0 &&
        (addition_number(addition, ADDED_HOST_NAMED) > 0 || addition_order(addition)))
        return;
    for (int32_t i = 0; i < addition->count; i++)
        if (addition->hosts[i].state == ADDED_HOST_GOOD)
            added_host_start(&addition->hosts[i]);
}

void addition_end_starts(struct addition *addition)
{
    addition->hoster = 0;
    for (int32_t i = 0; i < addition->count; i++)
        if (addition->hosts[i].state == ADDED_HOST_STARTING)
            added_host_fail(&addition->hosts[i], PvmCantStart);
    addition_go_on(addition);
}

/* Into the table. ------------------------------------------------------------------------------ */

static void added_host_take(struct added_host *added)
{
    struct daemon *daemon = added->addition->daemon;
    daemon->post->machine_key.salts[added->part >> TID_HOST_SHIFT] = added->told.salt;
    struct host *host = membership_add(&daemon->post->hosts, added->part);
    if (!host) {
        added_host_fail(added, PvmNoMem);
        return;
    }
    const char *speed = added->spec.options[HOST_SPEED];
    added->state = ADDED_HOST_SETTLED;
    hosts_describe(host, &(struct host_facts){
                             .name = added->spec.name,
                             .architecture = added->told.architecture,
                             .address = added->told.address,
                             .port = added->told.port,
                             .mtu = added->told.mtu,
                             .speed = speed ? atoi(speed) : SETTINGS_SPEED_DEFAULT,
                             .signature = added->told.signature,
                         });
    host_settings_send(daemon, host->part, &added->spec);
}

void addition_updated(struct daemon *daemon)
{
    if (daemon->member_room->addition)
        addition_go_on(daemon->member_room->addition);
}

static void addition_update(struct addition *addition)
{
    for (int32_t i = 0; i < addition->count; i++)
        if (addition->hosts[i].state == ADDED_HOST_RUNNING)
            added_host_take(&addition->hosts[i]);
    table_update_start(addition->daemon, false, addition_updated);
}

/* ---------------------------------------------------------------------------------------------- */

static void addition_hurry(struct addition *addition)
{
    if (!loop_timer_is_set(&addition->moment))
        loop_timer_set(&addition->daemon->loop, &addition->moment, MOMENT);
}

/* Does what can be done now. The addition may be gone afterwards. */
static void addition_go_on(struct addition *addition)
{
    addition_judge(addition);
    addition_start(addition);
    if (table_update_runs(addition->daemon))
        return;
    int32_t running = addition_number(addition, ADDED_HOST_RUNNING);
    int32_t settled = addition_number(addition, ADDED_HOST_SETTLED);
    if (settled == addition->count)
        addition->done(addition);
    else if (running > 0 && (addition->hurried || settled + running == addition->count))
        addition_update(addition);
    else if (running > 0 || addition_holds_back(addition))
        addition_hurry(addition);
}

static void addition_looked_up(struct lookup *lookup)
{
    struct addition *addition = LIST_OWNER(lookup, struct addition, lookup);
    log_debug(LOG_HOSTS, "%zu of %d hosts have been looked up", lookup->count - lookup->unknown,
              addition->count);
    addition_go_on(addition);
}

bool addition_begin(struct addition *addition, void (*done)(struct addition *))
{
    const char **names = calloc((size_t)addition->count, sizeof *names);
    if (!names)
        return false;
    addition->done = done;
    addition->for_hoster = addition->daemon->task_room->services.hoster != 0;
    for (int32_t i = 0; i < addition->count; i++) {
        const struct added_host *host = &addition->hosts[i];
        names[i] = host->state == ADDED_HOST_NAMED ? host_spec_address(&host->spec) : "";
    }
    bool begun = lookup_start(&addition->lookup, &addition->daemon->loop, names,
                              (size_t)addition->count, addition_looked_up);
    free(names);
    return begun;
}
