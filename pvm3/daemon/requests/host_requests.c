/* host_requests.c - answers from the host table. */
#include "daemon/requests/host_requests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <pvm3.h>

#include "daemon/hosts/relay.h"
#include "daemon/members/table_update.h"
#include "daemon/post/host_link.h"
#include "daemon/post/host_packets.h"
#include "daemon/requests/facts.h"
#include "daemon/requests/request_room.h"

#define REQUEST_HOSTS_MAX 4095

/* Different data signatures. */
static int32_t host_requests_count_formats(const struct hosts *hosts)
{
    int32_t count = 0;
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host)) {
        const struct host *first = hosts_next(hosts, NULL);
        while (first != host && first->signature != host->signature)
            first = hosts_next(hosts, first);
        count += first == host;
    }
    return count;
}

enum request_result host_requests_list(struct request *request)
{
    const struct hosts *hosts = &request->daemon->post->hosts;
    struct message *answer = request_answer(request);
    int32_t count = 0;
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host))
        count++;
    control_put_int(answer, count);
    control_put_int(answer, host_requests_count_formats(hosts));
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host)) {
        control_put_tid(answer, host->part);
        control_put_string(answer, host->name);
        control_put_string(answer, host->architecture);
        control_put_int(answer, host->speed);
        control_put_tid(answer, host->signature);
    }
    request_reply(request, answer);
    return REQUEST_DONE;
}

enum request_result host_requests_state(struct request *request)
{
    char *name = control_get_string(&request->body, 0);
    if (!name)
        return REQUEST_MALFORMED;
    const struct host *host = hosts_find_name(&request->daemon->post->hosts, name);
    free(name);
    if (!host || !host->link)
        return request_reply_int(request, host ? PvmOk : PvmNoHost);
    struct message *question = control_new(DM_PSTAT, 0, 0);
    control_put_tid(question, host->part | TID_DAEMON_BIT);
    return relay(request, host, DM_PSTAT, question, 0, PvmHostFail);
}

enum request_result host_requests_clock(struct request *request)
{
    uint32_t where = request->task ? control_get_tid(&request->body)
                                   : hosts_own(&request->daemon->post->hosts)->part;
    if (request->body.failed)
        return REQUEST_MALFORMED;
    const struct host *host = hosts_find(&request->daemon->post->hosts, where);
    if (!host)
        return request_reply_int(request, PvmNoHost);
    if (host->link)
        return relay(request, host, DM_HOSTSYNC, control_new(DM_HOSTSYNC, 0, 0), 1, PvmHostFail);
    struct timeval now;
    gettimeofday(&now, NULL);
    struct message *answer = request_answer(request);
    if (request->task)
        control_put_int(answer, PvmOk);
    control_put_int(answer, (int32_t)now.tv_sec);
    control_put_int(answer, (int32_t)now.tv_usec);
    if (!request->task)
        facts_put(answer, request->daemon);
    request_reply(request, answer);
    return REQUEST_DONE;
}

static int32_t host_requests_delete_one(struct request *request, const char *name)
{
    struct hosts *hosts = &request->daemon->post->hosts;
    struct host *host = hosts_find_name(hosts, name);
    if (!host)
        return PvmNoHost;
    if (!host->link)
        return PvmBadParam;
    if (host->link->ending)
        return PvmDupHost;
    host_packets_end(host->link);
    return PvmOk;
}

/* Only the master deletes. */
enum request_result host_requests_delete(struct request *request)
{
    struct hosts *hosts = &request->daemon->post->hosts;
    if (!hosts_is_master(hosts) && request->task)
        return relay(request, hosts->master, DM_DELHOST, NULL, 0, PvmHostFail);
    int32_t count = control_get_count(&request->body, 8);
    if (request->body.failed || count < 1 || count > REQUEST_HOSTS_MAX)
        return REQUEST_MALFORMED;
    char **names = calloc((size_t)count, sizeof *names);
    bool whole = names != NULL;
    for (int32_t i = 0; i < count && whole; i++)
        whole = (names[i] = control_get_string(&request->body, 0)) != NULL;
    struct message *answer = request_answer(request);
    control_put_int(answer, count);
    for (int32_t i = 0; i < count && whole; i++)
        control_put_int(answer, host_requests_delete_one(request, names[i]));
    for (int32_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
    if (!whole) {
        message_free(answer);
        return REQUEST_MALFORMED;
    }
    table_update_delete_ending(request->daemon);
    request_reply(request, answer);
    return REQUEST_DONE;
}
