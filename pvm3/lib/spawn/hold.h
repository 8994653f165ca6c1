/*
 * hold.h - having thread tasks started by the process that holds those of a program on one host
 * (holder.h), which is started first if there is none.
 *
 * The holder may end at any time. The pvmd tells of its end: then the tasks are asked of the next
 * holder. A program that was started to become a holder and does not is ended.
 *
 * Threads: any thread may call it, in a message handler, too.
 */
#ifndef LIB_SPAWN_HOLD_H
#define LIB_SPAWN_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct caller;
struct program_order;
struct pvmhostinfo;

struct hold {
    struct caller *caller;
    const struct program_order *order; /* for its words and flags */
    const char *const *programs; /* names of the program, up to NULL: the first that the host has */
    const char *function;
    const struct pvmhostinfo *host;
    int count;    /* tasks */
    int *results; /* of each, a tid or an error, after hold_end */
    /* Between the two calls. */
    const char *program; /* the name by which it was found */
    uint32_t holder;     /* who was asked; 0: nobody any more */
    bool known;          /* it was found by that name */
    bool started;        /* it was started for this, and may turn out to be no holder */
    int tag;             /* of the answer */
    int error;           /* why there are no results, or 0 */
    struct timespec deadline;
};

/* Finds or starts the holder, and asks for the tasks. */
void hold_begin(struct hold *hold);

/* Waits for the answer. */
void hold_end(struct hold *hold);

#endif
