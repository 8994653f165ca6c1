/* handler.c - the table of message handlers, and what becomes of a message with one. */
#include "lib/serve/handler.h"

#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "lib/link/move_order.h"
#include "lib/link/park_order.h"
#include "lib/link/siblings.h"
#include "lib/task/public.h"

/* What the library itself answers, in the order of their ids. */
static const int system_tags[] = {TC_CONREQ,    TC_CONACK,    TC_TASKEXIT, TC_NOOP,    TC_SETTRACE,
                                  TC_SETTRCBUF, TC_SETTRCOPT, TC_SETTMASK, TC_SIBLINGS};

#define SYSTEM_COUNT ((int)(sizeof system_tags / sizeof *system_tags))

static bool pattern_overlaps(const struct pattern *a, const struct pattern *b)
{
    return (a->source == PATTERN_ANY_SOURCE || b->source == PATTERN_ANY_SOURCE ||
            a->source == b->source) &&
           (a->tag == PATTERN_ANY || b->tag == PATTERN_ANY || a->tag == b->tag) &&
           (a->context == PATTERN_ANY || b->context == PATTERN_ANY || a->context == b->context);
}

/* The handler for a message; NULL when there is none. With the lock. */
static const struct handler *handler_for(const struct handlers *handlers,
                                         const struct message *message)
{
    for (int i = 0; i < handlers->count; i++)
        if (pattern_matches(&handlers->list[i].pattern, &message->header))
            return &handlers->list[i];
    return NULL;
}

/* The handler with exactly this pattern; NULL when there is none. With the lock. */
static const struct handler *handler_with(const struct handlers *handlers,
                                          const struct pattern *pattern)
{
    for (int i = 0; i < handlers->count; i++)
        if (memcmp(&handlers->list[i].pattern, pattern, sizeof *pattern) == 0)
            return &handlers->list[i];
    return NULL;
}

static void handler_queue(struct task *task, struct message *message)
{
    struct handlers *handlers = &task->handlers;
    message->next = NULL;
    lock_acquire(&handlers->lock);
    *(handlers->first ? &handlers->last->next : &handlers->first) = message;
    handlers->last = message;
    lock_release(&handlers->lock);
    endpoint_request_errand(&task->endpoint);
}

void handler_hold(struct task *task, bool hold)
{
    lock_acquire(&task->handlers.lock);
    task->handlers.held = hold;
    lock_release(&task->handlers.lock);
    if (!hold)
        endpoint_request_errand(&task->endpoint);
}

/* So most messages, being ordinary, take no lock of the handlers. */
bool handler_wants(void *owner, const struct message_header *header)
{
    const struct task *task = owner;
    return header->context == CONTROL_CONTEXT_TC || header->context == TASK_ORDERS ||
           (header->context == CONTROL_CONTEXT_TM && move_order_is(header)) ||
           atomic_load_explicit(&task->handlers.added, memory_order_relaxed) > 0;
}

/* What is only kept is taken at once: a thread that waits for something else is not woken for it. */
static void handler_take(struct task *task, bool system, struct message *message)
{
    if (system && message->header.tag == TC_SIBLINGS) {
        siblings_take(task, message);
        message_free(message);
    } else {
        handler_queue(task, message);
    }
}

/* The end of a task that another interface has asked for, or its farewell. */
static bool end_is(const struct message_header *header)
{
    return (header->tag == CONTROL_DEATH || header->tag == CONTROL_FAREWELL) &&
           header->context == CONTROL_CONTEXT_TC;
}

static void end_take(struct task *task, const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    uint32_t ended = control_get_tid(&reader);
    void (*told)(uint32_t tid, bool left) = atomic_load(&task->other_told);
    if (told)
        told(ended, message->header.tag == CONTROL_FAREWELL);
}

/* Whether another interface carries out such messages. */
static bool order_is(struct task *task, const struct message_header *header)
{
    return header->context == TASK_ORDERS && atomic_load(&task->other_orders);
}

bool handler_intercept(void *owner, struct message *message)
{
    struct task *task = owner;
    struct handlers *handlers = &task->handlers;
    if (move_order_is(&message->header)) {
        move_order_take(task, message);
        message_free(message);
        return true;
    }
    if (park_order_is(&message->header)) {
        park_order_take(task, message);
        message_free(message);
        return true;
    }
    if (end_is(&message->header)) {
        end_take(task, message);
        message_free(message);
        return true;
    }
    lock_acquire(&handlers->lock);
    const struct handler *handler = handler_for(handlers, message);
    /* Without memory it is for a receive. */
    bool claimed =
        (handler || order_is(task, &message->header)) && message_detach(message, false) == 0;
    bool system = claimed && handler && !handler->function;
    lock_release(&handlers->lock);
    if (claimed)
        handler_take(task, system, message);
    return claimed;
}

