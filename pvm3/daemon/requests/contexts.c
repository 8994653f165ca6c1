/* contexts.c - giving out and taking back. */
#include "daemon/requests/contexts.h"

#include <stdbool.h>
#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"
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

static int32_t contexts_free(struct contexts *contexts, struct task *owner, uint32_t number)
{
    LIST_FOR_EACH(node, &owner->contexts)
    {
        struct context *context = LIST_OWNER(node, struct context, node);
        if (context->number == number) {
            context_free(contexts, context);
            return PvmOk;
        }
    }
    return PvmNotFound;
}

void contexts_task_end(struct contexts *contexts, struct task *task)
{
    while (!list_is_empty(&task->contexts))
        context_free(contexts, LIST_OWNER(task->contexts.next, struct context, node));
}

enum request_result contexts_request(struct request *request)
{
    uint32_t own = hosts_own(&request->daemon->post->hosts)->part;
    struct contexts *contexts = &request->daemon->request_room->contexts;
    uint32_t wanted = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    int32_t result;
    if (wanted == 0)
        result = contexts_allocate(contexts, request->task);
    else if (tid_host_part(wanted) != own)
        result = PvmNotFound;
    else
        result = contexts_free(contexts, request->task, wanted & ~TID_HOST_MASK);
    if (wanted == 0 && result > 0)
        result |= (int32_t)own;
    return request_reply_int(request, result);
}
