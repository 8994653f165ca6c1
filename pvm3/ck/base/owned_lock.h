/*
 * owned_lock.h - a lock that nearly always the same thread takes, for which it then costs no step
 * that processors agree on.
 *
 * The owner only notes that it is inside. Another thread that wants the lock first takes the
 * ownership away, for good: it tells so, has the system make sure that all processors have seen it
 * (membarrier), and waits until the owner is not inside. From then on the lock is an ordinary one
 * (lock.h), also for its former owner. This is how D. Dice, H. Huang and M. Yang, "Asymmetric
 * Dekker Synchronization", 2001, let a thread pass without a barrier.
 *
 * Threads: any thread may take the lock. It has a rank as any other.
 */
#ifndef CK_BASE_OWNED_LOCK_H
#define CK_BASE_OWNED_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ck/base/lock.h"
#include "core/annotate.h"
#include "core/rarely.h"

struct owned_lock {
    struct lock lock;
    atomic_uintptr_t owner; /* the thread that does without `lock`; 0: none */
    atomic_uint inside;     /* the owner has the lock just now */
    bool lightly;           /* who has the lock has it without `lock` */
};

/* Whether the system lets threads own locks in this process. Before one does. */
bool owned_lock_is_possible(void);

/* Makes a lock, which the calling thread owns if `owned`. `rank` as in lock_init. */
#define owned_lock_init(owned_lock, rank, owned)                                                   \
    (lock_init(&(owned_lock)->lock, rank), owned_lock_own(owned_lock, owned))
void owned_lock_own(struct owned_lock *lock, bool owned);

void owned_lock_destroy(struct owned_lock *lock);
static inline void owned_lock_acquire(struct owned_lock *lock);
static inline void owned_lock_release(struct owned_lock *lock);

/* In a child of fork: true unless a thread that the child does not have held the lock. */
bool owned_lock_is_free(struct owned_lock *lock);

/* Whether no thread owns it any more. */
static inline bool owned_lock_is_shared(struct owned_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == 0;
}

/* For a thread that does not own the lock, and for one that does no more, whom another awaits. */
void owned_lock_take(struct owned_lock *lock);
RARELY void owned_lock_wake(struct owned_lock *lock);

/* What tells the calling thread from others, where possible without a call. */
static inline uintptr_t owned_lock_self(void)
{
#if defined(__x86_64__) && defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
    return (uintptr_t)__builtin_thread_pointer();
#endif
#endif
    return (uintptr_t)pthread_self();
}

static inline bool owned_lock_is_mine(struct owned_lock *lock)
{
    uintptr_t owner = atomic_load_explicit(&lock->owner, memory_order_relaxed);
    return owner == owned_lock_self();
}

/* The barriers are for the compiler: who takes the ownership away makes the processor obey. */
static inline void owned_lock_leave(struct owned_lock *lock)
{
    ANNOTATE_RELEASE(lock);
    atomic_store_explicit(&lock->inside, 0, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    if (!owned_lock_is_mine(lock))
        owned_lock_wake(lock);
}

/*
 * False if the calling thread does not own the lock. A thread may have the handle of another one
 * that has ended: hence the order.
 */
static inline bool owned_lock_enter(struct owned_lock *lock)
{
    if (!owned_lock_is_mine(lock))
        return false;
    (void)atomic_load_explicit(&lock->inside, memory_order_acquire);
    ANNOTATE_ACQUIRE(lock);
    atomic_store_explicit(&lock->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (owned_lock_is_mine(lock))
        return true;
    owned_lock_leave(lock);
    return false;
}

static inline void owned_lock_acquire(struct owned_lock *lock)
{
    lock_check_order(&lock->lock, false);
    if (!owned_lock_enter(lock))
        owned_lock_take(lock);
}

static inline void owned_lock_release(struct owned_lock *lock)
{
    if (lock->lightly) {
        lock_check_release(&lock->lock);
        owned_lock_leave(lock);
    } else {
        lock_release(&lock->lock);
    }
}

#endif
