/* add_hosts.c - one addition at a time. */
#include "daemon/members/add_hosts.h"

#include <netinet/in.h>
#include <stdlib.h>

#include <pvm3.h>

#include "core/error.h"
#include "daemon/base/log.h"
#include "daemon/hosts/relay.h"
#include "daemon/members/addition.h"
#include "daemon/members/host_file.h"
#include "daemon/members/member_room.h"

#define HOSTS_MAX 4095

static bool add_hosts_read_host(struct addition *addition, struct control_reader *body)
{
    char *text = control_get_string(body, 0);
    if (!text)
        return false;
    addition_add(addition, text);
    free(text);
    return true;
}

/* NULL when the request makes no sense. */
static struct addition *add_hosts_read(struct request *request)
{
    int32_t count = control_get_count(&request->body, 8);
    if (request->body.failed || count < 1 || count > HOSTS_MAX)
        return NULL;
    struct addition *addition = addition_new(request->daemon, count);
    if (!addition)
        return NULL;
    addition->origin = request->origin;
    while (addition->count < count)
        if (!add_hosts_read_host(addition, &request->body)) {
            addition_free(addition);
            return NULL;
        }
    return addition;
}

static void add_hosts_drop(struct addition *addition)
{
    if (addition->daemon->member_room->addition == addition)
        addition->daemon->member_room->addition = NULL;
    addition_free(addition);
}

static struct message *add_hosts_new_answer(struct addition *addition)
{
    if (addition->origin.tag == SM_ADD)
        addition->origin.tag = SM_ADDACK;
    return request_answer_to(&addition->origin);
}

static void add_hosts_put_host(struct message *answer, const struct addition *addition,
                               const struct added_host *added)
{
    const struct host *host = hosts_find(&addition->daemon->post->hosts, added->part);
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
static void add_hosts_answer(struct addition *addition)
{
    struct message *answer = add_hosts_new_answer(addition);
    control_put_int(answer, addition->count);
    control_put_int(answer, 0);
    for (int32_t i = 0; i < addition->count; i++)
        add_hosts_put_host(answer, addition, &addition->hosts[i]);
    request_reply_to(&addition->origin, answer);
    add_hosts_drop(addition);
}

/* Nothing became of the whole. */
static void add_hosts_refuse(struct addition *addition, int32_t error)
{
    struct message *answer = add_hosts_new_answer(addition);
    control_put_int(answer, error);
    request_reply_to(&addition->origin, answer);
    add_hosts_drop(addition);
}

/*
 * Gives the hosts this result, but for hosts that have one already, because their settings make no
 * sense.
 */
static void add_hosts_fail(struct addition *addition, int32_t result)
{
    for (int32_t i = 0; i < addition->count; i++)
        if (addition->hosts[i].state != ADDED_HOST_SETTLED)
            addition->hosts[i].result = result;
    add_hosts_answer(addition);
}

/* Takes what the hoster says of each host. PvmOk, or PvmDSysErr when that makes no sense. */
static int32_t add_hosts_read_results(struct addition *addition, struct control_reader *body)
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
        addition_take_line(host, line);
        free(line);
    }
    return body->failed ? PvmDSysErr : PvmOk;
}

bool add_hosts_waits_for(const struct daemon *daemon, uint32_t tid)
{
    return daemon->member_room->addition && daemon->member_room->addition->hoster == tid;
}

enum request_result add_hosts_take_answer(struct request *request)
{
    struct addition *addition = request->daemon->member_room->addition;
    if (!add_hosts_waits_for(request->daemon, request->origin.tid) ||
        addition->wait != request->message->header.wait) {
        complain(&request->daemon->complaints, request->origin.tid,
                 "t%x answers for hosts that nobody waits for: dropped", request->origin.tid);
        return REQUEST_DONE;
    }
    if (add_hosts_read_results(addition, &request->body) < 0) {
        add_hosts_refuse(addition, PvmDSysErr);
        return REQUEST_DONE;
    }
    addition_end_starts(addition);
    return REQUEST_DONE;
}

void add_hosts_task_leave(struct daemon *daemon, uint32_t tid)
{
    if (!add_hosts_waits_for(daemon, tid))
        return;
    log_write("the hoster t%x left before it answered: no host is added", tid);
    add_hosts_refuse(daemon->member_room->addition, PvmDSysErr);
}

/* Hosts could not reach a daemon that only has the loopback address. */
enum request_result add_hosts_request(struct request *request)
{
    struct daemon *daemon = request->daemon;
    if (!hosts_is_master(&daemon->post->hosts))
        return relay(request, daemon->post->hosts.master, DM_ADD, NULL, 0, PvmDSysErr);
    struct addition *addition = add_hosts_read(request);
    if (!addition)
        return REQUEST_MALFORMED;
    if (daemon->member_room->addition)
        add_hosts_refuse(addition, PvmAlready);
    else if (hosts_own(&daemon->post->hosts)->address == INADDR_LOOPBACK)
        add_hosts_fail(addition, PvmIPLoopback);
    else if (addition_begin(addition, add_hosts_answer))
        daemon->member_room->addition = addition;
    else
        add_hosts_fail(addition, PvmDSysErr);
    return REQUEST_DONE;
}

/* The host file may name the own host, and hosts in several ways; what else went wrong is told. */
static void add_hosts_end_of_file(struct addition *addition)
{
    for (int32_t i = 0; i < addition->count; i++)
        if (addition->hosts[i].result < 0 && addition->hosts[i].result != PvmDupHost)
            log_write("the host file's host %s was not added: %s", addition->hosts[i].spec.name,
                      error_text(addition->hosts[i].result));
    add_hosts_drop(addition);
}

void add_hosts_of_file(struct daemon *daemon)
{
    size_t place = 0;
    int32_t count = 0;
    while (host_file_to_start(daemon->member_room->host_file, &place))
        count++;
    if (count == 0)
        return;
    if (hosts_own(&daemon->post->hosts)->address == INADDR_LOOPBACK) {
        log_write("the hosts of the host file cannot reach this one, whose address is 127.0.0.1: "
                  "none is started");
        return;
    }
    struct addition *addition = addition_new(daemon, count);
    for (place = 0; addition && addition->count < count;)
        addition_add(addition, host_file_to_start(daemon->member_room->host_file, &place));
    if (addition && addition_begin(addition, add_hosts_end_of_file)) {
        daemon->member_room->addition = addition;
        return;
    }
    log_write("no memory to start the hosts of the host file");
    if (addition)
        addition_free(addition);
}

void add_hosts_finish(struct daemon *daemon)
{
    if (daemon->member_room->addition)
        add_hosts_drop(daemon->member_room->addition);
}
