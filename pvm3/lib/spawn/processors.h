/*
 * processors.h - a list of processors, as users write it: "0,2-3".
 *
 * Threads: values, without locks.
 */
#ifndef LIB_SPAWN_PROCESSORS_H
#define LIB_SPAWN_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>

struct processors {
    cpu_set_t set;
    int count; /* in the set; 0: any will do */
};

/* Reads the text; NULL or empty means any. False when it makes no sense or names none. */
bool processors_read(struct processors *processors, const char *text);

/* The set of the one processor whose turn it is: the number `turn`, counted round the list. */
cpu_set_t processors_of_turn(const struct processors *processors, int turn);

#endif
