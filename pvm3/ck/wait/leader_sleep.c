/* leader_sleep.c - the system calls in which a leader sleeps, and how long they take. */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "ck/wait/leader.h"
#include "core/annotate.h"

/* When a sleep gets longer than this, there is time for work that is not cheap (tidy). */
#define IDLE_SECONDS 1

/*
 * Events that are asked for after a sleep: one more than is needed, to know whether it was the only
 * one.
 */
#define WOKEN_ROOM 2

/* Sleeps until something is ready. How many things are, or -1. */
static int waiting_sleep_endless(const struct waiting *waiting, const struct waiter *me,
                                 struct epoll_event *ready)
{
#ifdef __SANITIZE_THREAD__
    /*
     * ThreadSanitizer sees no lock any more of a thread that leaves one of the functions which it
     * replaces without a return. A thread that may do that sleeps in one that it leaves alone.
     */
    fd_set set;
    FD_ZERO(&set);
    if (me->cancellable && waiting->epoll < FD_SETSIZE) {
        FD_SET(waiting->epoll, &set);
        if (pselect(waiting->epoll + 1, &set, NULL, NULL, NULL, NULL) < 0)
            return -1;
        waiting_let_cancel(me, false);
    }
#else
    (void)me;
#endif
    return epoll_wait(waiting->epoll, ready, WOKEN_ROOM, -1);
}

/* The system calls in which a leader sleeps. 0 or ETIMEDOUT; `ready` tells `*count` things. */
static int waiting_sleep_in_system(struct waiting *waiting, const struct waiter *me,
                                   const struct timespec *limit, struct epoll_event *ready,
                                   int *count)
{
    struct pollfd set = {.fd = waiting->epoll, .events = POLLIN};
    int result = 0;
    ANNOTATE_RELEASE(&waiting->dormant);
    atomic_store_explicit(&waiting->dormant, true, memory_order_release);
    waiting_let_cancel(me, true);
    if (limit && ppoll(&set, 1, limit, NULL) == 0)
        result = ETIMEDOUT;
    else
        *count = limit ? epoll_wait(waiting->epoll, ready, WOKEN_ROOM, 0)
                       : waiting_sleep_endless(waiting, me, ready);
    waiting_let_cancel(me, false);
    return result;
}

/*
 * Sleeps until a descriptor is ready; what is ready, look finds. A deadline goes through ppoll,
 * which counts in nanoseconds where epoll_wait counts in milliseconds. Then, or when the call was
 * interrupted, there is a look in either case.
 */
static int waiting_sleep(struct waiting *waiting, const struct waiter *me,
                         const struct timespec *deadline, struct slept *slept)
{
    struct epoll_event ready[WOKEN_ROOM];
    struct timespec limit;
    int count = 0;
    waiting->roused = waiting;
    waiting->woken = 0;
    if (deadline) {
        int64_t left = waiting_nanoseconds(deadline) - waiting_now();
        if (left < 0)
            return ETIMEDOUT;
        limit = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    }
    int result = waiting_sleep_in_system(waiting, me, deadline ? &limit : NULL, ready, &count);
    if (count > 0)
        *slept = (struct slept){count, stamp_before_look(waiting->clock), ready[0].data.ptr};
    return result;
}

/* Amid its sleep the leader does something, unless all are to stand still. False then. */
static bool waiting_stir(struct waiting *waiting)
{
    lock_acquire(&waiting->lock);
    bool may = !waiting->still;
    if (may)
        atomic_store_explicit(&waiting->dormant, false, memory_order_relaxed);
    lock_release(&waiting->lock);
    return may;
}

/* waiting_sleep; when there is much to tidy, the leader does so once the sleep has become long. */
static int waiting_sleep_tidily(struct waiting *waiting, const struct waiter *me,
                                const struct timespec *deadline, struct slept *slept)
{
    if (!waiting->untidy)
        return waiting_sleep(waiting, me, deadline, slept);
    struct timespec idle;
    clock_gettime(CLOCK_MONOTONIC, &idle);
    idle.tv_sec += IDLE_SECONDS;
    if (deadline && waiting_nanoseconds(deadline) < waiting_nanoseconds(&idle))
        return waiting_sleep(waiting, me, deadline, slept);
    int result = waiting_sleep(waiting, me, &idle, slept);
    if (result != ETIMEDOUT || !waiting_stir(waiting))
        return 0;
    waiting->work.tidy(waiting->work.owner, true);
    return waiting_sleep(waiting, me, deadline, slept);
}

/*
 * waiting_sleep_tidily; the time that it takes is measured, if core/spin.h can learn from it. The
 * sleep of a thread that stands by says nothing of what others wait for, and another thread may
 * lead when it ends.
 */
int waiting_sleep_measured(struct waiting *waiting, const struct waiter *me,
                           const struct timespec *deadline, struct slept *slept)
{
    if (me->stands_by)
        return waiting_sleep(waiting, me, deadline, slept);
    if (!spin_learns(&waiting->spin))
        return waiting_sleep_tidily(waiting, me, deadline, slept);
    int64_t begin = waiting_now();
    int result = waiting_sleep_tidily(waiting, me, deadline, slept);
    if (result == 0)
        spin_slept(&waiting->spin, waiting_now() - begin);
    return result;
}
