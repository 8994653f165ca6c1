/* engine.c - what the leader does for all endpoints of a process. */
#include "ck/endpoint/engine.h"

#include <stdlib.h>
#include <string.h>

#include "ck/endpoint/endpoint.h"
#include "ck/endpoint/order.h"
#include "ck/ports/list.h"
#include "core/annotate.h"

/* Messages of links in one glance at an endpoint. */
#define LINK_TURN 32

/* Glances that find messages of links, after which the other ways have their turn. */
#define TURN_OF_OTHERS 256

/* Looks, after which the sockets by which links are made and ended have theirs. */
#define TURN_OF_CALLS 64

/* Looks in which everything that was there at first is found, unless a message is very long. */
#define LOOKS_BEFORE_HANDED 64

/*
 * A message of a megabyte, which is long, takes up to so many chunks of a frame_reader: at least
 * three quarters of each, however its pieces come, and the next one.
 */
#define CHUNKS_KEPT 24

/* Whether it is time for the sockets by which links are made and ended. */
static bool engine_is_called(struct engine *engine)
{
    const void *roused = engine->waiting.roused;
    engine->waiting.roused = NULL;
    return roused == &engine->ports || roused == &engine->waiting ||
           ++engine->looks % TURN_OF_CALLS == 0;
}

/* Frees ways that have ended; the leader, who is amid none. */
static void engine_sweep(struct engine *engine)
{
    for (struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next) {
        if (!peers_are_unswept(&endpoint->peers))
            continue;
        lock_acquire(&engine->waiting.lock);
        peers_sweep(&endpoint->peers);
        lock_release(&engine->waiting.lock);
    }
}

static inline void engine_admit_new(struct engine *engine)
{
    if (!atomic_load_explicit(&engine->entering, memory_order_relaxed))
        return;
    lock_acquire(&engine->waiting.lock);
    engine_admit(engine);
    lock_release(&engine->waiting.lock);
}

static bool engine_look_far(struct engine *engine)
{
    engine_admit_new(engine);
    taken_deliver(engine);
    bool happened = engine_is_called(engine) && engine->ports.over->serve(engine);
    if (!happened && engine->far_part)
        happened = engine->ports.far->look(engine) && ++engine->far_looks % TURN_OF_OTHERS != 0;
    if (!happened)
        happened = engine->ports.under->look(engine);
    engine_sweep(engine);
    return happened;
}

static bool engine_look_near(struct engine *engine)
{
    bool happened = false;
    engine_admit_new(engine);
    for (struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next) {
        taken_begin(endpoint);
        happened |= endpoint->over->glance(endpoint, LINK_TURN);
        if (!endpoint->over->has_deferred(endpoint))
            continue;
        taken_deliver(engine);
        happened |= order_take_due(endpoint);
    }
    engine->handed.is_calm = !happened;
    engine->handed.calm = engine->handed.arrivals;
    return happened;
}

/*
 * After a look: what the tasks of the process have handed over, and waits for a look, comes behind
 * everything that is there. True when anything has happened since the glance.
 */
static bool engine_settle(struct engine *engine, bool happened)
{
    struct message *awaiting = handed_begin_look(engine);
    bool more = happened;
    for (int looks = 0; awaiting && looks < LOOKS_BEFORE_HANDED && (looks == 0 || more); looks++) {
        more = engine_look_near(engine);
        more |= engine_look_far(engine);
        happened |= more;
    }
    handed_end_look(engine, awaiting, more);
    return happened || awaiting;
}

/* The leader's look at all that a glance does not see. */
static bool engine_look(void *owner)
{
    struct engine *engine = owner;
    bool happened = engine_look_far(engine);
    /* Who waits for a look may be the only one that is left. */
    bool alone = atomic_load_explicit(&engine->attached, memory_order_relaxed) <= 1 &&
                 !atomic_load_explicit(&engine->handed.waiting, memory_order_relaxed);
    return alone ? happened : engine_settle(engine, happened);
}

