/*
 * lossy.h - for tests: ports that wrap those of an endpoint and do what a port may do at its worst.
 *
 * A plan says how often each act happens. Nothing that the contract promises (port.h) is taken
 * away: no message is lost, and none overtakes another one. It is no part of the library.
 */
#ifndef CK_PORTS_LOSSY_LOSSY_H
#define CK_PORTS_LOSSY_LOSSY_H

#include <stdatomic.h>
#include <stdint.h>

#include "ck/endpoint/port.h"

struct endpoint;

enum lossy_act {
    /* Over. */
    LOSSY_OFFER,  /* no link is offered this time */
    LOSSY_SEND,   /* the link has no room, for a sender that has no lock yet */
    LOSSY_PLACE,  /* nor has the memory for a body */
    LOSSY_GLANCE, /* what has come is not seen yet, unless all of it is asked for */
    LOSSY_SERVE,  /* nor is what the sockets are ready for */
    /* Under. */
    LOSSY_LOOK,  /* likewise */
    LOSSY_ASK,   /* a peer is not asked for a way of its own */
    LOSSY_BREAK, /* this side of a peer's own way is ended, just before it is written to */
    LOSSY_ACTS
};

/* In how many of a hundred cases each act happens; fewer than a hundred. */
struct lossy_plan {
    unsigned of_hundred[LOSSY_ACTS];
};

/* Of one engine. Any thread may read the counts. */
struct lossy {
    struct port over, under; /* what the engine has now */
    const struct port *inner_over, *inner_under;
    const struct lossy_plan *plan;
    uint64_t seed;
    _Atomic uint64_t draws;
    atomic_ulong done[LOSSY_ACTS];
};

/*
 * Wraps the ports of an engine, which has no endpoint yet; `lossy` and the plan must outlive it.
 * The n-th decision depends on the seed alone.
 */
void lossy_wrap(struct lossy *lossy, struct engine *engine, const struct lossy_plan *plan,
                uint64_t seed);

/* The next decision: whether the act happens, which is counted then. Any thread. */
bool lossy_decides(struct lossy *lossy, enum lossy_act act);

#endif
