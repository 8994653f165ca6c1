/* lock.c - mutexes; in debug builds with a record of what each thread holds. */
#include "ck/lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef PVM_DEBUG
static const char *const class_names[LOCK_CLASSES] = {
    [LOCK_ENROLMENT] = "enrolment", [LOCK_OPTIONS] = "options", [LOCK_TRACING] = "tracing",
    [LOCK_HANDLERS] = "handlers",   [LOCK_NOTICES] = "notices", [LOCK_RESULTS] = "results",
    [LOCK_ROUTES] = "routes",       [LOCK_LINKS] = "links",     [LOCK_INBOX] = "inbox",
    [LOCK_OUTPUT] = "output",       [LOCK_BUFFERS] = "buffers", [LOCK_BUFFER] = "buffer",
    [LOCK_VARIABLES] = "variables", [LOCK_ARENA] = "arena",
};

/* How many locks of each class this thread holds. */
static _Thread_local unsigned held[LOCK_CLASSES];

void lock_check_order(enum lock_class class, bool beside)
{
    for (int later = (int)class + beside; later < LOCK_CLASSES; later++) {
        if (held[later]) {
            fprintf(stderr, "libpvm: lock order: taking %s while holding %s\n", class_names[class],
                    class_names[later]);
            abort();
        }
    }
    held[class]++;
}

void lock_check_release(enum lock_class class)
{
    held[class]--;
}
#endif

static void lock_init_as(struct lock *lock, enum lock_class class,
                         const pthread_mutexattr_t *attributes)
{
    pthread_mutex_init(&lock->mutex, attributes);
    lock->class = class;
    lock->alone = false;
}

void lock_init(struct lock *lock, enum lock_class class)
{
    lock_init_as(lock, class, NULL);
}

void lock_init_patient(struct lock *lock, enum lock_class class)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    lock_init_as(lock, class, &attributes);
    pthread_mutexattr_destroy(&attributes);
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

void lock_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int lock_wait(struct lock *lock, pthread_cond_t *condition, const struct timespec *deadline)
{
    if (lock->alone) {
        pthread_mutex_lock(&lock->mutex);
        lock->alone = false;
    }
    if (!deadline)
        return pthread_cond_wait(condition, &lock->mutex);
    return pthread_cond_timedwait(condition, &lock->mutex, deadline);
}