/* Its glance. While messages keep coming by links it makes hardly any system call. */
static bool engine_glance(void *owner)
{
    struct engine *engine = owner;
    bool happened = engine_look_near(engine);
    if (happened && ++engine->glances % TURN_OF_OTHERS == 0)
        engine_look(engine);
    return happened;
}

/* The end of a look, with the lock. */
static void engine_deliver(void *owner)
{
    struct engine *engine = owner;
    taken_deliver_locked(engine);
    if (engine->endpoints && engine->endpoints->next && handed_wants_look(engine))
        waiting_request_look(&engine->waiting);
}

static bool engine_sleep(void *owner, enum nap nap)
{
    return engine_sleeps(owner, nap);
}

static bool engine_tidy(void *owner, bool idle)
{
    struct engine *engine = owner;
    engine_sweep(engine);
    return engine->ports.over->tidy(engine, idle);
}

int engine_init(struct engine *engine)
{
    const struct waiting_work work = {.look = engine_look,
                                      .glance = engine_glance,
                                      .deliver = engine_deliver,
                                      .sleeping = engine_sleep,
                                      .tidy = engine_tidy,
                                      .owner = engine};
    memset(engine, 0, sizeof *engine);
    engine->ports = port_list;
    ANNOTATE_ATOMIC(&engine->entering, sizeof engine->entering);
    ANNOTATE_ATOMIC(&engine->attached, sizeof engine->attached);
    ANNOTATE_ATOMIC(&engine->handed.waiting, sizeof engine->handed.waiting);
    int error = engine->ports.over->begin(engine);
    if (error < 0)
        return error;
    error = waiting_init(&engine->waiting, &work);
    if (error < 0) {
        engine->ports.over->end(engine);
        return error;
    }
    directory_start(&engine->directory);
    pool_start(&engine->chunks, CHUNKS_KEPT);
    pool_start_in(&engine->messages, engine->kept_messages, ENGINE_MESSAGES);
    pool_start(&engine->requests, POOL_MOST);
    pool_divide(&engine->messages, &engine->own_messages);
    pool_divide(&engine->requests, &engine->own_requests);
    return 0;
}

void engine_destroy(struct engine *engine)
{
    waiting_destroy(&engine->waiting);
    if (engine->far_part)
        engine->ports.far->end(engine);
    engine->ports.over->end(engine);
    directory_finish(&engine->directory);
    pool_finish(&engine->messages, message_discard);
    pool_finish(&engine->requests, free);
    pool_finish(&engine->chunks, free);
}

void engine_share(struct engine *engine, size_t limit, int64_t one_copy)
{
    lock_acquire(&engine->waiting.lock);
    engine->ports.over->share(engine, limit, one_copy);
    lock_release(&engine->waiting.lock);
}

bool engine_use_network(struct engine *engine, enum network network)
{
    const struct port *far = engine->ports.far;
    if (network == NETWORK_TCP || !far)
        return network == NETWORK_TCP;
    lock_acquire(&engine->waiting.lock);
    bool used = engine->far_part || far->make(engine, network) == 0;
    lock_release(&engine->waiting.lock);
    return used;
}

void engine_set_spin(struct engine *engine, int64_t setting, int processors)
{
    lock_acquire(&engine->waiting.lock);
    if (engine->waiting.spin.setting != setting) {
        waiting_stand_still(&engine->waiting);
        waiting_set_spin(&engine->waiting, setting, processors);
        waiting_move_on(&engine->waiting);
    }
    lock_release(&engine->waiting.lock);
}

void engine_set_passing(struct engine *engine, enum passing passing)
{
    atomic_store_explicit(&engine->passing, passing, memory_order_relaxed);
}

void engine_abandon(struct engine *engine)
{
    waiting_abandon(&engine->waiting); /* so no thread is woken that the child does not have */
    engine->ports.over->forsake(engine);
    engine->ports.under->forsake(engine);
    if (engine->far_part)
        engine->ports.far->forsake(engine);
}

void engine_stock(struct engine *engine)
{
    while (message_stock(&engine->messages))
        continue;
}
