/* lpvmwait.c - the critical section and the queue of threads that wait for messages. */
#define _GNU_SOURCE

#include "lpvmwait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <pvm3.h>
#include <rpc/types.h>
#include <rpc/xdr.h>

#include "deadline.h"
#include "listmac.h"
#include "pmsg.h"

#include <pvmtev.h>

#include "lpvm.h"

int mroute(int message, int tid, int tag, struct timeval *limit);

struct critical_section critical_section = {.turn = PTHREAD_MUTEX_INITIALIZER,
                                            .lock = PTHREAD_MUTEX_INITIALIZER,
                                            .receiver = PTHREAD_COND_INITIALIZER};
unsigned long socket_changes;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int inside;     /* calls in which this thread is */
static __thread int cancelling; /* its state of cancellation, which is held off inside */

static void critical_fail(const char *what)
{
    perror(what);
    abort();
}

static void critical_start(void)
{
    int i;
    if (pipe(critical_section.intr_fd) < 0)
        critical_fail("libpvm: intr_fd");
    for (i = 0; i < 2; i++) {
        int descriptor = critical_section.intr_fd[i];
        if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 ||
            fcntl(descriptor, F_SETFL, O_NONBLOCK) < 0)
            critical_fail("libpvm: intr_fd");
    }
    if (critical_section.intr_fd[0] >= FD_SETSIZE) {
        errno = EMFILE;
        critical_fail("libpvm: select");
    }
}

static void critical_lock(void)
{
    pthread_mutex_lock(&critical_section.turn);
    pthread_mutex_lock(&critical_section.lock);
    pthread_mutex_unlock(&critical_section.turn);
}

bool critical_enter(void)
{
    if (inside++ > 0)
        return false;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    pthread_once(&once, critical_start);
    critical_lock();
    return true;
}

/* A full pipe is readable, too. */
static void critical_ring(void)
{
    while (write(critical_section.intr_fd[1], "", 1) < 0 && errno == EINTR)
        ;
}

static bool all_are_stopped(void)
{
    struct waiter *waiter = critical_section.first;
    while (waiter && waiter->stopped)
        waiter = waiter->next;
    return !waiter;
}

/* It sleeps on the sockets of before, or on none though there is one now who waits for them. */
static void critical_tell_leader(void)
{
    bool right =
        critical_section.watches ? critical_section.seen == socket_changes : all_are_stopped();
    if (critical_section.asleep && !right)
        critical_ring();
}

void critical_leave(bool outermost)
{
    inside--;
    if (!outermost)
        return;
    critical_tell_leader();
    pthread_mutex_unlock(&critical_section.lock);
    pthread_setcancelstate(cancelling, NULL);
}

/* The queue. ----------------------------------------------------------------------------------- */

void wait_wake(struct waiter *waiter)
{
    if (critical_section.leader != waiter)
        sem_post(&waiter->wake);
    else if (critical_section.asleep)
        critical_ring();
}

static void waiter_link(struct waiter *waiter)
{
    struct waiter **link = &critical_section.first;
    while (*link && (!waiter->answer || (*link)->answer))
        link = &(*link)->next;
    waiter->next = *link;
    *link = waiter;
}

static void waiter_unlink(struct waiter *waiter)
{
    struct waiter **link = &critical_section.first;
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
    waiter->done = true;
}

static void waiter_finish(struct waiter *waiter, int result)
{
    waiter_unlink(waiter);
    waiter->result = result;
    wait_wake(waiter);
}

/* 0: no; negative: an error of the application's matcher. */
static int waiter_matches(const struct waiter *waiter, const struct pmsg *message)
{
    if (waiter->answer)
        return message->m_src == waiter->tid && message->m_tag == waiter->tag &&
               (message->m_wid == 0 || message->m_wid == waiter->wait_id);
    int context = pvmmyctx;
    pvmmyctx = waiter->context;
    int result = wait_match(message->m_mid, waiter->tid, waiter->tag);
    pvmmyctx = context;
    return result;
}

