/* again.c - questions of the old master's time. */
#include "daemon/requests/again.h"

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/hosts/relay.h"
#include "daemon/members/add_hosts.h"
#include "daemon/requests/host_requests.h"
#include "daemon/requests/mailbox_requests.h"
#include "daemon/requests/replica.h"
#include "daemon/requests/request_room.h"

static enum request_result again_handle_mailbox(struct request *request, uint32_t asker,
                                                int32_t number)
{
    const struct replica_result *done = replica_find(request->daemon, asker, number);
    if (!done)
        return mailbox_request(request);
    mailbox_reply_entry(&request->origin, done->result,
                        done->found ? message_view(done->found) : NULL);
    return REQUEST_DONE;
}

static enum request_result again_handle(struct request *request, int32_t tag, uint32_t asker,
                                        int32_t number)
{
    log_debug(LOG_WAITS, "t%x asks again what it had asked the old master", request->origin.tid);
    switch (tag) {
    case DM_DB:
        return again_handle_mailbox(request, asker, number);
    case DM_ADD:
        return add_hosts_request(request);
    case DM_DELHOST:
        return host_requests_delete(request);
    }
    return REQUEST_MALFORMED;
}

static struct message *again_new(int32_t tag, int32_t number, const struct message *question)
{
    struct message *message = control_new(CONTROL_AGAIN, 0, 0);
    control_put_int(message, tag);
    control_put_int(message, number);
    if (control_is_whole(message) &&
        message_append_rest(message, question, (struct cursor){0, 0}) == 0)
        return message;
    message_free(message);
    return NULL;
}

static void again_ask_host(struct request *request, int32_t tag, int32_t number, int32_t failure)
{
    struct message *message = again_new(tag, number, request->message);
    if (message)
        relay(request, request->daemon->post->hosts.master, CONTROL_AGAIN, message, 0, failure);
    else
        request_reply_int(request, failure);
}

void again_ask(const struct request_origin *origin, int32_t tag, int32_t number,
               struct message *question, int32_t failure)
{
    struct daemon *daemon = origin->daemon;
    const struct hosts *hosts = &daemon->post->hosts;
    struct request request = {.daemon = daemon,
                              .task = tasks_find_task(&daemon->post->tasks, origin->tid),
                              .origin = *origin,
                              .message = question};
    control_read(&request.body, question);
    if (!hosts_is_master(hosts))
        again_ask_host(&request, tag, number, failure);
    else if (again_handle(&request, tag, hosts_own(hosts)->part | TID_DAEMON_BIT, number) !=
             REQUEST_DONE)
        request_refuse(origin);
    message_free(question);
}

enum request_result again_request(struct request *request)
{
    int32_t tag = control_get_int(&request->body), number = control_get_int(&request->body);
    return request->body.failed ? REQUEST_MALFORMED
                                : again_handle(request, tag, request->origin.tid, number);
}
