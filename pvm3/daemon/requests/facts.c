/* facts.c - four integers. */
#include "daemon/requests/facts.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/post/router.h"
#include "daemon/requests/request_room.h"

#define FACTS 4

struct facts_question {
    struct pending pending;
    struct request_origin origin;
};

static int32_t facts_release(void)
{
    unsigned number[4] = {0};
    sscanf(VERSION, "%u.%u.%u.%u", &number[0], &number[1], &number[2], &number[3]);
    return (int32_t)(((number[0] * 100 + number[1]) * 100 + number[2]) * 100 + number[3]);
}

static int32_t facts_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

static int32_t facts_load(void)
{
    double load = 0;
    getloadavg(&load, 1);
    return (int32_t)(load * 100 + 0.5);
}

static int32_t facts_tasks(const struct daemon *daemon)
{
    int32_t count = 0;
    LIST_FOR_EACH(node, &daemon->post->tasks.list)
    count++;
    return count;
}

void facts_put(struct message *message, const struct daemon *daemon)
{
    control_put_int(message, facts_release());
    control_put_int(message, facts_processors());
    control_put_int(message, facts_load());
    control_put_int(message, facts_tasks(daemon));
}

static void facts_reply_none(const struct request_origin *origin)
{
    struct message *answer = request_answer_to(origin);
    control_put_int(answer, 0);
    request_reply_to(origin, answer);
}

static void facts_failed(struct pending *pending)
{
    struct facts_question *question = LIST_OWNER(pending, struct facts_question, pending);
    facts_reply_none(&question->origin);
    free(question);
}

static void facts_answered(struct pending *pending, struct control_reader *body)
{
    struct facts_question *question = LIST_OWNER(pending, struct facts_question, pending);
    int32_t fact[FACTS];
    control_get_int(body); /* the clock */
    control_get_int(body);
    for (int i = 0; i < FACTS; i++)
        fact[i] = control_get_int(body);
    if (body->failed) {
        facts_failed(pending);
        return;
    }
    struct message *answer = request_answer_to(&question->origin);
    control_put_int(answer, FACTS);
    for (int i = 0; i < FACTS; i++)
        control_put_int(answer, fact[i]);
    request_reply_to(&question->origin, answer);
    free(question);
}

enum request_result facts_tickle(struct request *request, uint32_t where)
{
    struct daemon *daemon = request->daemon;
    const struct host *host = hosts_find(&daemon->post->hosts, where);
    if (host && !host->link) {
        struct message *answer = request_answer(request);
        control_put_int(answer, FACTS);
        facts_put(answer, daemon);
        request_reply(request, answer);
        return REQUEST_DONE;
    }
    struct facts_question *question = host ? malloc(sizeof *question) : NULL;
    if (!question) {
        facts_reply_none(&request->origin);
        return REQUEST_DONE;
    }
    question->origin = request->origin;
    pending_start(&question->pending, daemon, host, DM_HOSTSYNC, facts_answered, facts_failed);
    router_send(daemon, host->part | TID_DAEMON_BIT,
                control_new(DM_HOSTSYNC, 0, question->pending.wait));
    return REQUEST_DONE;
}
