/*
 * process.h - what the tasks of the process share, and the first call of a thread.
 *
 * Most processes have one task: the first call of any thread makes it, and all threads belong to
 * it. Others may begin beside it (lib/life/tasks.h).
 *
 * Only the calls that programs make use these functions. What stands below them gets its task and
 * caller from the call, or asks caller_current (caller.h).
 */
#ifndef LIB_TASK_PROCESS_H
#define LIB_TASK_PROCESS_H

#include <pthread.h>

#include "core/rarely.h"
#include "lib/task/caller.h"

/* A tid that the pvmd has lent, and the one at which tasks of the host call it. */
struct lent {
    int tid;
    int called;
};

/* Those for tasks that are threads (lib/link/lease.h). */
struct lease {
    struct lock lock; /* LOCK_LEASE; guards `taken`, and who took it has the rest */
    struct sleepers free;
    bool taken;        /* a thread starts tasks */
    int keeper;        /* the task whose connection they share; 0: there is none */
    struct lent *tids; /* from `next` on they are left */
    int next;
    int count;
    struct sleepers left;       /* until a thread of one of these has said that it ends */
    struct stack_block *stacks; /* for their threads (lib/spawn/stacks.c); with the lock */
    const struct stack_source *stack_source; /* pvmulp's, or NULL */
};

/*
 * How many tids of killed thread tasks are remembered. A pvmd of 3.4.6 that does not know yet of
 * such an end would signal the process.
 */
#define KILLED_KEPT 64

/* There is one. Files below those of calls have it from their task. */
struct process {
    pthread_once_t once;
    pthread_key_t key;     /* of each thread's caller, for when the thread ends */
    pthread_mutex_t lives; /* guards the next three; taken before all locks of tasks */
    struct task *first;    /* of threads that were bound to none; NULL before one calls */
    struct task *tasks;    /* all, linked by next */
    struct engine *engine; /* of all tasks; made with the first, and kept: messages may need it */
    struct lock lock;      /* LOCK_VARIABLES: the environment, what abi.h shows, and `heeded` */
    int heeded;            /* how many tasks task_show heeds, one more before there is a first */
    atomic_uint temporary; /* temporary names given out */
    atomic_int threads;    /* thread tasks */
    struct lease lease;
    int killed[KILLED_KEPT]; /* tids of thread tasks that were killed here last; with `lives` */
    unsigned killed_count;
    struct carriers *carriers;       /* that run the threads of tasks; NULL: the system does */
    void (*welcome)(int connection); /* what a guest's thread does (lib/spawn/guest.h), or NULL */
    struct siblings *siblings;       /* what one of the tasks was told last; with the lock */
    struct function *functions;      /* that can be tasks (lib/spawn/functions.c) */
    atomic_uint next_host;   /* where thread tasks go next (lib/spawn/thread_hosts.c), or 0 */
    _Atomic uint64_t places; /* a list of hosts, and its next one (lib/spawn/placement.c) */
    bool prints_apart;       /* stdout tells tasks apart (serve/printed.h); with the lock */
    bool packs_shared;       /* what is packed goes to shared memory again after a fork */
};

/*
 * A thread's first call: makes its caller, and the first task before it. Memory for it that cannot
 * be had ends the process with a message: there would be no place to note an error.
 */
RARELY struct caller *process_begin_thread(void);

/* The calling thread, with its task; made at its first call. */
static inline struct caller *caller_self(void)
{
    struct caller *caller = caller_current();
    return caller ? caller : process_begin_thread();
}

#endif
