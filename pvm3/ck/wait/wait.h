/*
 * wait.h - how the threads of a process wait: one of them leads and watches for all, the others
 * follow and are woken one by one.
 *
 * Whichever thread waits first becomes the leader: the main thread of Plachetka, "(Quasi-)
 * Thread-Safe PVM and (Quasi-) Thread-Safe MPI without Active Polling", 2002, section 4.1, is a
 * role here. What it waits for may be done by itself or by anyone; a leader that is done passes the
 * role on. Waiting goes through one function, waiting_wait, and nothing in it polls: a leader that
 * sees nothing looks on for about as long as a sleep costs, if that has paid off (core/spin.h), and
 * then sleeps in epoll_wait, for good, until a descriptor or the doorbell is ready; a follower
 * sleeps until it is woken (ck/base/sleepers.h). Followers do not look: the leader does so for
 * them, on one processor; another one that watched for the leader's word would save that a wake-up
 * only by taking the processor which the sender or the application may need. But a thread that is
 * going to wait while the leader is awake, and has been told to see what has changed, gives the
 * leader a moment to do so. So two threads that answer each other need no sleep, and do not meet at
 * the lock.
 *
 * A fiber (ck/base/fiber.h) follows and never leads: the carriers lead when they have nothing to do. A
 * fiber that is going to wait looks itself, if nobody leads.
 *
 * A thread that stands by waits only so that what is urgent is seen while no other thread waits. It
 * leads then, does not look on, and is woken by what is urgent alone. While it sleeps, another
 * thread of its party that looks or waits takes its place without waking it, and gives it back in
 * the end: the one that stands by sleeps on at the set, and costs no system call.
 *
 * Threads: all functions are called with waiting.lock held, except where said.
 */
#ifndef CK_WAIT_WAIT_H
#define CK_WAIT_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "ck/base/lock.h"
#include "ck/base/sleepers.h"
#include "ck/base/stamp.h"
#include "core/annotate.h"
#include "core/cache_line.h"
#include "core/spin.h"

/*
 * What a leader does that looks on, as others see it. While it only pauses, a thread with the lock
 * may relieve it.
 */
enum stay { STAY_BUSY, STAY_PAUSES, STAY_OVER };

/*
 * One thread that waits. It may not return: it is cancelled, or leaves a sleep as leader by
 * siglongjmp from a signal handler. `abandon`, with the lock, then undoes what the wait was part
 * of; without it neither is allowed, and the waiter may lie on the stack.
 */
struct waiter {
    _Atomic(enum stay) stay;
    bool stands_by;     /* it leads only if no other can */
    bool done;          /* what it waits for has happened */
    bool interruptible; /* pvm_interrupt_recv may stop it */
    unsigned
        recallable;   /* bits: for what its owner may call the thread back, which ends the wait */
    bool recalled;    /* the owner has done so */
    bool paused;      /* stopped: it does not return, done or not, until it goes on */
    bool relievable;  /* who wakes it may relieve it (waiting_wake) */
    bool following;   /* sleeps in `sleep` */
    bool cancellable; /* its sleeps are points of cancellation, which is held off elsewhere */
    bool is_fiber;    /* it never leads */
    struct carrier *carrier; /* it is an idle one, which only leads; NULL: a thread that waits */
    struct party *party;
    void (*abandon)(struct waiter *waiter);
    struct waiter *instead; /* of a thread that waits for this and others: woken in its place */
    struct waiter *next;    /* in the order in which they began to wait */
    struct waiter *previous;
    struct sleepers sleep;
};

/* What ends the leader's sleep: there is none; anything; what is urgent, as it stands by alone. */
enum nap { NAP_NONE, NAP_UNTIL_ANYTHING, NAP_UNTIL_URGENT };

/*
 * What the leader does, called by one thread at a time and, but for `deliver`, without the lock.
 * `look` takes in and sends out what can be without blocking and returns true when anything
 * happened. `glance` does the part of `look` that takes no system call, and `look` need not do it
 * again; it may be called all the time. `deliver`, which may be NULL as those that follow, is
 * called behind them with the lock, before anybody is told that they have ended. `sleeping` is told
 * for what the leader is to be woken, after its last look, when it goes to sleep, and that it is
 * awake again; when it returns true, there is such a thing, and the leader looks instead. `tidy`
 * does before each sleep what is cheap; when it returns true, there is more to do, and it is called
 * again with `idle` if nothing has come for a second, once in a sleep.
 */
struct waiting_work {
    bool (*look)(void *owner);
    bool (*glance)(void *owner);
    void (*deliver)(void *owner);
    bool (*sleeping)(void *owner, enum nap nap);
    bool (*tidy)(void *owner, bool idle);
    void *owner;
};

/*
 * The waits of one owner, of several whose threads wait together. They are interrupted apart from
 * the others, and have errands of their own: work that a leader must not do (message handlers of
 * the application, which may wait themselves), and that no thread of another owner does.
 */
