/* contexts.c - giving out and taking back. */
#include "daemon/requests/contexts.h"

#include <stdbool.h>
#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/hosts/relay.h"
#include "daemon/post/host_link.h"
#include "daemon/requests/request_room.h"

struct context {
    struct list node; /* in the list of its owner */
    uint32_t number;
};

static bool contexts_is_live(const struct contexts *contexts, uint32_t number)
{
    return contexts->live[number / 8] >> (number % 8) & 1;
}

static void contexts_flip(struct contexts *contexts, uint32_t number)
{
    contexts->live[number / 8] ^= (unsigned char)(1u << (number % 8));
}

static void context_free(struct contexts *contexts, struct context *context)
{
    contexts_flip(contexts, context->number);
    list_remove(&context->node);
    free(context);
}

/* The number of a new context, or PvmOutOfRes. */
static int32_t contexts_allocate(struct contexts *contexts, struct task *owner)
{
    for (uint32_t tried = 0; tried < CONTEXTS_MAX; tried++) {
        contexts->cursor = contexts->cursor % CONTEXTS_MAX + 1;
        if (contexts_is_live(contexts, contexts->cursor))
            continue;
        struct context *context = malloc(sizeof *context);
        if (!context)
            return PvmOutOfRes;
        context->number = contexts->cursor;
        list_append(&owner->contexts, &context->node);
        contexts_flip(contexts, context->number);
        return (int32_t)context->number;
    }
    return PvmOutOfRes;
}

static int32_t contexts_free(struct contexts *contexts, struct list *owned, uint32_t number)
{
    LIST_FOR_EACH(node, owned)
    {
        struct context *context = LIST_OWNER(node, struct context, node);
        if (context->number == number) {
            context_free(contexts, context);
            return PvmOk;
        }
    }
    return PvmNotFound;
}

void contexts_end(struct contexts *contexts, struct list *owned)
{
    while (!list_is_empty(owned))
        context_free(contexts, LIST_OWNER(owned->next, struct context, node));
}

void contexts_pass(struct list *owned, struct list *to)
{
    while (!list_is_empty(owned)) {
        struct list *node = owned->next;
        list_remove(node);
        list_append(to, node);
    }
}

enum request_result contexts_take_back(struct request *request)
{
    uint32_t tid = control_get_tid(&request->body), wanted = control_get_tid(&request->body);
    struct post_room *post = request->daemon->post;
    struct task *task = tasks_find(&post->tasks, tid);
    struct place *place = places_find(&post->places, tid);
    struct list *owned = task ? &task->contexts : place ? &place->contexts : NULL;
    if (request->body.failed || tid_host_part(wanted) != hosts_own(&post->hosts)->part)
        return REQUEST_MALFORMED;
    int32_t result = PvmNotFound;
    if (owned)
        result =
            contexts_free(&request->daemon->request_room->contexts, owned, wanted & ~TID_HOST_MASK);
    if (place)
        place_tidy(place);
    return request_reply_int(request, result);
}

/* A context of another host, which a task that has travelled may own. */
static enum request_result contexts_pass_on(struct request *request, uint32_t wanted)
{
    const struct host *host = hosts_find(&request->daemon->post->hosts, wanted);
    if (!request->task->travelled || !host || !host->link->upgrade.known)
        return request_reply_int(request, PvmNotFound);
    struct message *question = control_new(CONTROL_CONTEXT, 0, 0);
    control_put_tid(question, request->task->tid);
    control_put_tid(question, wanted);
    return relay(request, host, CONTROL_CONTEXT, question, 0, PvmNotFound);
}

enum request_result contexts_request(struct request *request)
{
    uint32_t own = hosts_own(&request->daemon->post->hosts)->part;
    struct contexts *contexts = &request->daemon->request_room->contexts;
    uint32_t wanted = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (wanted != 0 && tid_host_part(wanted) != own)
        return contexts_pass_on(request, wanted);
    int32_t result =
        wanted == 0 ? contexts_allocate(contexts, request->task)
                    : contexts_free(contexts, &request->task->contexts, wanted & ~TID_HOST_MASK);
    if (wanted == 0 && result > 0)
        result |= (int32_t)own;
    return request_reply_int(request, result);
}
