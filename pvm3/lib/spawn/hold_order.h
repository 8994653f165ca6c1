/*
 * hold_order.h - the messages between a task that spawns thread tasks and their holder (holder.h):
 * the order and its answer.
 */
#ifndef LIB_SPAWN_HOLD_ORDER_H
#define LIB_SPAWN_HOLD_ORDER_H

#include <pvmtev.h>

#include "core/control.h"

/* Where the stack is to be (stack_source.h). */
struct guest {
    int place; /* -1: nowhere, as there is no guest */
    size_t stack;
};

struct hold_order {
    int tag;                /* of the answer */
    const char *program;    /* a name by which the holder is to be known, too, or "" */
    const char *function;   /* its name */
    char *const *words;     /* behind the name of the function; ends with NULL. NULL: none */
    int count;              /* tasks */
    bool hidden_parent;     /* they do not learn who has spawned them */
    int context;            /* of the tasks */
    struct Pvmtracer sinks; /* of the tasks */
    struct guest guest;     /* for whom a thread is wanted in place of tasks */
};

/* NULL without memory. */
struct message *hold_order_put(const struct hold_order *order);

/* False if the message is malformed, or without memory. Call hold_order_free in either case. */
bool hold_order_get(const struct message *message, struct hold_order *order);
void hold_order_free(struct hold_order *order);

struct hold_answer {
    int place;          /* the tid of the holder. Unless it is the one that answers, that one is */
                        /* to be asked. 0: there is none, as a new file has replaced the program */
    int error;          /* why there are no results, or 0 */
    const int *results; /* a tid or an error for each task, if the holder answers */
    int count;
};

struct message *hold_answer_put(const struct hold_answer *answer, int tag);

/* Reads `count` results into `results`. A result that the message lacks becomes PvmDSysErr. */
void hold_answer_get(const struct message *message, struct hold_answer *answer, int *results,
                     int count);

#endif
