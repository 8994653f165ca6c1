/* request.c - answers. */
#include "daemon/post/request.h"

#include <pvm3.h>

#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"
#include "daemon/post/router.h"

struct message *request_answer_to(const struct request_origin *origin)
{
    return control_new(origin->tag, origin->context, origin->wait);
}

struct message *request_answer(const struct request *request)
{
    return request_answer_to(&request->origin);
}

void request_reply_to(const struct request_origin *origin, struct message *answer)
{
    router_send(origin->daemon, origin->tid, answer);
}

void request_reply(const struct request *request, struct message *answer)
{
    router_send(request->daemon, request->origin.tid, answer);
}

/* A daemon of ours asks the host where it last knew the task to live. */
static bool request_is_of_ours(const struct request *request)
{
    const struct host *host = hosts_find(&request->daemon->post->hosts, request->origin.tid);
    return host && host->link && host->link->upgrade.known;
}

const struct host *request_way(const struct request *request, uint32_t tid)
{
    const struct host *host = places_host(request->daemon, tid);
    bool follows = request->task || places_find(&request->daemon->post->places, tid) ||
                   request_is_of_ours(request);
    return follows && host && host->link ? host : NULL;
}

void request_refuse(const struct request_origin *origin)
{
    if (origin->tag == 0 || origin->wait == 0)
        return;
    struct message *answer = request_answer_to(origin);
    control_put_int(answer, PvmBadParam);
    request_reply_to(origin, answer);
}

enum request_result request_reply_int(const struct request *request, int32_t value)
{
    struct message *answer = request_answer(request);
    control_put_int(answer, value);
    request_reply(request, answer);
    return REQUEST_DONE;
}
