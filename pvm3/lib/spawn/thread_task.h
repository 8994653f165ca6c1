/*
 * thread_task.h - tasks that are threads of the calling process: how they begin and end.
 *
 * The model is that of PM-PVM: C. M. P. Santos and J. S. Aude, "PM-PVM: A Portable Multithreaded
 * PVM", 1999. A thread task runs a function of the program, shares the program's variables, and is
 * a task like any other: it has a tid, a parent, a context, options and buffers of its own. It ends
 * when its function returns, when its thread calls pthread_exit, and at its next call when the pvmd
 * has ended it (enrolment_stop_thread).
 *
 * Threads: any thread of an enrolled task may spawn, a message handler too.
 */
#ifndef LIB_SPAWN_THREAD_TASK_H
#define LIB_SPAWN_THREAD_TASK_H

#include <stdbool.h>

#include "lib/spawn/functions.h"
#include "lib/spawn/processors.h"

struct caller;

/* What is to be started. Words and name are only read while it is. */
struct thread_order {
    task_function *function;
    const char *name;                    /* the first word, and what ps shows */
    char *const *words;                  /* the others; NULL: none */
    int parent;                          /* who spawns it; 0: the caller's task */
    bool hidden_parent;                  /* it does not learn who spawned it */
    const struct processors *processors; /* thread_task_start_on sets it */
};

/*
 * Starts `count` tasks with the caller's context and sinks. `processors` is a list in words
 * (processors.h), on which the tasks run in turn. results[i] is a tid or an error: PvmOutOfRes if
 * there are as many tasks as there may be, or if the system or the pvmd allows no more; PvmNoMem.
 * 0; or PvmBadParam if the list makes no sense, or PvmNoMem, and there are no results.
 */
int thread_task_start_on(struct caller *caller, struct thread_order *order, const char *processors,
                         int count, int *results);

#endif
