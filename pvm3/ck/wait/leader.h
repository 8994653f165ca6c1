/*
 * leader.h - what a leader does between two looks: it looks on, and then it sleeps. For the files of
 * this folder.
 *
 * Threads: the thread that leads, without the lock of `waiting`, except where said.
 */
#ifndef CK_WAIT_LEADER_H
#define CK_WAIT_LEADER_H

#include <pthread.h>

#include "ck/wait/wait.h"

/*
 * Programs set deadlines that are farther away than the clock can count: such a deadline never
 * comes.
 */
static inline int64_t waiting_nanoseconds(const struct timespec *time)
{
    return time->tv_sec < INT64_MAX / 1000000000
               ? (int64_t)time->tv_sec * 1000000000 + time->tv_nsec
               : INT64_MAX;
}

static inline int64_t waiting_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return waiting_nanoseconds(&now);
}

/* What has ended a sleep: how many things were ready, and when and what it was if it was one. */
struct slept {
    int count; /* 0: none was, or it is noted elsewhere */
    uint64_t woken;
    const void *roused;
};

/* Whether the thread may be cancelled now. */
static inline void waiting_let_cancel(const struct waiter *me, bool may)
{
    if (me->cancellable)
        pthread_setcancelstate(may ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, NULL);
}

/* Tells the processor that this is a loop which waits: another thread of its core may go first. */
static inline void waiting_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* A glance by the leader, or by a thread that looks in its place. True if anything happened. */
bool waiting_glance(struct waiting *waiting);

/* What a leader finds that looks on. */
enum found { FOUND_NOTHING, FOUND_SOMETHING, FOUND_WANTED, FOUND_RELIEVED };

static inline enum found waiting_found(bool happened)
{
    return happened ? FOUND_SOMETHING : FOUND_NOTHING;
}

/*
 * Looks, and if the look finds nothing looks on for as long as that may be worth it, or until the
 * leader is wanted. While the leader looks on, nobody has been told that it sleeps, and so no sender
 * wakes it up. If everything that came of late was near, the sleep finds what is far, unless the
 * deadline may come first. `deadline` may be NULL. After FOUND_RELIEVED the thread leads no more.
 */
enum found waiting_look_on(struct waiting *waiting, struct waiter *me,
                           const struct timespec *deadline);

/* A look at everything that a glance does not see. True if anything happened. */
bool waiting_look_far(struct waiting *waiting);

/*
 * Sleeps in the system until a descriptor of the set is ready, or until `deadline`, which may be
 * NULL. 0 or ETIMEDOUT, and *slept. The leader is dormant until it has taken the lock
 * (waiting.dormant), and leads no more if it has been displaced.
 */
int waiting_sleep_measured(struct waiting *waiting, const struct waiter *me,
                           const struct timespec *deadline, struct slept *slept);

#endif
