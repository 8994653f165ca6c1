/*
 * hold_order.h - what a task asks of a process that holds thread tasks (holder.h), and what that
 * process answers, as messages.
 */
#ifndef LIB_SPAWN_HOLD_ORDER_H
#define LIB_SPAWN_HOLD_ORDER_H

#include <pvmtev.h>

#include "core/control.h"

struct hold_order {
    int tag;                /* of the answer */
    const char *program;    /* the holder is to be found by this name, too; "": it is already */
    const char *function;   /* its name */
    char *const *words;     /* behind the name of the function; ends with NULL. NULL: none */
    int count;              /* tasks */
    bool hidden_parent;     /* they do not learn who has spawned them */
    int context;            /* of the tasks */
    struct Pvmtracer sinks; /* of the tasks */
};

/* NULL without memory. */
struct message *hold_order_put(const struct hold_order *order);

/* False if it makes no sense, or without memory. hold_order_free in either case. */
bool hold_order_get(const struct message *message, struct hold_order *order);
void hold_order_free(struct hold_order *order);

struct hold_answer {
    int place;          /* who holds the tasks: another one than who answers is to be asked. 0: */
                        /* nobody yet, as a new build of the program has replaced the holder's */
    int error;          /* why there are no results, or 0 */
    const int *results; /* of each task, a tid or an error, if the one who answers holds them */
    int count;
};

struct message *hold_answer_put(const struct hold_answer *answer, int tag);

/* Reads up to `count` results into `results`; what is not told is an error. */
void hold_answer_get(const struct message *message, struct hold_answer *answer, int *results,
                     int count);

#endif