static bool waiter_takes(struct waiter *waiter, struct pmsg *message)
{
    int result = waiter->stopped ? 0 : waiter_matches(waiter, message);
    if (result == 0)
        return false;
    waiter->message = result > 0 ? message : NULL;
    waiter_finish(waiter, result > 0 ? 1 : result);
    return result > 0;
}

bool wait_takes(struct pmsg *message)
{
    struct waiter *waiter, *next;
    for (waiter = critical_section.first; waiter; waiter = next) {
        next = waiter->next;
        if (waiter_takes(waiter, message))
            return true;
    }
    return false;
}

void wait_look(struct waiter *waiter)
{
    struct pmsg *message = pvmrxlist->m_link;
    while (message != pvmrxlist && !waiter_takes(waiter, message) && !waiter->done)
        message = message->m_link;
    if (waiter->message)
        LISTDELETE(message, m_link, m_rlink);
}

void wait_abandon(int result)
{
    while (critical_section.first)
        waiter_finish(critical_section.first, result);
}

/* Waiting. ------------------------------------------------------------------------------------- */

/* Takes in what there is. A task that has lost its pvmd ends the waits. */
static void take_in(void)
{
    struct timeval none = {0, 0};
    struct waiter *waiter, *next;
    int result = mroute(0, 0, 0, &none);
    for (waiter = critical_section.first; waiter && result < 0; waiter = next) {
        next = waiter->next;
        if (!waiter->stopped)
            waiter_finish(waiter, result);
    }
}

/* Until the deadline, rounded up to microseconds; NULL without one. */
static struct timeval *time_left(const struct timespec *deadline, struct timeval *left)
{
    struct timespec now;
    if (!deadline)
        return NULL;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long microseconds = (deadline->tv_sec - now.tv_sec) * 1000000LL +
                             (deadline->tv_nsec - now.tv_nsec + 999) / 1000;
    if (microseconds < 0)
        microseconds = 0;
    *left = (struct timeval){microseconds / 1000000, microseconds % 1000000};
    return left;
}

/*
 * Around the sleep of a receive, outside of the section: that is a point of cancellation, unless
 * libgpvm3 calls.
 */
static void waiter_let_cancel(const struct waiter *waiter, bool may)
{
    if (!waiter->answer && inside <= 2)
        pthread_setcancelstate(may ? cancelling : PTHREAD_CANCEL_DISABLE, NULL);
}

/* True when the deadline has passed. */
static bool waiter_lead(struct waiter *waiter, const struct timespec *deadline)
{
    struct timeval left;
    char rung[64];
    fd_set sockets;
    int bell = critical_section.intr_fd[0], count = 0, level = pvmtoplvl;
    FD_ZERO(&sockets);
    critical_section.watches = !all_are_stopped();
    if (critical_section.watches)
        count = wait_sockets(&sockets);
    FD_SET(bell, &sockets);
    critical_section.leader = waiter;
    critical_section.seen = socket_changes;
    critical_section.asleep = true;
    pvmtoplvl = 1;
    pthread_mutex_unlock(&critical_section.lock);
    waiter_let_cancel(waiter, true);
    int ready =
        select(count > bell ? count : bell + 1, &sockets, NULL, NULL, time_left(deadline, &left));
    waiter_let_cancel(waiter, false);
    critical_lock();
    pvmtoplvl = level;
    critical_section.asleep = false;
    if (ready > 0 && FD_ISSET(bell, &sockets)) {
        while (read(bell, rung, sizeof rung) > 0)
            ;
        ready--;
    }
    if (ready > 0 && !all_are_stopped())
        take_in();
    return ready == 0 && deadline && !timerisset(time_left(deadline, &left));
}

