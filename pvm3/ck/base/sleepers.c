/* sleepers.c - threads of the system sleep on a condition. */
#include "ck/base/sleepers.h"

#include <time.h>

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
