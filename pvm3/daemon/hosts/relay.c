/* relay.c - a pending question with an origin. */
#include "daemon/hosts/relay.h"

#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/hosts/host_room.h"
#include "daemon/post/host_link.h"

struct relay {
    struct pending pending;
    struct request_origin origin;
    int prefix;
    int32_t failure;
    int32_t tag;
    struct message *question; /* NULL: it is for this host alone */
};

/* What the host is asked since it is the master. */
static bool relay_is_for_master(int32_t tag)
{
    return tag == DM_DB || tag == DM_ADD || tag == DM_DELHOST;
}

static void relay_free(struct relay *relay)
{
    message_free(relay->question);
    free(relay);
}

static void relay_answered(struct pending *pending, struct control_reader *body)
{
    struct relay *relay = LIST_OWNER(pending, struct relay, pending);
    struct message *answer = request_answer_to(&relay->origin);
    for (int i = 0; i < relay->prefix; i++)
        control_put_int(answer, 0);
    if (control_is_whole(answer) &&
        message_append_rest(answer, body->message, (struct cursor){0, 0}) < 0) {
        log_write("no memory to pass an answer on to t%x: it gets none", relay->origin.tid);
        message_free(answer);
    } else {
        request_reply_to(&relay->origin, answer);
    }
    relay_free(relay);
}

/* Whether the question was for the master, and there is another one now. */
static bool relay_may_ask_again(const struct relay *relay)
{
    const struct daemon *daemon = relay->origin.daemon;
    return relay->question && !daemon->loop.ended &&
           daemon->post->hosts.master->part != relay->pending.part;
}

static void relay_failed(struct pending *pending)
{
    struct relay *relay = LIST_OWNER(pending, struct relay, pending);
    if (relay_may_ask_again(relay)) {
        pending->daemon->post->upcalls.ask_again(&relay->origin, relay->tag, pending->wait,
                                                 relay->question, relay->failure);
        free(relay);
        return;
    }
    struct message *answer = request_answer_to(&relay->origin);
    control_put_int(answer, relay->failure);
    request_reply_to(&relay->origin, answer);
    relay_free(relay);
}

enum request_result relay(struct request *request, const struct host *host, int32_t tag,
                          struct message *question, int prefix, int32_t failure)
{
    struct relay *relay = malloc(sizeof *relay);
    struct message *message = question ? question : message_view(request->message);
    if (!relay || !control_is_whole(message)) {
        free(relay);
        message_free(message);
        return request_reply_int(request, failure);
    }
    *relay = (struct relay){.origin = request->origin,
                            .prefix = prefix,
                            .failure = failure,
                            .tag = tag,
                            .question = relay_is_for_master(tag) ? message_view(message) : NULL};
    pending_start(&relay->pending, request->daemon, host, tag, relay_answered, relay_failed);
    message->header.tag = tag;
    message->header.context = 0;
    message->header.wait = relay->pending.wait;
    host_link_send(host->link, message, host->part | TID_DAEMON_BIT,
                   hosts_own(&request->daemon->post->hosts)->part | TID_DAEMON_BIT);
    message_free(message);
    return REQUEST_DONE;
}