static bool waiter_follow(struct waiter *waiter, const struct timespec *deadline)
{
    int level = pvmtoplvl;
    critical_tell_leader();
    pvmtoplvl = 1;
    pthread_mutex_unlock(&critical_section.lock);
    waiter_let_cancel(waiter, true);
    int result = deadline ? sem_clockwait(&waiter->wake, CLOCK_MONOTONIC, deadline)
                          : sem_wait(&waiter->wake);
    bool late = result < 0 && errno == ETIMEDOUT;
    waiter_let_cancel(waiter, false);
    critical_lock();
    pvmtoplvl = level;
    return late;
}

/* Ends the wait, inside. Another thread leads, if one waits. */
static void waiter_end(struct waiter *waiter)
{
    if (!waiter->done)
        waiter_unlink(waiter);
    if (critical_section.leader == waiter)
        critical_section.leader = NULL;
    if (!critical_section.leader && critical_section.first)
        sem_post(&critical_section.first->wake);
    sem_destroy(&waiter->wake);
}

/* The thread is cancelled in its sleep, outside. A message that it was given goes to others. */
static void waiter_vanish(void *argument)
{
    struct waiter *waiter = argument;
    critical_lock();
    if (critical_section.leader == waiter)
        critical_section.asleep = false;
    waiter_end(waiter);
    if (waiter->message && !wait_takes(waiter->message))
        LISTPUTAFTER(pvmrxlist, waiter->message, m_link, m_rlink);
    inside = 0;
    pthread_mutex_unlock(&critical_section.lock);
}

static void waiter_sleep(struct waiter *waiter, const struct timespec *deadline)
{
    bool late = false;
    while (!waiter->done && (waiter->stopped || !late)) {
        const struct timespec *end = waiter->stopped ? NULL : deadline;
        late = critical_section.leader && critical_section.leader != waiter
                   ? waiter_follow(waiter, end)
                   : waiter_lead(waiter, end);
    }
}

/*
 * What it was given goes to the front of the list, where the caller looks first. A receive goes on
 * as it began, with no active buffer: one that was interrupted may share it with the other thread.
 */
static int waiter_wait(struct waiter *waiter, struct timeval *limit)
{
    struct timespec deadline;
    if (limit)
        deadline = deadline_after(limit);
    sem_init(&waiter->wake, 0, 0);
    waiter_link(waiter);
    if (!critical_section.leader)
        take_in();
    if (!waiter->done && !waiter->answer)
        pthread_cond_broadcast(&critical_section.receiver);
    pthread_cleanup_push(waiter_vanish, waiter);
    waiter_sleep(waiter, limit ? &deadline : NULL);
    pthread_cleanup_pop(0);
    waiter_end(waiter);
    if (waiter->message)
        LISTPUTAFTER(pvmrxlist, waiter->message, m_link, m_rlink);
    if (!waiter->answer) {
        pvmrbuf = NULL;
        pvmmyctx = waiter->context;
    }
    return waiter->result;
}

/* In a message handler, and while the task enrols or leaves, mroute itself decides what is done. */
static int wait_or_route(struct waiter *waiter, struct timeval *limit, struct pmsg **place)
{
    bool outermost = critical_enter();
    bool waits = !critical_section.handling && !critical_section.kept && pvmmytid != -1 &&
                 (!limit || timerisset(limit));
    int result = waits ? waiter_wait(waiter, limit) : mroute(0, 0, 0, limit);
    *place = pvmrxlist;
    critical_leave(outermost);
    return result;
}

int wait_message(int tid, int tag, struct timeval *limit, struct pmsg **place)
{
    struct waiter waiter = {.tid = tid, .tag = tag, .context = pvmmyctx};
    return wait_or_route(&waiter, limit, place);
}

int wait_answer(int request, int tid, int tag, int wait_id, struct pmsg **place)
{
    struct waiter waiter = {.answer = true, .tid = tid, .tag = tag, .wait_id = wait_id};
    struct timeval none = {0, 0};
    if (request)
        return mroute(request, tid, tag, &none);
    return wait_or_route(&waiter, NULL, place);
}
