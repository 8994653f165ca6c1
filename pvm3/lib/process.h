/*
 * process.h - what the tasks of a process share, and its threads as they begin and end.
 *
 * Most processes have one task. It is made by the first call of any thread, and all threads are its
 * own.
 *
 * Only the calls that programs make ask for caller_self. What stands below them gets its task and
 * caller from the call, or asks caller_current (caller.h).
 */
#ifndef LIB_PROCESS_H
#define LIB_PROCESS_H

#include "lib/caller.h"

/* There is one. Files below those of calls have it from their task. */
struct process {
    pthread_once_t once;
    pthread_key_t key;     /* of each thread's caller, for when the thread ends */
    struct task *first;    /* the task of the process, made by `once` */
    struct lock lock;      /* LOCK_VARIABLES: the environment, and what abi.h shows */
    atomic_uint temporary; /* temporary names given out */
    int heeded; /* with the lock: how many tasks task_show heeds, 1 before `first` is made */
};

/*
 * A thread's first call: makes its caller, and before the first of all the task. Memory for it that
 * cannot be had ends the process with a message: there would be no place to note an error.
 */
struct caller *process_begin_thread(void);

/* The calling thread, with its task; made at its first call. */
static inline struct caller *caller_self(void)
{
    struct caller *caller = caller_current();
    return caller ? caller : process_begin_thread();
}

#endif
