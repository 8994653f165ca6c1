/* handler.c - pvm_addmhf and pvm_delmhf. */
#include "lib/handler.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/control.h"
#include "core/tid.h"
#include "lib/buffer.h"
#include "lib/public.h"
#include "lib/pvmd_link.h"

/* Ids below this one are those of 3.4.6's own handlers in an enrolled task. */
#define FIRST_ID 9

static bool pattern_overlaps(const struct pattern *a, const struct pattern *b)
{
    return (a->source == TID_ANY || b->source == TID_ANY || a->source == b->source) &&
           (a->tag == PATTERN_ANY || b->tag == PATTERN_ANY || a->tag == b->tag) &&
           (a->context == PATTERN_ANY || b->context == PATTERN_ANY || a->context == b->context);
}

/* The handler for a message; NULL when there is none. With the lock. */
static const struct handler *handler_for(const struct handlers *handlers, const struct message *message)
{
    for (int i = 0; i < handlers->room; i++)
        if (handlers->by_id[i].function && pattern_matches(&handlers->by_id[i].pattern, &message->header))
            return &handlers->by_id[i];
    return NULL;
}

/* Offers of a direct route are declined, and control messages for tracing and collected output are not for programs. */
static bool handler_is_ours(const struct message *message)
{
    return message->header.context == CONTROL_CONTEXT_TC && message->header.tag >= TC_CONREQ &&
           message->header.tag <= TC_OUTPUTX && message->header.tag != TC_OUTPUT;
}

bool handler_intercept(void *owner, struct message *message)
{
    struct task *task = owner;
    struct handlers *handlers = &task->handlers;
    lock_acquire(&handlers->lock);
    bool claimed = handler_is_ours(message) || handler_for(handlers, message);
    if (claimed) {
        message->next = NULL;
        *(handlers->first ? &handlers->last->next : &handlers->first) = message;
        handlers->last = message;
    }
    lock_release(&handlers->lock);
    if (claimed)
        endpoint_request_errand(&task->endpoint);
    return claimed;
}

static void handler_decline_route(struct task *task, const struct message *request)
{
    struct message *answer = control_new(TC_CONACK, CONTROL_CONTEXT_TC, 0);
    control_put_int(answer, CONTROL_TASK_PROTOCOL);
    control_put_int(answer, 1);
    control_put_string(answer, "");
    /* A requester whose way is gone hears of it from its own pvmd. */
    pvmd_link_tell(task, answer, request->header.source);
}

/* The message is the active receive buffer and its context the current one while the function runs. */
static void handler_call(struct caller *caller, int (*function)(int bufid), struct message *message)
{
    struct buffer *send = caller->send;
    struct buffer *receive = caller->receive;
    int context = caller->context;
    caller->send = caller->receive = NULL;
    caller->context = message->header.context;
    int id = buffer_receive(caller, message);
    if (id > 0)
        function(id);
    else
        task_report(caller->task, "pvm_addmhf", id);
    buffer_discard_active(caller->task, &caller->receive);
    buffer_activate(&caller->send, send);
    buffer_activate(&caller->receive, receive);
    caller->context = context;
}

/* The first message claimed, with its function now; NULL when there is none left. */
static struct message *handler_next(struct handlers *handlers, int (**function)(int bufid))
{
    lock_acquire(&handlers->lock);
    struct message *message = handlers->first;
    if (message) {
        const struct handler *handler = handler_for(handlers, message);
        handlers->first = message->next;
        message->next = NULL;
        *function = handler ? handler->function : NULL;
    }
    lock_release(&handlers->lock);
    return message;
}

void handler_run(void *owner)
{
    struct task *task = owner;
    int (*function)(int bufid);
    struct message *message;
    while ((message = handler_next(&task->handlers, &function)) != NULL) {
        if (handler_is_ours(message)) {
            if (message->header.tag == TC_CONREQ)
                handler_decline_route(task, message);
            message_free(message);
        } else if (function) {
            handler_call(caller_self(), function, message);
        } else if (endpoint_deliver(&task->endpoint, message) < 0) {
            task_report(task, "pvm_delmhf", PvmNoMem);
        }
    }
}