struct party {
    struct waiting *waiting;
    void (*errand)(void *owner); /* without the lock, when waiting_request_errand asked for it */
    void (*leave)(void *owner);  /* with the lock, for a thread that was relieved; NULL: none is */
    void *owner;
    bool errand_wanted;
    bool errand_running;
    struct sleepers stoppable; /* until there may be a thread for waiting_pause to stop */
};

/*
 * What changes with each message, what leaders alone use, and what tells them to look are in lines
 * of the cache of their own.
 */
struct waiting {
    _Alignas(CACHE_LINE) struct lock lock;
    struct waiter *leader;      /* NULL: the next to wait leads */
    pthread_t leading;          /* that thread, */
    uintptr_t frame;            /* and where its stack was when it began to lead */
    const struct party *looker; /* of whom a thread that does not wait looks just now; or NULL */
    unsigned asked;             /* threads of other parties have asked the leader to look, */
    unsigned answered;          /* and it has done so for so many of them, */
    bool found;                 /* last with this result */
    bool asleep;                /* the leader is in epoll_wait or about to be; */
    atomic_bool dormant;        /* it is, and does nothing before it has the lock */
    bool stands;                /* the leader stands still, */
    bool still;                 /* as it and all that look are asked to */
    struct waiter *first;
    struct waiter *last;
    unsigned successors; /* followers that may lead, */
    unsigned standing;   /* and those of them that stand by */
    struct waiter
        *displaced;        /* it stands by and sleeps, and others may lead in its place; or NULL */
    pthread_t standing_by; /* that thread */
    struct fibers *fibers; /* whose idle carriers may lead, too; NULL: there are none */
    bool unserved;         /* one could not, as others were in its way */
    struct sleepers changed; /* until the leader leaves, or the owner wakes them */
    /* The work does not change; it is used for each glance, as what follows. */
    _Alignas(CACHE_LINE) struct waiting_work work;
    int epoll;          /* what the leader sleeps on; readable descriptors are the owner's to add */
    int doorbell;       /* in `epoll` (doorbell.h): rung to wake a leader that sleeps */
    struct spin spin;   /* how long it looks; this and what follows: the leader's own */
    bool near;          /* what came last was found by a glance, or told by another thread */
    bool told;          /* it was told */
    const void *roused; /* data of what woke it last: this is any */
    bool untidy;        /* there is more to tidy than before each sleep */
    enum stamp_clock clock; /* that all tasks of this host use */
    uint64_t woken;   /* when nothing was ready but what woke it last, on that clock; 0: never */
    uint64_t in_vain; /* when waiting_take_in last looked and found nothing, on that clock */
    /* A leader that looks on is to see what has changed, and has not yet. */
    _Alignas(CACHE_LINE) atomic_bool wanted;
};

/*
 * 0, or a negative errno when the system has no descriptor left. Called before there are other
 * threads.
 */
int waiting_init(struct waiting *waiting, const struct waiting_work *work);
void waiting_destroy(struct waiting *waiting);

/* A party without errands to do. Before its threads use it, or after. */
void party_start(struct party *party, struct waiting *waiting, void (*errand)(void *owner),
                 void *owner);
void party_finish(struct party *party);

/* In a child of fork: no thread of the party sleeps. */
void party_abandon(struct party *party);

/*
 * For how long leaders look before they sleep, from now on: a setting of core/spin.h. Without it
 * they look once. No thread leads or looks.
 */
void waiting_set_spin(struct waiting *waiting, int64_t setting, int processors);

/*
 * In a child of fork: closes the descriptors, and a waiter on the child's own stack finds that it
 * is done. Conditions of threads that the child does not have are not touched.
 */
void waiting_abandon(struct waiting *waiting);

/* Asked by abandon: party.leave was called for the waiter. */
static inline bool waiter_was_relieved(const struct waiter *waiter)
{
    return atomic_load_explicit(&waiter->stay, memory_order_acquire) == STAY_OVER;
}

/* A waiter for something that has not happened. Any thread, without the lock. */
static inline void waiter_start(struct waiter *waiter)
{
    ANNOTATE_ATOMIC(&waiter->stay, sizeof waiter->stay);
    atomic_store_explicit(&waiter->stay, STAY_BUSY, memory_order_relaxed);
    waiter->done = waiter->interruptible = waiter->paused = waiter->following = false;
    waiter->stands_by = false;
    waiter->cancellable = waiter->relievable = waiter->recalled = false;
    waiter->recallable = 0;
    waiter->abandon = NULL;
    waiter->carrier = NULL;
    waiter->instead = NULL;
}

/*
 * Acquires the lock for a thread that may wait next. A leader that has been told of something is
 * first given a moment to look.
 */
void waiting_acquire(struct waiting *waiting);

/* Begins to bring what a thread that wakes the leader changes. Without the lock. */
static inline void waiting_fetch(const struct waiting *waiting)
{
    cache_line_fetch(&waiting->lock);
    cache_line_fetch(&waiting->first);
    cache_line_fetch(&waiting->spin.trust);
}

/*
 * If the calling thread is the leader, or was relieved and has not returned, it has left its wait by
 * siglongjmp, and leads no more; but not if the stack says that a signal handler calls, which
 * returns to the wait. To be called before anything else that looks at who leads; the functions of
 * this file do it themselves.
 */
