/*
 * thread_start.h - one thread task on its way: it enrols first, and gets its thread when the pvmd
 * knows of it.
 *
 * Threads: between lease_begin and lease_end (lib/link/lease.h), but for thread_start_run.
 */
#ifndef LIB_SPAWN_THREAD_START_H
#define LIB_SPAWN_THREAD_START_H

#include "lib/spawn/hold_order.h"
#include "lib/spawn/stacks.h"
#include "lib/spawn/thread_task.h"

/* What the new thread is given, and frees. The texts of the words stand behind it. */
struct start {
    struct task *task;
    struct process *process;
    task_function *function;
    struct stack stack;
    struct processors processors; /* where the thread is to run; none: anywhere */
    int count;                    /* of words */
    char *words[];                /* NULL at the end */
};

/*
 * Makes the task number `turn` of the `count` of an order, which is enrolled then. NULL, and *error
 * is PvmOutOfRes or PvmNoMem. The result ends with thread_start_run or thread_start_undo.
 */
struct start *thread_start_prepare(struct caller *caller, const struct thread_order *order,
                                   int turn, int count, int *error);

/* Gives stacks to those of the `count` entries that are not NULL. */
void thread_start_give_stacks(struct caller *caller, struct start **starts, int count);

/* Gives the task its thread, which owns `start` then. The tid; or an error, and no task is left. */
int thread_start_run(struct start *start);

/*
 * Starts the thread of a task that has no tid, with a stack at the place of a guest (hold_order.h). 0, or
 * an error: PvmOutOfRes also if the place is taken here.
 */
int thread_start_guest(struct caller *caller, int tid, const struct thread_order *order,
                       const struct guest *guest);

/* The task leaves the virtual machine without a thread. */
void thread_start_undo(struct start *start);

#endif
