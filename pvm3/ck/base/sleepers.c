/* sleepers.c - threads of the system sleep on a condition. */
#include "ck/base/sleepers.h"

#include <stddef.h>
#include <time.h>

#include "core/system.h"

void sleepers_start(struct sleepers *sleepers)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sleepers->woken, &attributes);
    pthread_condattr_destroy(&attributes);
    sleepers->there = false;
}

void sleepers_finish(struct sleepers *sleepers)
{
    pthread_cond_destroy(&sleepers->woken);
}

int sleepers_sleep(struct sleepers *sleepers, struct lock *lock, const struct timespec *deadline)
{
    lock_share(lock);
    sleepers->there = true;
    if (!deadline)
        return pthread_cond_wait(&sleepers->woken, &lock->mutex);
    return pthread_cond_timedwait(&sleepers->woken, &lock->mutex, deadline);
}

void sleepers_sleep_at(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, SYSTEM_FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void sleepers_wake_at(atomic_uint *word)
{
    syscall(SYS_futex, word, SYSTEM_FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
