/* wait.c - leader and followers. */
#include "ck/wait.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int waiting_init(struct waiting *waiting, enum lock_class class, const struct waiting_work *work)
{
    memset(waiting, 0, sizeof *waiting);
    waiting->work = *work;
    waiting->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    waiting->epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event bell = {.events = EPOLLIN};
    if (waiting->doorbell < 0 || waiting->epoll < 0 ||
        epoll_ctl(waiting->epoll, EPOLL_CTL_ADD, waiting->doorbell, &bell) < 0) {
        int error = -errno;
        close(waiting->doorbell);
        close(waiting->epoll);
        return error;
    }
    lock_init(&waiting->lock, class);
    lock_condition_init(&waiting->changed);
    lock_condition_init(&waiting->stoppable);
    return 0;
}

void waiting_destroy(struct waiting *waiting)
{
    close(waiting->epoll);
    close(waiting->doorbell);
    pthread_cond_destroy(&waiting->changed);
    pthread_cond_destroy(&waiting->stoppable);
    lock_destroy(&waiting->lock);
}

void waiting_abandon(struct waiting *waiting)
{
    close(waiting->epoll);
    close(waiting->doorbell);
    waiting->epoll = waiting->doorbell = -1;
    lock_condition_init(&waiting->changed);
    lock_condition_init(&waiting->stoppable);
    waiting->leader = NULL;
    waiting->looking = waiting->asleep = false;
    for (struct waiter *waiter = waiting->first; waiter; waiter = waiter->next) {
        waiter->done = true;
        waiter->paused = waiter->following = false;
    }
}

static void waiting_enter(struct waiting *waiting, struct waiter *me)
{
    lock_condition_init(&me->wake);
    me->next = NULL;
    me->previous = waiting->last;
    *(waiting->last ? &waiting->last->next : &waiting->first) = me;
    waiting->last = me;
}

/* Wakes a follower to lead, when nobody does. */
static void waiting_promote(struct waiting *waiting)
{
    if (waiting->leader)
        return;
    for (struct waiter *waiter = waiting->first; waiter; waiter = waiter->next) {
        if (waiter->following) {
            pthread_cond_signal(&waiter->wake);
            return;
        }
    }
}

static void waiting_leave(struct waiting *waiting, struct waiter *me)
{
    *(me->previous ? &me->previous->next : &waiting->first) = me->next;
    *(me->next ? &me->next->previous : &waiting->last) = me->previous;
    waiting_promote(waiting);
    pthread_cond_destroy(&me->wake);
}

static void waiting_ring(const struct waiting *waiting)
{
    uint64_t one = 1;
    /* The only failure, a full counter, leaves the bell ringing, which is what is wanted. */
    if (write(waiting->doorbell, &one, sizeof one) < 0)
        return;
}

void waiting_wake(struct waiting *waiting, struct waiter *waiter)
{
    if (waiter->following)
        pthread_cond_signal(&waiter->wake);
    else if (waiter == waiting->leader && waiting->asleep)
        waiting_ring(waiting);
}

/*
 * Sleeps until a descriptor is ready; what is ready, look finds. A deadline goes through ppoll,
 * which counts in nanoseconds where epoll_wait counts in milliseconds.
 */
static int waiting_sleep(const struct waiting *waiting, const struct timespec *deadline)
{
    struct pollfd ready = {.fd = waiting->epoll, .events = POLLIN};
    struct epoll_event event;
    uint64_t rings;
    if (deadline) {
        struct timespec now, left;
        clock_gettime(CLOCK_MONOTONIC, &now);
        left.tv_sec = deadline->tv_sec - now.tv_sec;
        left.tv_nsec = deadline->tv_nsec - now.tv_nsec;
        if (left.tv_nsec < 0) {
            left.tv_sec--;
            left.tv_nsec += 1000000000;
        }
        if (left.tv_sec < 0)
            return ETIMEDOUT;
        if (ppoll(&ready, 1, &left, NULL) == 0)
            return ETIMEDOUT;
    } else if (epoll_wait(waiting->epoll, &event, 1, -1) == 1 && event.data.ptr) {
        return 0;
    }
    /* The doorbell or an interrupted call: silence the one, and go and look in either case. */
    return read(waiting->doorbell, &rings, sizeof rings) < 0 && errno != EAGAIN ? errno : 0;
}

static bool waiting_is_over(const struct waiter *me)
{
    return me->done && !me->paused;
}

/*
 * Looks and sleeps in turn until the own wait is over, an errand is wanted, or time is up. Pauses
 * have no end.
 */