void handler_remove_all(struct task *task)
{
    struct handlers *handlers = &task->handlers;
    lock_acquire(&handlers->lock);
    free(handlers->by_id);
    handlers->by_id = NULL;
    handlers->room = 0;
    struct message *message = handlers->first;
    handlers->first = NULL;
    lock_release(&handlers->lock);
    while (message) {
        struct message *next = message->next;
        message_free(message);
        message = next;
    }
}

/* A free entry for a new handler, or -1. With the lock. */
static int handler_entry(struct handlers *handlers)
{
    for (int i = 0; i < handlers->room; i++)
        if (!handlers->by_id[i].function)
            return i;
    int room = handlers->room ? 2 * handlers->room : 8;
    struct handler *grown = realloc(handlers->by_id, (size_t)room * sizeof *grown);
    if (!grown)
        return -1;
    int entry = handlers->room;
    for (int i = entry; i < room; i++)
        grown[i].function = NULL;
    handlers->by_id = grown;
    handlers->room = room;
    return entry;
}

static int handler_add(struct handlers *handlers, const struct pattern *pattern, int (*function)(int bufid))
{
    const struct pattern reserved = {.source = TID_ANY, .tag = PATTERN_ANY, .context = CONTROL_CONTEXT_TC};
    if (pattern_overlaps(pattern, &reserved) && (pattern->tag == PATTERN_ANY || pattern->tag < 0))
        return PvmExists;
    for (int i = 0; i < handlers->room; i++)
        if (handlers->by_id[i].function && pattern_overlaps(pattern, &handlers->by_id[i].pattern))
            return PvmExists;
    int entry = handler_entry(handlers);
    if (entry < 0)
        return PvmNoMem;
    handlers->by_id[entry] = (struct handler){*pattern, function};
    return entry + FIRST_ID;
}

int pvm_addmhf(int src, int tag, int ctx, int (*handler)(int bufid))
{
    struct task *task = caller_self()->task;
    const struct pattern pattern = {.source = (uint32_t)src, .tag = tag, .context = ctx};
    pvmd_link_try(task);
    if (!handler)
        return task_report(task, "pvm_addmhf", PvmBadParam);
    lock_acquire(&task->handlers.lock);
    int id = handler_add(&task->handlers, &pattern, handler);
    lock_release(&task->handlers.lock);
    return task_result(task, "pvm_addmhf", id);
}

int pvm_delmhf(int mhid)
{
    struct task *task = caller_self()->task;
    struct handlers *handlers = &task->handlers;
    pvmd_link_try(task);
    if (mhid < 0)
        return task_report(task, "pvm_delmhf", PvmBadParam);
    int entry = mhid - FIRST_ID;
    lock_acquire(&handlers->lock);
    bool found = entry >= 0 && entry < handlers->room && handlers->by_id[entry].function;
    if (found)
        handlers->by_id[entry].function = NULL;
    lock_release(&handlers->lock);
    return found ? PvmOk : task_report(task, "pvm_delmhf", PvmNotFound);
}

/* Prints the handlers that programs have added; examples of 3.4.6 call it. */
void pvmdisplaymhfinfo(char *prefix, char *title, int unused)
{
    struct handlers *handlers = &caller_self()->task->handlers;
    (void)unused;
    printf("%s %s\n", prefix ? prefix : "", title ? title : "");
    lock_acquire(&handlers->lock);
    for (int i = 0; i < handlers->room; i++) {
        const struct handler *handler = &handlers->by_id[i];
        if (handler->function)
            printf("%d: src %x tag %d ctx %d\n", i + FIRST_ID, handler->pattern.source, handler->pattern.tag,
                   handler->pattern.context);
    }
    lock_release(&handlers->lock);
}
