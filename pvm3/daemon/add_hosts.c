/* add_hosts.c - one addition at a time. */
#include "daemon/add_hosts.h"

#include <netinet/in.h>
#include <stdlib.h>

#include <pvm3.h>

#include "daemon/daemon.h"
#include "daemon/host_spec.h"
#include "daemon/log.h"
#include "daemon/lookup.h"

#define HOSTS_MAX 4095

struct added_host {
    struct host_spec spec;
    int32_t result; /* 0 while nothing is known against it */
};

struct addition {
    struct daemon *daemon;
    struct request_origin origin;
    struct lookup lookup;
    struct added_host *hosts;
    int32_t count;
};

static void addition_free(struct addition *addition)
{
    for (int32_t i = 0; i < addition->count; i++)
        host_spec_free(&addition->hosts[i].spec);
    free(addition->hosts);
    free(addition);
}

static bool addition_read_host(struct added_host *host, struct control_reader *body)
{
    char *text = control_get_string(body, 0);
    if (!text)
        return false;
    if (host_spec_read(&host->spec, text) != HOST_SPEC_GOOD)
        host->result = PvmBadParam;
    free(text);
    return true;
}

/* NULL when the request makes no sense. */
static struct addition *addition_read(struct request *request)
{
    int32_t count = control_get_count(&request->body, 8);
    if (request->body.failed || count < 1 || count > HOSTS_MAX)
        return NULL;
    struct addition *addition = calloc(1, sizeof *addition);
    struct added_host *hosts = calloc((size_t)count, sizeof *hosts);
    if (!addition || !hosts) {
        free(addition);
        free(hosts);
        return NULL;
    }
    addition->daemon = request->daemon;
    addition->origin = request_origin(request);
    addition->hosts = hosts;
    while (addition->count < count)
        if (!addition_read_host(&hosts[addition->count++], &request->body)) {
            addition_free(addition);
            return NULL;
        }
    return addition;
}

static void addition_answer(struct addition *addition)
{
    if (addition->origin.tag == SM_ADD)
        addition->origin.tag = SM_ADDACK;
    struct message *answer = request_answer_to(&addition->origin);
    control_put_int(answer, addition->count);
    control_put_int(answer, 0);
    for (int32_t i = 0; i < addition->count; i++) {
        control_put_int(answer, addition->hosts[i].result);
        control_put_string(answer, "");
        control_put_string(answer, "");
        control_put_int(answer, 0);
        control_put_int(answer, 0);
    }
    request_reply_to(&addition->origin, answer);
    addition_free(addition);
}

static void addition_judge(struct added_host *host, uint32_t address, uint32_t own)
{
    if (host->result < 0)
        return;
    if (address == 0)
        host->result = PvmNoHost;
    else if (address == own)
        host->result = PvmDupHost;
    else
        host->result = PvmCantStart;
    if (host->result == PvmCantStart)
        log_write("cannot add the host %s: this daemon does not start others yet", host->spec.name);
}

static void addition_looked_up(struct lookup *lookup)
{
    struct addition *addition = LIST_OWNER(lookup, struct addition, lookup);
    struct daemon *daemon = addition->daemon;
    log_debug(LOG_HOSTS, "%d hosts have been looked up", addition->count);
    for (int32_t i = 0; i < addition->count; i++)
        addition_judge(&addition->hosts[i], lookup->addresses[i],
                       hosts_own(&daemon->hosts)->address);
    daemon->addition = NULL;
    lookup_finish(lookup);
    addition_answer(addition);
}

static void addition_fail(struct addition *addition, int32_t result)
{
    for (int32_t i = 0; i < addition->count; i++)
        addition->hosts[i].result = result;
    addition_answer(addition);
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
    if (!started)
        lookup_finish(&addition->lookup);
    free(names);
    return started;
}

/* Hosts could not reach a daemon that only has the loopback address. */
enum request_result add_hosts_request(struct request *request)
{
    struct daemon *daemon = request->daemon;
    struct addition *addition = addition_read(request);
    if (!addition)
        return REQUEST_MALFORMED;
    if (daemon->addition) {
        addition_free(addition);
        return request_reply_int(request, PvmAlready);
    }
    if (hosts_own(&daemon->hosts)->address == INADDR_LOOPBACK)
        addition_fail(addition, PvmIPLoopback);
    else if (addition_look_up(addition))
        daemon->addition = addition;
    else
        addition_fail(addition, PvmDSysErr);
    return REQUEST_DONE;
}

void add_hosts_finish(struct daemon *daemon)
{
    if (!daemon->addition)
        return;
    lookup_finish(&daemon->addition->lookup);
    addition_free(daemon->addition);
    daemon->addition = NULL;
}
