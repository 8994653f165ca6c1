/* owned_lock.c - how a thread loses a lock that it owns. */
#include "ck/base/owned_lock.h"

#include "ck/base/sleep_at.h"
#include "core/system.h"

bool owned_lock_is_possible(void)
{
    return system_membarrier(SYSTEM_MEMBARRIER_REGISTER) == 0;
}

void owned_lock_own(struct owned_lock *lock, bool owned)
{
    ANNOTATE_ATOMIC(&lock->owner, sizeof lock->owner);
    ANNOTATE_ATOMIC(&lock->inside, sizeof lock->inside);
    atomic_store_explicit(&lock->owner, owned ? owned_lock_self() : 0, memory_order_relaxed);
    atomic_store_explicit(&lock->inside, 0, memory_order_relaxed);
    lock->lightly = owned;
}

void owned_lock_destroy(struct owned_lock *lock)
{
    lock_destroy(&lock->lock);
}

bool owned_lock_is_free(struct owned_lock *lock)
{
    return lock_is_free(&lock->lock) &&
           atomic_load_explicit(&lock->inside, memory_order_relaxed) == 0;
}

/* Behind this the owner has seen that it owns the lock no more, or is seen to be inside. */
static void owned_lock_disown(struct owned_lock *lock)
{
    atomic_store_explicit(&lock->owner, 0, memory_order_relaxed);
    system_membarrier(SYSTEM_MEMBARRIER_SEEN);
}

void owned_lock_take(struct owned_lock *lock)
{
    lock_take(&lock->lock);
    if (!owned_lock_is_shared(lock))
        owned_lock_disown(lock);
    while (atomic_load_explicit(&lock->inside, memory_order_acquire) != 0)
        sleep_at(&lock->inside, 1);
    ANNOTATE_ACQUIRE(lock);
    if (lock->lightly)
        lock->lightly = false;
}

void owned_lock_wake(struct owned_lock *lock)
{
    wake_at(&lock->inside);
}
