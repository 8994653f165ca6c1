/*
 * lock.h - a mutex that knows its place in the lock order.
 *
 * A thread may take a lock only when it holds none of the lock's rank or a higher one. Debug builds
 * (PVM_DEBUG) check this rule at every acquisition; a program that breaks it ends with the names of
 * both ranks. No lock is held across a call that blocks.
 */
#ifndef CK_BASE_LOCK_H
#define CK_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "core/one_thread.h"

/*
 * The ranks of the kernel's locks, which is the order in which they are taken. The owner of
 * endpoints has ranks of its own in between: those below LOCK_ROUTES are taken before any lock of
 * the kernel, those from LOCK_INNER on while the kernel's may be held, all but the last three.
 */
enum lock_rank {
    LOCK_ROUTES = 16, /* a port's queue of messages to write */
    LOCK_LINKS,       /* a ring of shared memory, and what its reader has */
    LOCK_INBOX,       /* arrived messages, posted receives, who leads */
    LOCK_INNER,
    LOCK_FIBERS = 30, /* which fibers are ready, and which carriers idle */
    LOCK_ARENA,       /* shared memory in which messages are packed */
    LOCK_NETWORK,     /* a network of the port far */
    LOCK_RANKS,
};

/* A process of one thread, which starts none while it holds a lock, need not touch the mutex. */
struct lock {
    pthread_mutex_t mutex;
    unsigned rank;
    bool alone; /* held without the mutex, in a process of one thread */
#ifdef PVM_DEBUG
    const char *name; /* for who breaks the order */
#endif
};

/*
 * Makes a lock; `rank` is a constant of this file or of the owner, whose name becomes the lock's.
 * At a patient lock threads meet: one that finds it taken tries for a moment before it sleeps.
 */
#define lock_init(lock, rank)         lock_init_as((lock), (rank), #rank, false)
#define lock_init_patient(lock, rank) lock_init_as((lock), (rank), #rank, true)
void lock_init_as(struct lock *lock, unsigned rank, const char *name, bool patient);

void lock_destroy(struct lock *lock);
static inline void lock_acquire(struct lock *lock);
static inline void lock_release(struct lock *lock);

/* Before a fork: the thread may hold locks of this rank that belong to other tasks. */
static inline void lock_acquire_beside(struct lock *lock);

/* In a child of fork: true unless a thread that the child does not have held the lock. */
bool lock_is_free(struct lock *lock);

/* From now on the thread, which holds the lock, has taken the mutex (ck/base/sleepers.h). */
void lock_share(struct lock *lock);

#ifdef PVM_DEBUG
void lock_check_order(const struct lock *lock, bool beside);
void lock_check_release(const struct lock *lock);
#else
static inline void lock_check_order(const struct lock *lock, bool beside)
{
    (void)lock, (void)beside;
}

static inline void lock_check_release(const struct lock *lock)
{
    (void)lock;
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
    lock_check_order(lock, false);
    lock_take(lock);
}

static inline void lock_acquire_beside(struct lock *lock)
{
    lock_check_order(lock, true);
    lock_take(lock);
}

static inline void lock_release(struct lock *lock)
{
    lock_check_release(lock);
    if (lock->alone)
        lock->alone = false;
    else
        pthread_mutex_unlock(&lock->mutex);
}

#endif