void waiting_heed_jump(struct waiting *waiting);

/* Whether it may have something to do. */
bool waiting_may_have_jumped(const struct waiting *waiting);

/*
 * Waits until me->done, or me->recalled, or until `deadline` (CLOCK_MONOTONIC; NULL: for ever). 0
 * if it is done, or ETIMEDOUT; or, if me->relievable, WAITING_RELIEVED: me->done, and the thread
 * has left, without the lock.
 */
#define WAITING_RELIEVED SLEEPERS_OVER
int waiting_wait(struct party *party, struct waiter *me, const struct timespec *deadline);

/*
 * An idle carrier leads until it is called, with `me`. At once, if another thread leads or looks: then
 * it is called when nobody does.
 */
void waiting_serve(struct party *party, struct waiter *me, struct carrier *carrier);

/* Idle carriers of these lead from now on, if no thread that waits does. Before there are any. */
void waiting_be_served(struct waiting *waiting, struct fibers *fibers);

/*
 * One look by a thread that does not want to wait, unless a leader of its party is there to look
 * anyway; then errands. A leader of another party is asked for a look, so that nothing is missed
 * that has come by now. True when anything happened, so that another look may find more.
 */
bool waiting_look(struct party *party);

/*
 * Like waiting_look, for a thread that sends, and without errands. It only glances if a sender has
 * looked in vain within the last ten microseconds: a message that has come since may as well come
 * later.
 */
bool waiting_take_in(struct party *party);

/* Likewise, but a leader of another party is asked for a look, as by waiting_look. */
bool waiting_catch_up(struct party *party);

/* From `deliver`: the leader looks once more at everything before it sleeps. */
static inline void waiting_request_look(struct waiting *waiting)
{
    waiting->asked++;
}

/*
 * Returns when the ports have been looked at since the call began, by the leader of any party or by
 * this thread.
 */
void waiting_have_looked(struct party *party);

/*
 * Brackets what must not meet a leader: who leads or looks has come to the lock, or sleeps and
 * comes to it first, and does no more than return if its own wait is over. Who would lead or look
 * waits. One thread at a time: the next one waits, too. Not by a thread that leads or looks itself.
 */
void waiting_stand_still(struct waiting *waiting);

/* The same, unless another thread does what is to be done meanwhile: false, once *done. */
bool waiting_stand_still_unless(struct waiting *waiting, const bool *done);
void waiting_move_on(struct waiting *waiting);

/*
 * Makes `waiter` see that it is done (or goes on); then the one in its place is done, too. If it is
 * relievable, it may be gone when this returns.
 *
 * A leader that is done would have to take the lock, only to give up its role: two threads that
 * answer each other would meet there with each message. So a leader that looks on and can leave at
 * once is relieved: the thread that wakes it takes the role and its place in the list from it, and
 * calls party.leave. The leader touches nothing but its waiter any more. If it has been left by
 * siglongjmp, its next call finds that out, and has the wait undone by abandon (waiter_was_relieved).
 * A fiber that sleeps as a follower is relieved, too: it need not come to the lock again.
 */
void waiting_wake(struct waiting *waiting, struct waiter *waiter);

/* Asks for the errand of a party, to be called by a thread of it that waits and does not lead. */
void waiting_request_errand(struct party *party);

/*
 * Runs the errand if it was asked for, once at a time, so that what it does keeps its order. True
 * when it ran. Not by the leader.
 */
static inline bool waiting_run_errand(struct party *party);
void waiting_run_errands(struct party *party); /* when waiting_run_errand has one to run */

/* Whether a thread leads that takes in what comes, and not one that stands by. */
static inline bool waiting_is_led(const struct waiting *waiting)
{
    return waiting->leader && !waiting->leader->stands_by;
}

/*
 * Whether no thread leads or looks, or the leader sleeps: nobody is amid what a look has found.
 */
static inline bool waiting_is_quiet(const struct waiting *waiting)
{
    return !waiting->looker && (!waiting->leader || waiting->asleep);
}

/*
 * Interrupts. waiting_pause waits for an interruptible waiter of the party that is neither done nor
 * paused, pauses the one that has waited longest and returns it, or NULL once *cancelled. The owner
 * withdraws what the waiter asked for. waiting_paused gives the paused waiter of the party that has
 * waited longest, or NULL; waiting_go_on lets it return when it is done. While a thread is paused
 * it may still serve the others as leader: it holds no lock and runs nothing of the application.
 */
struct waiter *waiting_pause(struct party *party, const bool *cancelled);
struct waiter *waiting_paused(const struct party *party);
void waiting_go_on(struct waiter *waiter);

/* Ends the waits of the party that may be called back for this: they are not done, but recalled. */
void waiting_recall(struct party *party, unsigned reason);

static inline bool waiting_run_errand(struct party *party)
{
    if (!party->errand_wanted || party->errand_running)
        return false;
    waiting_run_errands(party);
    return true;
}

#endif
