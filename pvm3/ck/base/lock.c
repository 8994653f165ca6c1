/* lock.c - mutexes; in debug builds with a record of what each thread holds. */
#include "ck/base/lock.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef PVM_DEBUG
/* How many locks of each rank this thread holds, and the rank's name. */
static _Thread_local struct {
    const char *name;
    unsigned count;
} held[LOCK_RANKS];

void lock_check_order(const struct lock *lock, bool beside)
{
    for (unsigned later = lock->rank + beside; later < LOCK_RANKS; later++) {
        if (held[later].count) {
            fprintf(stderr, "lock order: taking %s while holding %s\n", lock->name,
                    held[later].name);
            abort();
        }
    }
    held[lock->rank].name = lock->name;
    held[lock->rank].count++;
}

void lock_check_release(const struct lock *lock)
{
    held[lock->rank].count--;
}
#endif

void lock_init_as(struct lock *lock, unsigned rank, const char *name, bool patient)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    if (patient)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#else
    (void)patient;
#endif
    pthread_mutex_init(&lock->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    lock->rank = rank;
    lock->alone = false;
#ifdef PVM_DEBUG
    lock->name = name;
#else
    (void)name;
#endif
}

void lock_destroy(struct lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

bool lock_is_free(struct lock *lock)
{
    bool free = pthread_mutex_trylock(&lock->mutex) == 0;
    if (free)
        pthread_mutex_unlock(&lock->mutex);
    return free;
}

void lock_share(struct lock *lock)
{
    if (!lock->alone)
        return;
    pthread_mutex_lock(&lock->mutex);
    lock->alone = false;
}
