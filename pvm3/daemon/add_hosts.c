/* add_hosts.c - one addition at a time. */
#include "daemon/add_hosts.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/host_file.h"
#include "daemon/host_settings.h"
#include "daemon/host_spec.h"
#include "daemon/host_start.h"
#include "daemon/log.h"
#include "daemon/lookup.h"
#include "daemon/relay.h"
#include "daemon/router.h"
#include "daemon/starter.h"
#include "daemon/table_update.h"

#define HOSTS_MAX 4095

struct added_host {
    struct host_spec spec;
    uint32_t address;
    uint32_t
        part; /* the host part of the tids that it is to have; 0 when it is not to be started */
    int32_t result; /* 0 while nothing is known against it */
    struct addition *addition;
    struct starter starter;
    struct host_start_result told; /* by its daemon */
};

struct addition {
    struct daemon *daemon;
    struct request_origin origin;
    struct lookup lookup;
    struct added_host *hosts;
    int32_t count;
    uint32_t hoster;  /* who has been asked to start them, 0 while nobody has */
    int32_t wait;     /* what its answer carries */
    int32_t starting; /* hosts whose daemons are being started */
};

static void addition_free(struct addition *addition)
{
    if (addition->daemon->addition == addition)
        addition->daemon->addition = NULL;
    if (addition->lookup.loop)
        lookup_finish(&addition->lookup);
    for (int32_t i = 0; i < addition->count; i++) {
        starter_finish(&addition->hosts[i].starter);
        host_spec_free(&addition->hosts[i].spec);
    }
    free(addition->hosts);
    free(addition);
}

static void addition_take_spec(struct addition *addition, const char *text)
{
    struct added_host *host = &addition->hosts[addition->count++];
    if (host_spec_read(&host->spec, text) == HOST_SPEC_GOOD)
        host_file_complete(addition->daemon->host_file, &host->spec);
    else
        host->result = PvmBadParam;
}

static bool addition_read_host(struct addition *addition, struct control_reader *body)
{
    char *text = control_get_string(body, 0);
    if (!text)
        return false;
    addition_take_spec(addition, text);
    free(text);
    return true;
}

static struct addition *addition_new(struct daemon *daemon, int32_t room)
{
    struct addition *addition = calloc(1, sizeof *addition);
    struct added_host *hosts = calloc((size_t)room, sizeof *hosts);
    if (!addition || !hosts) {
        free(addition);
        free(hosts);
        return NULL;
    }
    addition->daemon = daemon;
    addition->origin.daemon = daemon; /* nobody is told, unless a request says who */
    addition->hosts = hosts;
    return addition;
}

/* NULL when the request makes no sense. */
static struct addition *addition_read(struct request *request)
{
    int32_t count = control_get_count(&request->body, 8);
    if (request->body.failed || count < 1 || count > HOSTS_MAX)
        return NULL;
    struct addition *addition = addition_new(request->daemon, count);
    if (!addition)
        return NULL;
    addition->origin = request->origin;
    while (addition->count < count)
        if (!addition_read_host(addition, &request->body)) {
            addition_free(addition);
            return NULL;
        }
    return addition;
}

static struct message *addition_new_answer(struct addition *addition)
{
    if (addition->origin.tag == SM_ADD)
        addition->origin.tag = SM_ADDACK;
    return request_answer_to(&addition->origin);
}

static void addition_put_host(struct message *answer, const struct addition *addition,
                              const struct added_host *added)
{
    const struct host *host = hosts_find(&addition->daemon->hosts, added->part);
    if (added->result < 0 || !host) {
        control_put_int(answer, added->result < 0 ? added->result : PvmHostFail);
        control_put_string(answer, "");
        control_put_string(answer, "");
        control_put_int(answer, 0);
        control_put_int(answer, 0);
        return;
    }
    control_put_tid(answer, host->part);
    control_put_string(answer, host->name);
    control_put_string(answer, host->architecture);
    control_put_int(answer, host->speed);
    control_put_tid(answer, host->signature);
}

/* What became of each host. */
static void addition_answer(struct addition *addition)
{
    struct message *answer = addition_new_answer(addition);
    control_put_int(answer, addition->count);
    control_put_int(answer, 0);
    for (int32_t i = 0; i < addition->count; i++)
        addition_put_host(answer, addition, &addition->hosts[i]);
    request_reply_to(&addition->origin, answer);
    addition_free(addition);
}

/* Nothing became of the whole. */
static void addition_refuse(struct addition *addition, int32_t error)
{
    struct message *answer = addition_new_answer(addition);
    control_put_int(answer, error);
    request_reply_to(&addition->origin, answer);
    addition_free(addition);
}

static void addition_fail(struct addition *addition, int32_t result)
{
    for (int32_t i = 0; i < addition->count; i++)
        addition->hosts[i].result = result;
    addition_answer(addition);
}