static int waiting_lead(struct waiting *waiting, struct waiter *me, const struct timespec *deadline)
{
    int result = 0;
    waiting->leader = me;
    while (!waiting_is_over(me) && result == 0) {
        lock_release(&waiting->lock);
        bool happened = waiting->work.look(waiting->work.owner);
        lock_acquire(&waiting->lock);
        if (waiting->errand_wanted && !waiting->errand_running && !me->paused)
            break;
        if (happened || waiting_is_over(me))
            continue;
        const struct timespec *until = me->paused ? NULL : deadline;
        waiting->asleep = true;
        lock_release(&waiting->lock);
        result = waiting_sleep(waiting, until);
        lock_acquire(&waiting->lock);
        waiting->asleep = false;
    }
    waiting->leader = NULL;
    pthread_cond_broadcast(&waiting->changed);
    waiting_promote(waiting);
    return result;
}

static int waiting_follow(struct waiting *waiting, struct waiter *me,
                          const struct timespec *deadline)
{
    me->following = true;
    int result = lock_wait(&waiting->lock, &me->wake, me->paused ? NULL : deadline);
    me->following = false;
    return result;
}

/* Runs the errand, once at a time, so that what it does keeps its order. True when it ran. */
static bool waiting_run_errand(struct waiting *waiting)
{
    if (!waiting->errand_wanted || waiting->errand_running)
        return false;
    waiting->errand_running = true;
    while (waiting->errand_wanted) {
        waiting->errand_wanted = false;
        lock_release(&waiting->lock);
        waiting->work.errand(waiting->work.owner);
        lock_acquire(&waiting->lock);
    }
    waiting->errand_running = false;
    return true;
}

int waiting_wait(struct waiting *waiting, struct waiter *me, const struct timespec *deadline)
{
    bool interruptible = me->interruptible;
    int result = 0;
    waiting_enter(waiting, me);
    while (!waiting_is_over(me) && (result != ETIMEDOUT || me->paused)) {
        /*
         * A thread that runs handlers is inside the application's code: it is not to be stopped
         * there.
         */
        me->interruptible = false;
        if (!me->paused && waiting_run_errand(waiting))
            continue;
        me->interruptible = interruptible;
        if (interruptible && !me->paused)
            pthread_cond_signal(&waiting->stoppable);
        result = waiting->leader || waiting->looking ? waiting_follow(waiting, me, deadline)
                                                     : waiting_lead(waiting, me, deadline);
    }
    me->interruptible = false;
    /*
     * A message for a handler that came before the one waited for has its handler run before it is
     * received.
     */
    waiting_run_errand(waiting);
    waiting_leave(waiting, me);
    return me->done ? 0 : ETIMEDOUT;
}

void waiting_begin_look(struct waiting *waiting)
{
    waiting->looking = true;
}

void waiting_end_look(struct waiting *waiting)
{
    waiting->looking = false;
    pthread_cond_broadcast(&waiting->changed);
    waiting_promote(waiting);
}

bool waiting_look(struct waiting *waiting)
{
    bool happened = false;
    if (!waiting->leader && !waiting->looking) {
        waiting_begin_look(waiting);
        lock_release(&waiting->lock);
        happened = waiting->work.look(waiting->work.owner);
        lock_acquire(&waiting->lock);
        waiting_end_look(waiting);
    }
    waiting_run_errand(waiting);
    return happened;
}

/* A leader that is paused must not run it: then a follower is woken for it. */
void waiting_request_errand(struct waiting *waiting)
{
    waiting->errand_wanted = true;
    if (!waiting->leader || !waiting->leader->paused)
        return;
    for (struct waiter *waiter = waiting->first; waiter; waiter = waiter->next) {
        if (waiter->following && !waiter->paused) {
            pthread_cond_signal(&waiter->wake);
            return;
        }
    }
}

void waiting_settle(struct waiting *waiting)
{
    while (waiting->leader || waiting->looking) {
        if (waiting->leader && waiting->asleep)
            waiting_ring(waiting);
        lock_wait(&waiting->lock, &waiting->changed, NULL);
    }
}

struct waiter *waiting_pause(struct waiting *waiting, const bool *cancelled)
{
    while (!*cancelled) {
        for (struct waiter *waiter = waiting->first; waiter; waiter = waiter->next) {
            if (waiter->interruptible && !waiter->done && !waiter->paused) {
                waiter->paused = true;
                return waiter;
            }
        }
        lock_wait(&waiting->lock, &waiting->stoppable, NULL);
    }
    return NULL;
}

struct waiter *waiting_paused(const struct waiting *waiting)
{
    for (struct waiter *waiter = waiting->first; waiter; waiter = waiter->next)
        if (waiter->paused)
            return waiter;
    return NULL;
}

void waiting_go_on(struct waiting *waiting, struct waiter *waiter)
{
    waiter->paused = false;
    waiting_wake(waiting, waiter);
    pthread_cond_signal(&waiting->stoppable);
}
