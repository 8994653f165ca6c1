/*
 * engine.h - what the endpoints of a process share: memory for messages, the set and the doorbell
 * at which its threads wait, and who of them leads.
 *
 * One thread of the process moves the messages of all its endpoints (wait.h). So an endpoint more
 * costs no descriptor but those by which others reach it, and no memory but its own records. What
 * the ports keep for all endpoints, such as memory that other processes map, belongs to the engine,
 * too. A message may outlive the endpoint that sent or received it; the engine outlives both.
 *
 * Threads: any thread may call any function, except where said.
 */
#ifndef CK_ENDPOINT_ENGINE_H
#define CK_ENDPOINT_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "ck/endpoint/directory.h"
#include "ck/endpoint/handed.h"
#include "ck/endpoint/port.h"
#include "ck/endpoint/taken.h"
#include "ck/wait/wait.h"
#include "core/chunk.h"
#include "core/pool.h"

/* How a message is passed to another task of the process. */
enum passing {
    PASS_AUTO,   /* a short one is copied, the body of a longer one shared */
    PASS_SHARED, /* all bodies are shared */
    PASS_COPIED, /* none is */
};

/* Messages that are kept for the next ones. */
#define ENGINE_MESSAGES 256

struct engine {
    struct waiting waiting; /* its lock guards the inboxes of all endpoints, too */
    struct pool chunks;     /* of what arrives; the messages of others that leave may use both */
    struct pool messages;
    struct pool requests;           /* that are over, for the next */
    struct pool_parts own_messages; /* what threads keep of these pools for themselves */
    struct pool_parts own_requests;
    struct ports ports;         /* the address of this is the data of the port over in the set */
    void *over_part;            /* what the port over has for all endpoints; its own, */
    void *under_part;           /* and the port under; NULL: nothing. The port far is used if */
    void *far_part;             /* it has a part; its address is that port's data in the set */
    struct chunk_maker *maker;  /* where the port over would have what is packed to be sent */
    struct endpoint *endpoints; /* that are attached and seen, by `next`: the leader's, */
    struct endpoint *_Atomic entering; /* and those that are to be; with the lock */
    struct endpoint *leaving;          /* those that are to be seen no more; with the lock */
    atomic_uint attached;              /* how many there are of both; changed with the lock */
    struct directory directory;        /* those of them that are open */
    struct handed handed;              /* order among what they send to each other, */
    _Atomic(enum passing) passing;     /* and how that is passed */
    struct taken taken; /* the leader's, as what follows: what it has not delivered yet, */
    unsigned looks;     /* all its looks, */
    unsigned far_looks; /* those in which the port far found anything, */
    unsigned glances;   /* and the glances that did */
    void *kept_messages[ENGINE_MESSAGES]; /* of the pool */
};

/*
 * 0, or a negative errno when the system has no descriptor or no memory left. Before any endpoint.
 */
int engine_init(struct engine *engine);

/* There is no endpoint any more, nor a message of one. */
void engine_destroy(struct engine *engine);

/*
 * Lets endpoints exchange messages with others of this host through up to `limit` bytes of shared
 * memory, 0 for none (port.h); `one_copy` is the setting of core/one_copy.h. Changes nothing once
 * an endpoint is open.
 */
void engine_share(struct engine *engine, size_t limit, int64_t one_copy);

/*
 * Tasks of other hosts are reached by this network from now on. Changes nothing once a network was
 * chosen. False if the port for it is missing, or memory.
 */
bool engine_use_network(struct engine *engine, enum network network);

/* For how long threads look before they sleep, from now on (waiting_set_spin). */
void engine_set_spin(struct engine *engine, int64_t setting, int processors);

/* From now on messages between tasks of the process are passed so. */
void engine_set_passing(struct engine *engine, enum passing passing);
static inline enum passing engine_passing(const struct engine *engine)
{
    return atomic_load_explicit(&engine->passing, memory_order_relaxed);
}

/*
 * In a child of fork, for the engine of its parent: closes the child's descriptors of it, which the
 * parent does not notice. Then each endpoint is to be abandoned. With the lock, taken before the
 * fork, and those of engine_hold.
 */
void engine_abandon(struct engine *engine);

/* port.h: hold, of all ports. */
static inline void engine_hold(struct engine *engine, bool held)
{
    engine->ports.over->hold(engine, held);
    if (engine->far_part)
        engine->ports.far->hold(engine, held);
}

/* Has memory ready for messages that wait in an inbox. Any thread, without the lock. */
void engine_stock(struct engine *engine);

/* port.h: sleep, of all ports. True when there is something after all. With the lock. */
static inline bool engine_sleeps(struct engine *engine, enum nap nap)
{
    bool awake = engine->ports.over->sleep(engine, nap);
    return (engine->far_part && engine->ports.far->sleep(engine, nap)) || awake;
}

/* A message has come from outside, before it has any effect (handed.h). The leader, locked. */
static inline void engine_count_arrival(struct engine *engine)
{
    engine->handed.arrivals++;
}

#endif
