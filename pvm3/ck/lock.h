/*
 * lock.h - a mutex that knows its place in the lock order.
 *
 * A thread may take a lock only when it holds none of the lock's class or a later one. Debug builds
 * (PVM_DEBUG) check this rule at every acquisition; a program that breaks it ends with the names of
 * both classes. No lock is held across a call that blocks.
 */
#ifndef CK_LOCK_H
#define CK_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "core/one_thread.h"

/*
 * The collision classes in the order in which their locks are taken;
 * man/pvm_threads.7 says which function belongs to which.
 */
enum lock_class {
    LOCK_ENROLMENT, /* enrolled or not, own tid, what enrolment tells */
    LOCK_OPTIONS,   /* options, output and trace destinations */
    LOCK_TRACING,   /* trace events that are not sent yet */
    LOCK_HANDLERS,  /* message handlers */
    LOCK_NOTICES,   /* requests for word of direct routes and of the own end */
    LOCK_RESULTS,   /* lists that calls return and the library owns */
    LOCK_ROUTES,    /* a port's queue of messages to write */
    LOCK_LINKS,     /* a ring of shared memory, and what its reader has */
    LOCK_INBOX,     /* arrived messages, posted receives, who leads */
    LOCK_OUTPUT,    /* children whose output is caught */
    LOCK_BUFFERS,   /* the table of buffer ids */
    LOCK_BUFFER,    /* one buffer's contents and cursor */
    LOCK_VARIABLES, /* the environment of the process */
    LOCK_ARENA,     /* shared memory in which messages are packed */
    LOCK_CLASSES,
};

/* A process of one thread, which starts none while it holds a lock, need not touch the mutex. */
struct lock {
    pthread_mutex_t mutex;
    enum lock_class class;
    bool alone; /* held without the mutex, in a process of one thread */
};

void lock_init(struct lock *lock, enum lock_class class);

/*
 * For a lock at which threads meet: a thread that finds it taken tries for a moment before it
 * sleeps.
 */
void lock_init_patient(struct lock *lock, enum lock_class class);

void lock_destroy(struct lock *lock);
static inline void lock_acquire(struct lock *lock);
static inline void lock_release(struct lock *lock);

/* Before a fork: the thread may hold locks of this class that belong to other tasks. */
static inline void lock_acquire_beside(struct lock *lock);

/* In a child of fork: true unless a thread that the child does not have held the lock. */
bool lock_is_free(struct lock *lock);

/*
 * Waits for `condition`, which lock_condition_init has made, giving up the lock meanwhile; until
 * `deadline` (CLOCK_MONOTONIC) unless it is NULL. 0 or ETIMEDOUT. As with all conditions, ask again
 * what was waited for.
 */
struct timespec;
void lock_condition_init(pthread_cond_t *condition);
int lock_wait(struct lock *lock, pthread_cond_t *condition, const struct timespec *deadline);

#ifdef PVM_DEBUG
void lock_check_order(enum lock_class class, bool beside);
void lock_check_release(enum lock_class class);
#else
static inline void lock_check_order(enum lock_class class, bool beside)
{
    (void)class, (void)beside;
}

static inline void lock_check_release(enum lock_class class)
{
    (void)class;
}
#endif

static inline void lock_take(struct lock *lock)
{
    if (process_has_one_thread())
        lock->alone = true;
    else
        pthread_mutex_lock(&lock->mutex);
}

static inline void lock_acquire(struct lock *lock)
{
    lock_check_order(lock->class, false);
    lock_take(lock);
}

static inline void lock_acquire_beside(struct lock *lock)
{
    lock_check_order(lock->class, true);
    lock_take(lock);
}

static inline void lock_release(struct lock *lock)
{
    lock_check_release(lock->class);
    if (lock->alone)
        lock->alone = false;
    else
        pthread_mutex_unlock(&lock->mutex);
}

#endif
