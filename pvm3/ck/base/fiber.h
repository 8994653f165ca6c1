/*
 * fiber.h - threads that are suspended and resumed in user space.
 *
 * A thread becomes a fiber by fiber_begin, and goes on, on its stack and with its thread-local
 * variables, but from now on a carrier runs it: a thread of the system that runs one fiber after
 * another (ck/wait/carriers.h). A fiber that sleeps (ck/base/sleepers.h) leaves its carrier to the
 * next that is ready, and neither needs the system for it. There are as many carriers as
 * processors. The fiber's own thread sleeps meanwhile. In front of a call that blocks in the system
 * the fiber goes home, that is to its own thread, and comes back behind it; so it holds up no
 * other.
 *
 * To the program and to the C library nothing has changed: the fiber is the thread that it was.
 * Only what the system keeps for each of its threads is the carrier's: the number of the thread,
 * its processors, the time that it has used. The mask of signals goes along (fiber_keep_mask).
 *
 * Where a fiber that becomes ready runs: its carrier goes on with it when it has nothing else to
 * do. Another carrier that is idle is called if fibers run on for so long on the average that it
 * pays, or if more than one is waiting. If an event that this expects does not come, a tick
 * corrects the state (fibers_tick).
 *
 * Source: R. B. Konuru, S. W. Otto and J. Walpole, "A Migratable User-Level Process Package for
 * PVM", Journal of Parallel and Distributed Computing 40, 1997, section 3.2.5.
 *
 * Threads: as each function says.
 */
#ifndef CK_BASE_FIBER_H
#define CK_BASE_FIBER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ck/base/fiber_self.h"
#include "ck/base/fiber_switch.h"
#include "ck/base/lock.h"

struct carrier;

struct fiber {
    struct fiber_place place;
    struct fibers *fibers;
    struct carrier *carrier; /* that runs it; its own thread does: NULL */
    struct fiber *next;      /* of those that are ready, or that sleep for the same */
    bool is_home;            /* its own thread runs it */
    atomic_uint passed;      /* for the race detectors, which see no order in the switch */
    atomic_bool late;        /* a tick has found it where it could not be suspended */
    bool interrupts;         /* it interrupts itself (carriers_interrupt) */
    int cancellation;        /* how it was before */
    bool has_mask;           /* other signals are blocked than usually: */
    sigset_t mask;
};

/* In the order in which they came. */
struct fiber_list {
    struct fiber *first, *last;
};

/* What a carrier is called by. CARRIER_NUDGED: a tick has called it, and it is idle yet. */
enum { CARRIER_RESTS, CARRIER_CALLED, CARRIER_NUDGED };

struct carrier {
    struct fiber loop; /* what it runs when no fiber is ready */
    struct carrier *next_idle;
    struct fiber *left;          /* which it has just left, and which is to go home; or NULL */
    atomic_uint called;          /* also what it sleeps at */
    atomic_int doorbell;         /* by which it is called where it sleeps as a leader; or -1 */
    atomic_bool *_Atomic wanted; /* by which it is called while it leads and is awake; or NULL */
    atomic_uint runs;            /* of fibers, since its last tick */
    atomic_bool runs_long;       /* they were few from the tick before it to that one */
    bool overdue;                /* a tick has ended the last one */
};

/* What ticks ask of the owner of the fibers, in the signal handler that has interrupted a fiber. */
struct fibers_owner {
    /* Whether it may be suspended at this instruction. */
    bool (*may_suspend)(uintptr_t instruction);
    /* If it may: `context`, as handlers have it, is all that is needed to go on; or NULL. */
    void (*interrupted)(void *context);
};

/* The fibers of a process. */
struct fibers {
    struct lock lock; /* LOCK_FIBERS */
    struct fiber_list ready;
    atomic_bool some;                 /* there are such */
    struct carrier *idle;             /* most recently idle first */
    struct carrier *_Atomic sleeping; /* one of these, for a tick; or NULL */
    unsigned fast;                    /* for fiber_switch */
    sigset_t mask;                    /* signals that are usually blocked */
    struct fibers_owner owner;
};

/* Before any other function. The mask is that of the calling thread. */
void fibers_start(struct fibers *fibers, const struct fibers_owner *owner);

/* Fibers. -------------------------------------------------------------------------------------- */

/*
 * The calling thread becomes a fiber, whose record this is, until fiber_end. Meanwhile its
 * cancellation is held off, since who cancels it would signal its own thread and not the carrier.
 */
void fiber_begin(struct fiber *fiber, struct fibers *fibers);
void fiber_end(void);

/* In a child of fork: the calling thread is no fiber any more. */
void fiber_abandon(void);

/*
 * The calling fiber goes home, where it may block, and comes back. Nothing for a thread that is no
 * fiber, or that is there already. Without locks.
 */
void fiber_go_home(void);
void fiber_come_back(void);

/*
 * The calling fiber, which runs on a carrier and has no locks, is suspended until fiber_resume,
 * which may have been called before.
 */
void fiber_suspend(void);

/* Others that are ready run first. Without locks, by a fiber that is not at home. */
void fiber_yield(void);

/* Whether others are ready. */
static inline bool fiber_has_company(struct fiber *self)
{
    return atomic_load_explicit(&self->fibers->some, memory_order_relaxed);
}

/* Whether it is to yield: it has been `late`, or it only polls, and others are ready. */
bool fiber_is_to_yield(struct fiber *self, bool polls);

/*
 * A thread that knows that the fiber is suspended, or about to be suspended, resumes it, once. Any
 * locks.
 */
void fiber_resume(struct fiber *fiber);

/* The signals that the calling thread blocks now are blocked whenever this fiber runs. */
void fiber_keep_mask(void);

static inline void fiber_list_add(struct fiber_list *list, struct fiber *fiber)
{
    fiber->next = NULL;
    *(list->first ? &list->last->next : &list->first) = fiber;
    list->last = fiber;
}

/* The first, which is removed; or NULL. */
static inline struct fiber *fiber_list_take(struct fiber_list *list)
{
    struct fiber *fiber = list->first;
    if (fiber)
        list->first = fiber->next;
    return fiber;
}

/* Carriers: for ck/wait/carriers.c. ------------------------------------------------------------ */

/* The calling thread becomes a carrier. */
void carrier_begin(struct carrier *carrier, struct fibers *fibers);

/* Runs fibers for as long as one is ready; then the carrier is idle. */
void carrier_run(struct carrier *carrier);

/* The carrier, which is idle, sleeps until it is called. It may have been. */
void carrier_sleep(struct carrier *carrier);
static inline bool carrier_is_called(struct carrier *carrier)
{
    return atomic_load(&carrier->called) != CARRIER_RESTS;
}

/*
 * An idle carrier leads from now on, and is called by *wanted; NULL: it does no more. It sleeps from
 * now on until this doorbell rings, unless the result is true: it is called.
 */
void carrier_leads(struct carrier *carrier, atomic_bool *wanted);
bool carrier_sleeps(struct carrier *carrier, int doorbell);
void carrier_wakes(struct carrier *carrier);

/* Calls a carrier that is idle, if there is one. */
void fibers_call(struct fibers *fibers);

/*
 * A carrier has run for a while without coming here. In a signal handler that has interrupted it with
 * this context: calls an idle carrier if there is something to do, and leaves the fiber that runs if
 * it may be suspended there. How many fibers have run from tick to tick tells whether they run long.
 */
void fibers_tick(struct carrier *carrier, void *context);

/* The calling fiber may have interrupted itself: then the owner is called. In a signal handler. */
void fiber_interrupted(void *context);

#endif
