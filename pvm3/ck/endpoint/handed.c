/* handed.c - who has seen what, and the list of messages that wait for a look. */
#include "ck/endpoint/handed.h"

#include <time.h>

#include "ck/endpoint/endpoint.h"
#include "ck/endpoint/order.h"
#include "core/rarely.h"

/* The coarse clock of the system, which is a number in memory. */
static uint64_t handed_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool handed_wants_look(struct engine *engine)
{
    struct handed *handed = &engine->handed;
    if (!handed->is_calm || handed->calm != handed->arrivals ||
        handed->settled == handed->arrivals || handed->wanted == handed->arrivals)
        return false;
    handed->wanted = handed->arrivals;
    return true;
}

void handed_begin(struct endpoint *endpoint)
{
    struct handed *handed = &endpoint->engine->handed;
    endpoint->seen = handed->settled = handed->arrivals - 1;
}

bool handed_is_in_order(const struct endpoint *endpoint)
{
    const struct handed *handed = &endpoint->engine->handed;
    return endpoint->seen == handed->arrivals &&
           (waiting_is_led(endpoint->waiting) || handed->settled_at == handed_clock());
}

/* Waits until a look has taken the message in. */
RARELY static void handed_await(struct endpoint *from, struct message *message)
{
    struct handed *handed = &from->engine->handed;
    const unsigned mine = ++handed->put;
    message->next = NULL;
    *(handed->first ? &handed->last->next : &handed->first) = message;
    handed->last = message;
    atomic_store_explicit(&handed->waiting, true, memory_order_relaxed);
    while ((int)(handed->taken - mine) < 0)
        waiting_have_looked(&from->party);
}

/* The owner of the receiver, which wants the message, sees it first. */
RARELY static void handed_show(struct endpoint *to, struct message *message)
{
    to->users++;
    lock_release(&to->waiting->lock);
    bool taken = to->owner.intercept(to->owner.owner, message);
    lock_acquire(&to->waiting->lock);
    if (!taken)
        endpoint_deliver_locked(to, message);
    endpoint_leave(to);
}

void handed_take(struct endpoint *to, struct message *message)
{
    if (to->owner.wants(to->owner.owner, &message->header))
        handed_show(to, message);
    else
        endpoint_deliver_locked(to, message);
}

/* Until the fence opens (endpoint_return). */
static void handed_keep(struct endpoint *to, struct message *message)
{
    struct message **end = &to->kept;
    while (*end)
        end = &(*end)->next;
    message->next = NULL;
    *end = message;
}

void handed_give(struct endpoint *from, struct endpoint *to, struct message *message)
{
    if (to->fenced)
        handed_keep(to, message);
    else if (handed_is_in_order(to))
        handed_take(to, message);
    else
        handed_await(from, message);
}

/* The leader. ---------------------------------------------------------------------------------- */

/* The receiver of a message that has waited; NULL if it is gone, or the sender is over. */
static struct endpoint *handed_receiver(struct engine *engine, const struct message *message)
{
    lock_acquire(&engine->waiting.lock);
    const struct endpoint *from = engine_find(engine, message->header.source);
    struct endpoint *to = engine_find(engine, message->header.destination);
    bool dropped = !to || to->lost || (from && from->silenced);
    lock_release(&engine->waiting.lock);
    return dropped ? NULL : to;
}

struct message *handed_begin_look(struct engine *engine)
{
    struct handed *handed = &engine->handed;
    if (!atomic_load_explicit(&handed->waiting, memory_order_relaxed))
        return NULL;
    lock_acquire(&engine->waiting.lock);
    struct message *awaiting = handed->first;
    handed->first = NULL;
    atomic_store_explicit(&handed->waiting, false, memory_order_relaxed);
    lock_release(&engine->waiting.lock);
    return awaiting;
}

static void handed_take_in(struct engine *engine, struct message *awaiting)
{
    unsigned count = 0;
    while (awaiting) {
        struct message *message = awaiting;
        awaiting = message->next;
        message->next = NULL;
        struct endpoint *to = handed_receiver(engine, message);
        if (to)
            order_take_handed(to, message);
        else
            message_free(message);
        count++;
    }
    lock_acquire(&engine->waiting.lock);
    engine->handed.taken += count;
    lock_release(&engine->waiting.lock);
}

/* Everything that had come is there, but for what the port over knows to be on its way. */
static void handed_settle(struct engine *engine, uint64_t now)
{
    struct handed *handed = &engine->handed;
    bool all = true;
    lock_acquire(&engine->waiting.lock);
    for (struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next) {
        if (endpoint->over->lacks(endpoint))
            all = false;
        else
            endpoint->seen = handed->arrivals;
    }
    handed->settled_at = now;
    if (all)
        handed->settled = handed->arrivals;
    lock_release(&engine->waiting.lock);
}

void handed_end_look(struct engine *engine, struct message *awaiting, bool happened)
{
    struct handed *handed = &engine->handed;
    bool calm = !happened && handed->is_calm && handed->calm == handed->arrivals;
    if (awaiting)
        handed_take_in(engine, awaiting);
    if (!calm)
        return;
    handed->calm = handed->arrivals; /* what was handed over has come from nowhere else */
    uint64_t now = handed_clock();
    if (handed->settled != handed->arrivals || handed->settled_at != now)
        handed_settle(engine, now);
}
