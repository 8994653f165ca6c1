/*
 * process.h - the tasks of the process, and its threads as they begin and end.
 *
 * Most processes have one task: the first call of any thread makes it, and all threads belong to
 * it. A thread may begin a task beside it, which is born apart and has a connection and a tid of
 * its own when it has enrolled. A thread belongs to one task at a time. One that was bound to none
 * belongs to the first task, which goes with the process. A task beside the first goes, with all
 * that it had, when it has ended and its last thread has left it.
 *
 * Only the calls that programs make use these functions. What stands below them gets its task and
 * caller from the call, or asks caller_current (caller.h).
 */
#ifndef LIB_PROCESS_H
#define LIB_PROCESS_H

#include <pthread.h>

#include "lib/caller.h"

/* There is one. Files below those of calls have it from their task. */
struct process {
    pthread_once_t once;
    pthread_key_t key;     /* of each thread's caller, for when the thread ends */
    pthread_mutex_t lives; /* guards the next two; taken before all locks of tasks */
    struct task *first;    /* of threads that were bound to none; NULL before one calls */
    struct task *tasks;    /* all, linked by next */
    struct lock lock;      /* LOCK_VARIABLES: the environment, what abi.h shows, and `heeded` */
    int heeded;            /* how many tasks task_show heeds, one more before there is a first */
    atomic_uint temporary; /* temporary names given out */
};

/*
 * A thread's first call: makes its caller, and the first task before it. Memory for it that cannot
 * be had ends the process with a message: there would be no place to note an error.
 */
struct caller *process_begin_thread(void);

/* The calling thread, with its task; made at its first call. */
static inline struct caller *caller_self(void)
{
    struct caller *caller = caller_current();
    return caller ? caller : process_begin_thread();
}

/*
 * Begins a task beside the first, of which the calling thread is the only one. The thread leaves
 * its task as if it ended. NULL without memory or descriptors: then nothing has changed. Not from a
 * message handler, like the next two.
 */
struct task *process_begin_task(void);

/* Makes the calling thread one of `task`, which has not ended. False without memory. */
bool process_join_task(struct task *task);

/*
 * Ends the calling thread's task, as pvm_exit does, unless that is the first: PvmBadParam. The
 * thread belongs to none afterwards. Other threads of the task leave it when they end or join
 * another one.
 */
int process_end_task(void);

#endif