struct message *handler_next(struct handlers *handlers, bool *handled, struct handler *handler)
{
    lock_acquire(&handlers->lock);
    struct message *message = handlers->held ? NULL : handlers->first;
    if (message) {
        const struct handler *found = handler_for(handlers, message);
        handlers->first = message->next;
        message->next = NULL;
        *handled = found != NULL;
        if (found)
            *handler = *found;
    }
    lock_release(&handlers->lock);
    return message;
}

/*
 * As in 3.4.6 handlers run in sends, too, and what is said of routes has an effect while the
 * library's handlers are there, which a program may remove. With the lock.
 */
static void handler_tell_endpoint(struct task *task)
{
    static const struct {
        int tag;
        enum word word;
    } ways[] = {{TC_CONREQ, WORD_OFFER}, {TC_CONACK, WORD_ANSWER}, {TC_TASKEXIT, WORD_OVER}};
    endpoint_watch_by_sends(&task->endpoint, atomic_load(&task->handlers.in_sends) > 0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct pattern pattern = {PATTERN_ANY_SOURCE, ways[i].tag, CONTROL_CONTEXT_TC, 0};
        const struct handler *handler = handler_with(&task->handlers, &pattern);
        endpoint_heed(&task->endpoint, ways[i].word, handler && !handler->function);
    }
}

void handler_remove_all(struct task *task)
{
    struct handlers *handlers = &task->handlers;
    lock_acquire(&handlers->lock);
    handlers->count = handlers->id_count = 0;
    atomic_store_explicit(&handlers->added, 0, memory_order_relaxed);
    atomic_store_explicit(&handlers->in_sends, 0, memory_order_relaxed);
    handlers->free_id = -1;
    handler_tell_endpoint(task);
    struct message *message = handlers->first;
    handlers->first = NULL;
    lock_release(&handlers->lock);
    while (message) {
        struct message *next = message->next;
        message_free(message);
        message = next;
    }
}

void handler_finish(struct task *task)
{
    handler_remove_all(task);
    free(task->handlers.list);
    free(task->handlers.ids);
    lock_destroy(&task->handlers.lock);
}

static bool handlers_grow(struct handlers *handlers)
{
    if (handlers->id_count < handlers->room)
        return true;
    int room = handlers->room ? 2 * handlers->room : 16;
    struct handler *list = realloc(handlers->list, (size_t)room * sizeof *list);
    if (list)
        handlers->list = list;
    struct handler_id *ids = realloc(handlers->ids, (size_t)room * sizeof *ids);
    if (ids)
        handlers->ids = ids;
    if (!list || !ids)
        return false;
    handlers->room = room;
    return true;
}

/* A handler comes (1) or goes (-1). With the lock. */
static void handlers_count(struct handlers *handlers, const struct handler *handler, int change)
{
    if (!handler->function)
        return;
    atomic_fetch_add_explicit(&handlers->added, change, memory_order_relaxed);
    /* Those of libgpvm3, which are told of ends, need not run so soon that each send has to look. */
    if (handler->pattern.context != SYSCTX_DG)
        atomic_fetch_add_explicit(&handlers->in_sends, change, memory_order_relaxed);
}

/*
 * Returns the new id, PvmExists when another handler might match the same message, or PvmNoMem.
 * With the lock.
 */
static int handlers_add(struct handlers *handlers, const struct pattern *pattern,
                        int (*function)(int bufid))
{
    for (int i = 0; i < handlers->count; i++)
        if (pattern_overlaps(pattern, &handlers->list[i].pattern))
            return PvmExists;
    int id = handlers->free_id;
    if (id >= 0)
        handlers->free_id = handlers->ids[id].link;
    else if (handlers_grow(handlers))
        id = handlers->id_count++;
    else
        return PvmNoMem;
    handlers->ids[id] = (struct handler_id){id, handlers->count};
    handlers->list[handlers->count++] = (struct handler){id, *pattern, function};
    handlers_count(handlers, &handlers->list[handlers->count - 1], 1);
    return id;
}

/* The last handler takes the place of the one that goes. With the lock. */
static int handlers_remove(struct handlers *handlers, int id)
{
    if (id >= handlers->id_count || handlers->ids[id].link != id)
        return PvmNotFound;
    int place = handlers->ids[id].place;
    int last = --handlers->count;
    handlers_count(handlers, &handlers->list[place], -1);
    handlers->list[place] = handlers->list[last];
    handlers->ids[handlers->list[place].id].place = place;
    handlers->ids[id] = (struct handler_id){handlers->free_id, last};
    handlers->free_id = id;
    return PvmOk;
}

void handler_remove_added(struct task *task)
{
    struct handlers *handlers = &task->handlers;
    lock_acquire(&handlers->lock);
    for (int place = handlers->count - 1; place >= 0; place--)
        if (handlers->list[place].function)
            handlers_remove(handlers, handlers->list[place].id);
    handler_tell_endpoint(task);
    lock_release(&handlers->lock);
}

void handler_add_system(struct task *task)
{
    lock_acquire(&task->handlers.lock);
    for (int i = 0; i < SYSTEM_COUNT; i++) {
        const struct pattern pattern = {PATTERN_ANY_SOURCE, system_tags[i], CONTROL_CONTEXT_TC, 0};
        handlers_add(&task->handlers, &pattern, NULL);
    }
    handler_tell_endpoint(task);
    lock_release(&task->handlers.lock);
}