/* Takes a host whose daemon runs into the table, where it is pending. */
static void addition_take_host(const struct addition *addition, struct added_host *added)
{
    struct daemon *daemon = addition->daemon;
    if (added->result == 0 && added->part != 0 && added->told.mtu == 0)
        added->result = PvmCantStart; /* the hoster left it out */
    if (added->result < 0 || added->part == 0)
        return;
    struct host *host = hosts_add(&daemon->hosts, added->part);
    if (!host) {
        added->result = PvmNoMem;
        return;
    }
    const char *speed = added->spec.options[HOST_SPEED];
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

static void addition_updated(struct daemon *daemon)
{
    if (daemon->addition)
        addition_answer(daemon->addition);
}

/* All daemons that could be started run. */
static void addition_started(struct addition *addition)
{
    int32_t taken = 0;
    addition->hoster = 0; /* has answered: may leave */
    for (int32_t i = 0; i < addition->count; i++) {
        addition_take_host(addition, &addition->hosts[i]);
        taken += addition->hosts[i].result == 0 && addition->hosts[i].part != 0;
    }
    if (taken > 0)
        table_update_start(addition->daemon, addition_updated);
    else
        addition_answer(addition);
}

/* The address is taken, by a host or by one that stands before it in the request. */
static bool addition_has_address(const struct addition *addition, int32_t index, uint32_t address)
{
    if (hosts_has_address(&addition->daemon->hosts, address))
        return true;
    for (int32_t i = 0; i < index; i++)
        if (addition->hosts[i].part != 0 && addition->hosts[i].address == address)
            return true;
    return false;
}

static void addition_judge(struct addition *addition, int32_t index, uint32_t address)
{
    struct added_host *host = &addition->hosts[index];
    if (host->result < 0)
        return;
    host->address = address;
    if (address == 0)
        host->result = PvmNoHost;
    else if (!host->spec.shared && addition_has_address(addition, index, address))
        host->result = PvmDupHost;
    else if ((host->part = hosts_next_part(&addition->daemon->hosts)) == 0)
        host->result = PvmOutOfRes;
}

/* The order to the hoster; NULL when memory is short. */
static struct message *addition_new_order(const struct addition *addition, int32_t count)
{
    const struct host *master = hosts_own(&addition->daemon->hosts);
    struct message *order = control_new(SM_STHOST, 0, addition->wait);
    control_put_int(order, count);
    for (int32_t i = 0; i < addition->count; i++) {
        const struct added_host *host = &addition->hosts[i];
        if (host->part != 0 &&
            !host_start_put(order, &host->spec, master, host->part, host->address)) {
            message_free(order);
            return NULL;
        }
    }
    return order;
}

/* Asks the hoster, if there is one, to start those that can be. False when it was not asked. */
static bool addition_order(struct addition *addition)
{
    struct services *services = &addition->daemon->services;
    int32_t count = 0;
    for (int32_t i = 0; i < addition->count; i++)
        count += addition->hosts[i].part != 0;
    if (services->hoster == 0 || count == 0)
        return false;
    addition->wait = services_next_wait(services);
    struct message *order = addition_new_order(addition, count);
    if (!control_is_whole(order)) {
        message_free(order);
        return false;
    }
    addition->hoster = services->hoster;
    router_send(addition->daemon, addition->hoster, order);
    return true;
}

static void addition_count(struct addition *addition)
{
    if (--addition->starting == 0)
        addition_started(addition);
}

static void addition_host_started(struct starter *starter)
{
    struct added_host *host = LIST_OWNER(starter, struct added_host, starter);
    host->result = host_start_judge(starter->result, &host->told);
    if (host->result < 0)
        log_write("the daemon on %s was not started: \"%s\"", host->spec.name, starter->result);
    addition_count(host->addition);
}

static void addition_start_host(struct addition *addition, struct added_host *host)
{
    const char *machine = host->spec.options[HOST_MACHINE];
    if (host->part == 0)
        return;
    char *command = host_start_command(&host->spec, hosts_own(&addition->daemon->hosts), host->part,
                                       host->address);
    if (!command) {
        host->result = PvmNoMem;
        return;
    }
    host->addition = addition;
    addition->starting++;
    starter_start(&host->starter, &addition->daemon->loop, host->spec.name,
                  host_spec_address(&host->spec), host->spec.options[HOST_LOGIN], command,
                  machine ? machine : environment_get("PVM_VMID", ""), addition_host_started);
    free(command);
}

static void addition_looked_up(struct lookup *lookup)
{
    struct addition *addition = LIST_OWNER(lookup, struct addition, lookup);
    log_debug(LOG_HOSTS, "%d hosts have been looked up", addition->count);
    for (int32_t i = 0; i < addition->count; i++)
        addition_judge(addition, i, lookup->addresses[i]);
    if (addition_order(addition))
        return;
    addition->starting = 1;
    for (int32_t i = 0; i < addition->count; i++)
        addition_start_host(addition, &addition->hosts[i]);
    addition_count(addition);
}

static struct added_host *addition_find(const struct addition *addition, uint32_t part)
{
    for (int32_t i = 0; i < addition->count; i++)
        if (part != 0 && addition->hosts[i].part == part)
            return &addition->hosts[i];
    return NULL;
}

/* Takes what the hoster says of each host. PvmOk, or PvmDSysErr when that makes no sense. */
static int32_t addition_read_results(struct addition *addition, struct control_reader *body)
{
    int32_t count = control_get_count(body, 8);
    for (int32_t i = 0; i < count; i++) {
        struct added_host *host = addition_find(addition, control_get_tid(body));
        char *line = control_get_string(body, 0);
        if (!host || !line) {
            free(line);
            log_write("the hoster t%x answers for a host that it was not asked for: no host is "
                      "added",
                      addition->hoster);
            return PvmDSysErr;
        }
        host->result = host_start_judge(line, &host->told);
        if (host->result < 0)
            log_write("the daemon on %s was not started: \"%s\"", host->spec.name, line);
        free(line);
    }
    return body->failed ? PvmDSysErr : PvmOk;
}

bool add_hosts_waits_for(const struct daemon *daemon, uint32_t tid)
{
    return daemon->addition && daemon->addition->hoster == tid;
}

/* A host that the answer leaves out was not started. */
enum request_result add_hosts_take_answer(struct request *request)
{
    struct addition *addition = request->daemon->addition;
    if (!add_hosts_waits_for(request->daemon, request->origin.tid) ||
        addition->wait != request->message->header.wait) {
        complain(&request->daemon->complaints, request->origin.tid,
                 "t%x answers for hosts that nobody waits for: dropped", request->origin.tid);
        return REQUEST_DONE;
    }
    if (addition_read_results(addition, &request->body) < 0) {
        addition_refuse(addition, PvmDSysErr);
        return REQUEST_DONE;
    }
    addition_started(addition);
    return REQUEST_DONE;
}

void add_hosts_task_leave(struct daemon *daemon, uint32_t tid)
{
    if (!add_hosts_waits_for(daemon, tid))
        return;
    log_write("the hoster t%x left before it answered: no host is added", tid);
    addition_refuse(daemon->addition, PvmDSysErr);
}

static bool addition_look_up(struct addition *addition)
{
    const char **names = calloc((size_t)addition->count, sizeof *names);
    if (!names)
        return false;
    for (int32_t i = 0; i < addition->count; i++)
        names[i] = addition->hosts[i].result < 0 ? "" : host_spec_address(&addition->hosts[i].spec);
    bool started = lookup_start(&addition->lookup, &addition->daemon->loop, names,
                                (size_t)addition->count, addition_looked_up);
    free(names);
    return started;
}

/* Hosts could not reach a daemon that only has the loopback address. */
enum request_result add_hosts_request(struct request *request)
{
    struct daemon *daemon = request->daemon;
    if (!hosts_is_master(&daemon->hosts))
        return relay(request, daemon->hosts.master, DM_ADD, NULL, 0, PvmDSysErr);
    struct addition *addition = addition_read(request);
    if (!addition)
        return REQUEST_MALFORMED;
    if (daemon->addition) {
        addition_refuse(addition, PvmAlready);
        return REQUEST_DONE;
    }
    if (hosts_own(&daemon->hosts)->address == INADDR_LOOPBACK)
        addition_fail(addition, PvmIPLoopback);
    else if (addition_look_up(addition))
        daemon->addition = addition;
    else
        addition_fail(addition, PvmDSysErr);
    return REQUEST_DONE;
}

void add_hosts_of_file(struct daemon *daemon)
{
    size_t place = 0;
    int32_t count = 0;
    while (host_file_to_start(daemon->host_file, &place))
        count++;
    if (count == 0)
        return;
    if (hosts_own(&daemon->hosts)->address == INADDR_LOOPBACK) {
        log_write("the hosts of the host file cannot reach this one, whose address is 127.0.0.1: "
                  "none is started");
        return;
    }
    struct addition *addition = addition_new(daemon, count);
    for (place = 0; addition && addition->count < count;)
        addition_take_spec(addition, host_file_to_start(daemon->host_file, &place));
    if (addition && addition_look_up(addition)) {
        daemon->addition = addition;
        return;
    }
    log_write("no memory to start the hosts of the host file");
    if (addition)
        addition_free(addition);
}

void add_hosts_finish(struct daemon *daemon)
{
    if (daemon->addition)
        addition_free(daemon->addition);
}
