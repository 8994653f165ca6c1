/*
 * hold.h - has thread tasks started by the holder of a program on one host (holder.h), and starts
 * the holder first if there is none.
 *
 * The holder may end at any time. Then the pvmd tells, and the next holder is asked. A program that
 * was started to become a holder and makes no call of the library is killed after a while.
 *
 * Threads: any thread may call it, also in a message handler.
 */
#ifndef LIB_SPAWN_HOLD_H
#define LIB_SPAWN_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/spawn/hold_order.h"

struct caller;
struct program_order;
struct pvmhostinfo;

struct hold {
    struct caller *caller;
    const struct program_order *order; /* for its words and flags */
    const char *const *programs;       /* names to try until the host has one; NULL at the end */
    const char *function;
    struct guest guest; /* for whom a thread is wanted in place of tasks; or {.place = -1} */
    const struct pvmhostinfo *host;
    int count;    /* tasks */
    int *results; /* of each, a tid or an error, after hold_end */
    /* Between the two calls. */
    const char *program; /* the name that was tried last */
    uint32_t holder;     /* the task that was asked and has not answered, or 0 */
    bool known;          /* an entry with that name has led to it */
    bool started;        /* this call has started it: it may be no holder */
    int tag;             /* of the answer */
    int error;           /* why there are no results, or 0 */
    struct timespec deadline;
};

/* Finds or starts the holder, and asks for the tasks. */
void hold_begin(struct hold *hold);

/* Waits for the answer. */
void hold_end(struct hold *hold);

#endif
