/*
 * sleepers.h - the door behind which a thread sleeps until another thread wakes it.
 *
 * A thread that waits without leading (ck/wait/wait.h) sleeps in a function of this file and nowhere
 * else, whatever it waits for. The leader alone sleeps elsewhere, in the system, until a descriptor is
 * ready. No other file of ck and lib knows how a thread is put to sleep, or a fiber suspended.
 *
 * Threads: any thread may call any function; as each says, with the lock that guards the condition.
 */
#ifndef CK_BASE_SLEEPERS_H
#define CK_BASE_SLEEPERS_H

#include <pthread.h>
#include <stdbool.h>

#include "ck/base/fiber.h"
#include "ck/base/lock.h"

struct timespec;

/* The threads that sleep until one condition holds. */
struct sleepers {
    pthread_cond_t woken;
    struct fiber_list fibers;
    bool there; /* a thread or fiber has begun to sleep since all were woken last */
    bool made;  /* `woken` has been, for the first thread that sleeps */
    bool over;  /* the fiber that has slept needs the lock no more */
};

/*
 * Nobody sleeps yet, which costs next to nothing. Also in a child of fork, in which those who slept do
 * not exist. sleepers_finish: nobody sleeps any more.
 */
void sleepers_start(struct sleepers *sleepers);
void sleepers_finish(struct sleepers *sleepers);

/*
 * Sleeps until woken, or until `deadline` (CLOCK_MONOTONIC; NULL: for ever). With `lock`, which is
 * given up meanwhile. 0 or ETIMEDOUT. A sleeper may wake up for no reason: the caller asks again
 * whether its condition holds.
 *
 * A point of cancellation for a thread that is no fiber. A cancelled thread has the lock again, before
 * its cleanup handlers run.
 */
int sleepers_sleep(struct sleepers *sleepers, struct lock *lock, const struct timespec *deadline);

/*
 * Gives the only fiber that sleeps here, or NULL. The caller resumes it, and sleepers_sleep returns
 * SLEEPERS_OVER in it, without the lock. With the lock.
 */
#define SLEEPERS_OVER (-1)
struct fiber *sleepers_end(struct sleepers *sleepers);

/* With the lock. Where nobody sleeps, as is usual, neither costs anything. */
void sleepers_rouse_one(struct sleepers *sleepers);
void sleepers_rouse_all(struct sleepers *sleepers);
static inline void sleepers_wake_one(struct sleepers *sleepers)
{
    if (sleepers->there)
        sleepers_rouse_one(sleepers);
}

static inline void sleepers_wake_all(struct sleepers *sleepers)
{
    if (sleepers->there)
        sleepers_rouse_all(sleepers);
    sleepers->there = false;
}

#endif