int handler_add_output(struct task *task)
{
    static const int tags[] = {TC_OUTPUT, TC_OUTPUTX};
    int result = PvmOk;
    lock_acquire(&task->handlers.lock);
    for (size_t i = 0; i < sizeof tags / sizeof *tags && result >= 0; i++) {
        const struct pattern pattern = {PATTERN_ANY_SOURCE, tags[i], CONTROL_CONTEXT_TC, 0};
        const struct handler *present = handler_with(&task->handlers, &pattern);
        if (!present || present->function)
            result = handlers_add(&task->handlers, &pattern, NULL);
    }
    lock_release(&task->handlers.lock);
    return result < 0 ? result : PvmOk;
}

int handler_add(struct task *task, const struct pattern *pattern, int (*function)(int bufid))
{
    lock_acquire(&task->handlers.lock);
    int id = handlers_add(&task->handlers, pattern, function);
    handler_tell_endpoint(task);
    lock_release(&task->handlers.lock);
    return id;
}

bool handler_is_there(struct task *task, const struct pattern *pattern)
{
    lock_acquire(&task->handlers.lock);
    bool found = handler_with(&task->handlers, pattern);
    lock_release(&task->handlers.lock);
    return found;
}

int handler_remove(struct task *task, int id)
{
    lock_acquire(&task->handlers.lock);
    int result = handlers_remove(&task->handlers, id);
    handler_tell_endpoint(task);
    lock_release(&task->handlers.lock);
    return result;
}

void handler_put(struct task *task, struct luggage *luggage)
{
    struct handlers *handlers = &task->handlers;
    int waiting = 0;
    lock_acquire(&handlers->lock);
    luggage_put_int(luggage, handlers->free_id);
    luggage_put_int(luggage, handlers->id_count);
    luggage_put(luggage, handlers->ids, (size_t)handlers->id_count * sizeof *handlers->ids);
    luggage_put_int(luggage, handlers->count);
    for (int i = 0; i < handlers->count; i++) {
        const struct handler *handler = &handlers->list[i];
        luggage_put_int(luggage, luggage_takes_function((void (*)(void))handler->function));
        luggage_put(luggage, handler, sizeof *handler);
    }
    for (const struct message *message = handlers->first; message; message = message->next)
        waiting++;
    luggage_put_int(luggage, waiting);
    for (const struct message *message = handlers->first; message; message = message->next)
        luggage_put_message(luggage, message);
    lock_release(&handlers->lock);
}

/* A library adds its own handlers anew when it finds that it has none. With the lock. */
static void handlers_drop_foreign(struct handlers *handlers, const bool *foreign)
{
    for (int id = 0; id < handlers->id_count; id++)
        if (foreign[id])
            handlers_remove(handlers, id);
}

/* The handlers, in place of those that a task has when it enrols. With the lock. */
static void handlers_get(struct handlers *handlers, bool *foreign, struct luggage_reader *reader)
{
    int count = luggage_get_count(reader, sizeof(struct handler));
    for (int i = 0; i < count && i < handlers->id_count && !reader->failed; i++) {
        struct handler *handler = &handlers->list[handlers->count++];
        bool own = luggage_get_int(reader) != 0;
        luggage_get(reader, handler, sizeof *handler);
        handlers_count(handlers, handler, 1);
        if (handler->id >= 0 && handler->id < handlers->id_count)
            foreign[handler->id] = !own;
    }
    handlers_drop_foreign(handlers, foreign);
}

/* The ids, likewise. How many there are. With the lock. */
static int handlers_get_ids(struct handlers *handlers, struct luggage_reader *reader)
{
    int free_id = luggage_get_int(reader);
    int count = luggage_get_count(reader, sizeof *handlers->ids);
    handlers->count = 0;
    while (handlers->room < count && !reader->failed) {
        handlers->id_count = handlers->room;
        reader->failed = !handlers_grow(handlers);
    }
    handlers->id_count = reader->failed ? 0 : count;
    luggage_get(reader, handlers->ids, (size_t)handlers->id_count * sizeof *handlers->ids);
    handlers->free_id = reader->failed ? -1 : free_id;
    return handlers->id_count;
}

void handler_get(struct task *task, struct luggage_reader *reader)
{
    lock_acquire(&task->handlers.lock);
    int ids = handlers_get_ids(&task->handlers, reader);
    bool *foreign = calloc((size_t)ids + 1, sizeof *foreign);
    if (foreign)
        handlers_get(&task->handlers, foreign, reader);
    reader->failed = reader->failed || !foreign;
    free(foreign);
    handler_tell_endpoint(task);
    lock_release(&task->handlers.lock);
    int waiting = luggage_get_count(reader, sizeof(struct message_header));
    for (int i = 0; i < waiting && !reader->failed; i++) {
        struct message *message = luggage_get_message(reader);
        if (message)
            handler_queue(task, message);
    }
}
