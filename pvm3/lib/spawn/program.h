/*
 * program.h - having the pvmd start programs.
 *
 * Threads: any thread may call it.
 */
#ifndef LIB_SPAWN_PROGRAM_H
#define LIB_SPAWN_PROGRAM_H

#include <stdbool.h>

struct caller;

/* What pvm_spawn says of them. */
struct program_order {
    const char *file;
    char *const *words; /* behind the name; NULL: none */
    int flags;
    const char *where; /* NULL: nowhere in particular */
    int count;
    bool holds; /* it is to hold thread tasks (holder.h), and has no collector */
};

/* In the environment of a program that is to hold thread tasks: the tid of its spawner. */
#define HOLDER_VARIABLE "PVM_THREAD_HOLDER"

/*
 * Has them started with the caller's context and sinks. results[i] is a tid or an error. 0, or an
 * error when nothing is known of any of them. The task is enrolled.
 */
int program_start(struct caller *caller, const struct program_order *order, int *results);

#endif
