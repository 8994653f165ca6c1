/* sleepers.c - threads of the system sleep on a condition, and fibers in a list. */
#include "ck/base/sleepers.h"

#include <stddef.h>
#include <time.h>

void sleepers_start(struct sleepers *sleepers)
{
    sleepers->fibers.first = NULL;
    sleepers->there = sleepers->made = sleepers->over = false;
}

static void sleepers_make(struct sleepers *sleepers)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sleepers->woken, &attributes);
    pthread_condattr_destroy(&attributes);
    sleepers->made = true;
}

void sleepers_finish(struct sleepers *sleepers)
{
    if (sleepers->made)
        pthread_cond_destroy(&sleepers->woken);
}

static int sleepers_sleep_in_system(struct sleepers *sleepers, struct lock *lock,
                                    const struct timespec *deadline)
{
    lock_share(lock);
    if (!sleepers->made)
        sleepers_make(sleepers);
    sleepers->there = true;
    if (!deadline)
        return pthread_cond_wait(&sleepers->woken, &lock->mutex);
    return pthread_cond_timedwait(&sleepers->woken, &lock->mutex, deadline);
}

/*
 * With a deadline a fiber sleeps at home. If it has to go somewhere else first, it wakes up for no
 * reason.
 */
static int sleepers_sleep_as_fiber(struct sleepers *sleepers, struct lock *lock,
                                   const struct timespec *deadline)
{
    struct fiber *self = fiber_current();
    int result = 0;
    const bool stays = self->is_home == (deadline != NULL);
    if (stays && deadline)
        result = sleepers_sleep_in_system(sleepers, lock, deadline);
    if (stays && !deadline) {
        fiber_list_add(&sleepers->fibers, self);
        sleepers->there = true;
    }
    lock_release(lock);
    if (stays && !deadline)
        fiber_suspend();
    else if (self->is_home)
        fiber_come_back();
    else
        fiber_go_home();
    if (sleepers->over)
        return SLEEPERS_OVER;
    lock_acquire(lock);
    return result;
}

int sleepers_sleep(struct sleepers *sleepers, struct lock *lock, const struct timespec *deadline)
{
    return fiber_current() ? sleepers_sleep_as_fiber(sleepers, lock, deadline)
                           : sleepers_sleep_in_system(sleepers, lock, deadline);
}

struct fiber *sleepers_end(struct sleepers *sleepers)
{
    struct fiber *fiber = fiber_list_take(&sleepers->fibers);
    sleepers->over = fiber != NULL;
    return fiber;
}

void sleepers_rouse_one(struct sleepers *sleepers)
{
    struct fiber *fiber = fiber_list_take(&sleepers->fibers);
    if (fiber)
        fiber_resume(fiber);
    else if (sleepers->made)
        pthread_cond_signal(&sleepers->woken);
}

void sleepers_rouse_all(struct sleepers *sleepers)
{
    struct fiber *fiber;
    while ((fiber = fiber_list_take(&sleepers->fibers)) != NULL)
        fiber_resume(fiber);
    if (sleepers->made)
        pthread_cond_broadcast(&sleepers->woken);
}
