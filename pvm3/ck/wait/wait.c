/* wait.c - leader and followers. */
#include "ck/wait/wait.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "ck/base/cancel.h"
#include "ck/base/doorbell.h"
#include "ck/wait/leader.h"
#include "core/annotate.h"
#include "core/one_thread.h"
#include "core/rarely.h"

/*
 * Nanoseconds from a look that takes in nothing to the next one (waiting_take_in): about as long as
 * a message is on its way through a pvmd.
 */
#define TAKE_IN_EACH 10000

/* Pauses for which a thread waits that finds a leader busy which it could relieve. */
#define PAUSES_MOST 16

/* Turns that a leader is given to get out of the way, in less time than a sleep takes. */
#define STAND_BY 100

/* Bytes of stack that a signal handler's frame takes at least. */
#define SIGNAL_FRAME 1024

/*
 * The wait in which the calling thread leads, if others may end it, and where its stack was: all
 * that tells a thread which has left that wait by a jump of it.
 */
static _Thread_local struct {
    struct waiter *waiter;
    uintptr_t frame;
} own __attribute__((tls_model("initial-exec")));

int waiting_init(struct waiting *waiting, const struct waiting_work *work)
{
    memset(waiting, 0, sizeof *waiting);
    waiting->work = *work;
    waiting->clock = stamp_clock();
    waiting->doorbell = doorbell_make();
    waiting->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (waiting->doorbell < 0 || waiting->epoll < 0 ||
        !doorbell_watch(waiting->doorbell, waiting->epoll)) {
        int error = -errno;
        close(waiting->doorbell);
        close(waiting->epoll);
        return error;
    }
    lock_init_patient(&waiting->lock, LOCK_INBOX);
    sleepers_start(&waiting->changed);
    atomic_init(&waiting->wanted, false);
    ANNOTATE_ATOMIC(&waiting->wanted, sizeof waiting->wanted);
    ANNOTATE_ATOMIC(&waiting->dormant, sizeof waiting->dormant);
    spin_start(&waiting->spin, 0, 1);
    return 0;
}

void waiting_set_spin(struct waiting *waiting, int64_t setting, int processors)
{
    spin_start(&waiting->spin, setting, processors);
}

void waiting_destroy(struct waiting *waiting)
{
    close(waiting->epoll);
    close(waiting->doorbell);
    sleepers_finish(&waiting->changed);
    lock_destroy(&waiting->lock);
}

void party_start(struct party *party, struct waiting *waiting, void (*errand)(void *owner),
                 void *owner)
{
    *party = (struct party){.waiting = waiting, .errand = errand, .owner = owner};
    sleepers_start(&party->stoppable);
}

void party_finish(struct party *party)
{
    sleepers_finish(&party->stoppable);
}

void party_abandon(struct party *party)
{
    sleepers_start(&party->stoppable);
}

void waiting_abandon(struct waiting *waiting)
{
    close(waiting->epoll);
    close(waiting->doorbell);
    ANNOTATE_RENEWED(&waiting->epoll, sizeof waiting->epoll); /* who read it is not here */
    waiting->epoll = waiting->doorbell = -1;
    sleepers_start(&waiting->changed);
    waiting->leader = waiting->displaced = NULL;
    waiting->looker = NULL;
    waiting->asleep = waiting->stands = false;
    waiting->still = waiting->unserved = false;
    waiting->successors = waiting->standing = 0;
    waiting->fibers = NULL;
    fiber_abandon();
    atomic_store_explicit(&waiting->dormant, false, memory_order_relaxed);
    atomic_store_explicit(&waiting->wanted, false, memory_order_relaxed);
    for (struct waiter *waiter = waiting->first; waiter; waiter = waiter->next) {
        waiter->done = true;
        waiter->paused = waiter->following = false;
    }
}

static void waiting_enter(struct waiting *waiting, struct waiter *me)
{
    sleepers_start(&me->sleep);
    me->next = NULL;
    me->previous = waiting->last;
    *(waiting->last ? &waiting->last->next : &waiting->first) = me;
    waiting->last = me;
}

static bool waiting_is_over(const struct waiter *me)
{
    if (me->carrier)
        return carrier_is_called(me->carrier) || me->party->waiting->still;
    return (me->done || me->recalled) && !me->paused;
}

/* Whether followers may lead that do not stand by. */
static bool waiting_has_heirs(const struct waiting *waiting)
{
    return waiting->successors > waiting->standing;
}

/* Wakes the follower that has waited longest and may lead; one that stands by if no other may. */
static void waiting_wake_successor(struct waiting *waiting)
{
    const bool stands_by = !waiting_has_heirs(waiting);
    struct waiter *waiter = waiting->first;
    while (!waiter->following || waiter->is_fiber || waiter->stands_by != stands_by)
        waiter = waiter->next;
    sleepers_wake_one(&waiter->sleep);
}

/* The leader has come to the lock, or another thread takes its place. */
static void waiting_wake_up(struct waiting *waiting)
{
    waiting->asleep = false;
    atomic_store_explicit(&waiting->dormant, false, memory_order_relaxed);
    if (waiting->work.sleeping)
        waiting->work.sleeping(waiting->work.owner, NAP_NONE);
}

/* Whether the leader does nothing before it has the lock. */
static bool waiting_is_dormant(const struct waiting *waiting)
{
    bool dormant = atomic_load_explicit(&waiting->dormant, memory_order_acquire);
    if (dormant)
        ANNOTATE_ACQUIRE(&waiting->dormant);
    return dormant;
}

/* Whether the leader stands by and sleeps, so that a thread of the party may take its place. */
static bool waiting_may_displace(const struct waiting *waiting, const struct party *party)
{
    const struct waiter *leader = waiting->leader;
    return leader && leader->stands_by && leader->party == party && !waiting_is_over(leader) &&
           waiting_is_dormant(waiting);
}

/* The leader sleeps on, and leads no more. */
static void waiting_displace(struct waiting *waiting)
{
    waiting->displaced = waiting->leader;
    waiting->standing_by = waiting->leading;
    waiting->leader = NULL;
    waiting_wake_up(waiting);
}

/* What is to wake a leader that goes to sleep. */
static enum nap waiting_nap(const struct waiting *waiting, const struct waiter *me)
{
    bool alone = waiting->first == waiting->last;
    return me->stands_by && alone ? NAP_UNTIL_URGENT : NAP_UNTIL_ANYTHING;
}

/* Who was displaced leads again, in its sleep, unless there is something to wake up for. */
static void waiting_reinstate(struct waiting *waiting)
{
    struct waiter *leader = waiting->displaced;
    waiting->leader = leader;
    waiting->leading = waiting->standing_by;
    waiting->displaced = NULL;
    waiting->asleep = true;
    atomic_store_explicit(&waiting->dormant, true, memory_order_relaxed);
    bool more = waiting->work.sleeping &&
                waiting->work.sleeping(waiting->work.owner, waiting_nap(waiting, leader));
    if (more || waiting_is_over(leader))
        doorbell_ring(waiting->doorbell);
}

/* A thread that waits and may lead in place of the one that was displaced, awake or not, or NULL. */
static struct waiter *waiting_heir(const struct waiting *waiting)
{
    struct waiter *waiter = waiting->first;
    while (waiter &&
           (waiter->party != waiting->displaced->party || waiter->is_fiber || waiter->stands_by))
        waiter = waiter->next;
    return waiter;
}

/* Has a thread lead while one is displaced. Who is awake comes to it by itself. */
static void waiting_promote_heir(struct waiting *waiting)
{
    struct waiter *heir = waiting_is_over(waiting->displaced) ? NULL : waiting_heir(waiting);
    if (heir && heir->following)
        sleepers_wake_one(&heir->sleep);
    else if (!heir && !waiting->looker && !waiting->still)
        waiting_reinstate(waiting);
}

/* Has a thread lead, when nobody does. */
static void waiting_promote(struct waiting *waiting)
{
    if (waiting->leader)
        return;
    if (waiting->displaced) {
        waiting_promote_heir(waiting);
    } else if (waiting->successors > 0) {
        waiting_wake_successor(waiting);
    } else if (waiting->unserved) {
        waiting->unserved = false;
        fibers_call(waiting->fibers);
    }
}

/* Threads that begin to wait read it: it is written only where that changes something. */
static void waiting_want_nothing(struct waiting *waiting)
{
    if (atomic_load_explicit(&waiting->wanted, memory_order_relaxed))
        atomic_store_explicit(&waiting->wanted, false, memory_order_relaxed);
}

/* Nobody leads any more; the next one is woken. */
static void waiting_end_leading(struct waiting *waiting)
{
    waiting->leader = NULL;
    waiting_want_nothing(waiting);
    sleepers_wake_all(&waiting->changed);
    waiting_promote(waiting);
}

static void waiting_leave(struct waiting *waiting, struct waiter *me)
{
    *(me->previous ? &me->previous->next : &waiting->first) = me->next;
    *(me->next ? &me->next->previous : &waiting->last) = me->previous;
    waiting_promote(waiting);
    sleepers_finish(&me->sleep);
}

/*
 * Has the leader look at what has changed. A leader that is awake and never spins does so anyway.
 */
static void waiting_rouse(struct waiting *waiting)
{
    if (waiting->asleep)
        doorbell_ring(waiting->doorbell);
    else if (waiting->spin.setting != 0)
        atomic_store_explicit(&waiting->wanted, true, memory_order_relaxed);
}

/* Whether the waiter has only to leave: no errand is to run before. */
static bool waiter_can_leave(const struct waiter *waiter)
{
    const struct party *party = waiter->party;
    return waiter->relievable && waiter->done && !waiter->paused && party->leave &&
           !party->errand_wanted && !party->errand_running;
}

/*
 * Whether the leader, which is not asleep, has nothing to do when it leaves but to give up its role:
 * no other thread follows it, and no errand is to run before.
 */
static bool waiting_can_relieve(const struct waiting *waiting)
{
    return waiter_can_leave(waiting->leader) && waiting->first == waiting->last && !waiting->asleep;
}

/*
 * From now on the leader, which pauses, does nothing more. False if it does not pause, or is the
 * calling thread.
 */
static bool waiting_end_stay(struct waiting *waiting)
{
    _Atomic(enum stay) *stay = &waiting->leader->stay;
    enum stay seen = atomic_load_explicit(stay, memory_order_relaxed);
    if (pthread_equal(waiting->leading, pthread_self()))
        return false;
    for (int i = 0; seen != STAY_PAUSES && i < PAUSES_MOST; i++) {
        waiting_relax();
        seen = atomic_load_explicit(stay, memory_order_relaxed);
    }
    ANNOTATE_ACQUIRE(stay);
    ANNOTATE_RELEASE(stay);
    seen = STAY_PAUSES;
    return atomic_compare_exchange_strong(stay, &seen, STAY_OVER);
}

/* Lets the leader leave, with which nothing else is to be done then. False if it has to do so. */
static bool waiting_relieve(struct waiting *waiting)
{
    if (!waiting_can_relieve(waiting))
        return false;
    struct party *party = waiting->leader->party;
    if (!waiting_end_stay(waiting))
        return false;
    waiting->first = waiting->last = NULL;
    waiting->near = waiting->told = true;
    spin_looked(&waiting->spin, true, 0);
    waiting_end_leading(waiting);
    party->leave(party->owner);
    return true;
}

/* Does for a fiber that sleeps what it would need the lock for. */
static bool waiting_relieve_fiber(struct waiting *waiting, struct waiter *waiter)
{
    struct party *party = waiter->party;
    struct fiber *fiber =
        waiter->is_fiber && waiter_can_leave(waiter) ? sleepers_end(&waiter->sleep) : NULL;
    if (!fiber)
        return false;
    waiting_leave(waiting, waiter);
    party->leave(party->owner);
    fiber_resume(fiber);
    return true;
}

void waiting_wake(struct waiting *waiting, struct waiter *waiter)
{
    for (; waiter->instead; waiter = waiter->instead)
        waiter->instead->done |= waiter->done;
    if (waiter->following) {
        if (!waiting_relieve_fiber(waiting, waiter))
            sleepers_wake_one(&waiter->sleep);
    } else if (waiter == waiting->displaced) {
        waiting_rouse(waiting); /* the leader, which gives it its place back first */
    } else if (waiter == waiting->leader && !waiting_relieve(waiting)) {
        waiting_rouse(waiting);
    }
}

void waiting_acquire(struct waiting *waiting)
{
    for (int turn = 0; turn < STAND_BY; turn++) {
        if (!atomic_load_explicit(&waiting->wanted, memory_order_relaxed))
            break;
        waiting_relax();
    }
    lock_acquire(&waiting->lock);
}

/* One look at everything. */
static bool waiting_look_once(struct waiting *waiting)
{
    bool happened = waiting_glance(waiting);
    return waiting_look_far(waiting) || happened;
}

/* The lock, after a look. */
static void waiting_conclude(struct waiting *waiting)
{
    lock_acquire(&waiting->lock);
    if (waiting->work.deliver)
        waiting->work.deliver(waiting->work.owner);
}

void waiting_recall(struct party *party, unsigned reason)
{
    struct waiter *next;
    for (struct waiter *waiter = party->waiting->first; waiter; waiter = next) {
        next = waiter->next;
        if (waiter->party != party || !(waiter->recallable & reason))
            continue;
        waiter->recalled = true;
        waiting_wake(party->waiting, waiter);
    }
}

/* A wait whose thread may be cancelled in its sleep. */
struct retreat {
    struct waiting *waiting;
    struct waiter *me;
};

/* A follower is cancelled; with the lock, which is given up. */
static void waiting_retreat(void *argument)
{
    const struct retreat *retreat = argument;
    struct waiting *waiting = retreat->waiting;
    struct waiter *me = retreat->me;
    waiting->successors -= me->following;
    me->interruptible = me->paused = me->following = false;
    waiting_leave(waiting, me);
    me->abandon(me);
    lock_release(&waiting->lock);
}

/* The leader is cancelled; without the lock. */
static void waiting_retreat_leading(void *argument)
{
    const struct retreat *retreat = argument;
    struct waiting *waiting = retreat->waiting;
    own.waiter = NULL;
    lock_acquire(&waiting->lock);
    waiting_wake_up(waiting);
    waiting_end_leading(waiting);
    waiting_retreat(argument);
}

/* Whether a call at that place of the stack is made by a signal handler, which returns there. */
static bool waiting_is_within(uintptr_t frame, uintptr_t wait)
{
    return frame + SIGNAL_FRAME < wait;
}

static void waiting_abandon_leader(struct waiting *waiting, uintptr_t frame)
{
    struct retreat retreat = {waiting, waiting->leader};
    if (!retreat.me->abandon || waiting_is_within(frame, waiting->frame))
        return;
    lock_release(&waiting->lock);
    waiting_retreat_leading(&retreat);
    lock_acquire(&waiting->lock);
}

static void waiting_abandon_relieved(uintptr_t frame)
{
    struct waiter *me = own.waiter;
    if (!waiter_was_relieved(me) || waiting_is_within(frame, own.frame))
        return;
    own.waiter = NULL;
    sleepers_finish(&me->sleep);
    me->abandon(me);
}

/* The thread has a wait here, unless it is one that it was relieved of elsewhere. */
RARELY static void waiting_heed_own_wait(struct waiting *waiting, uintptr_t frame)
{
    HOLD_OFF_CANCELLATION; /* a receive does not, before it waits */
    if (waiting->leader && pthread_equal(waiting->leading, pthread_self()))
        waiting_abandon_leader(waiting, frame);
    else if (own.waiter->party->waiting == waiting)
        waiting_abandon_relieved(frame);
}

bool waiting_may_have_jumped(const struct waiting *waiting)
{
    return own.waiter || (waiting->leader && pthread_equal(waiting->leading, pthread_self()));
}

void waiting_heed_jump(struct waiting *waiting)
{
    if (waiting_may_have_jumped(waiting))
        waiting_heed_own_wait(waiting, (uintptr_t)__builtin_frame_address(0));
}

static int waiting_sleep_as_leader(struct waiting *waiting, struct waiter *me,
                                   const struct timespec *deadline, struct slept *slept)
{
    struct retreat retreat = {waiting, me};
    int result;
    if (!me->cancellable)
        return waiting_sleep_measured(waiting, me, deadline, slept);
    pthread_cleanup_push(waiting_retreat_leading, &retreat);
    result = waiting_sleep_measured(waiting, me, deadline, slept);
    pthread_cleanup_pop(0);
    return result;
}

static int waiting_sleep_as_follower(struct waiting *waiting, struct waiter *me,
                                     const struct timespec *deadline)
{
    struct retreat retreat = {waiting, me};
    int result;
    if (!me->cancellable)
        return sleepers_sleep(&me->sleep, &waiting->lock, deadline);
    pthread_cleanup_push(waiting_retreat, &retreat);
    waiting_let_cancel(me, true);
    result = sleepers_sleep(&me->sleep, &waiting->lock, deadline);
    waiting_let_cancel(me, false);
    pthread_cleanup_pop(0);
    return result;
}

/* Who asked for a look is told what it has found. */
static void waiting_answer(struct waiting *waiting, unsigned asked, bool happened)
{
    waiting->answered = asked;
    waiting->found = happened;
    sleepers_wake_all(&waiting->changed);
}

/* The leader stands still for as long as it is asked to, unless its own wait is over. */
static void waiting_stand(struct waiting *waiting, const struct waiter *me)
{
    while (waiting->still && !waiting_is_over(me)) {
        waiting->stands = true;
        sleepers_wake_all(&waiting->changed);
        sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
    }
    waiting->stands = false;
}

/* What the last sleep has ended by is used from now on, unless that is another thread's to use. */
static void waiting_note_sleep(struct waiting *waiting, struct slept *slept)
{
    if (slept->count == 1 && !waiting->still) {
        waiting->woken = slept->woken;
        waiting->roused = slept->roused;
    }
    if (slept->count > 0 && !waiting->still)
        waiting->near &= slept->count == 1 && !slept->roused; /* the doorbell's is NULL */
    slept->count = 0;
}

/* Whether the leader is to give its place to a thread that waits beside it, or get it back to one. */
static bool waiting_is_to_step_down(const struct waiting *waiting, const struct waiter *me)
{
    return (me->stands_by && waiting_has_heirs(waiting)) ||
           (waiting->displaced && waiting_is_over(waiting->displaced));
}

/* The thread that stands by has woken up, and does not lead. What woke it may be the leader's. */
static void waiting_heed_displacement(struct waiting *waiting)
{
    waiting->displaced = NULL;
    if (waiting->asleep)
        doorbell_ring(waiting->doorbell);
}

/*
 * Looks and sleeps in turn until the own wait is over, an errand is wanted, or time is up. Pauses
 * have no end. WAITING_RELIEVED, without the lock, when another thread has ended the leading.
 */
static int waiting_lead(struct waiting *waiting, struct waiter *me, const struct timespec *deadline)
{
    struct slept slept = {0};
    int result = 0;
    waiting->leader = me;
    waiting->leading = pthread_self();
    waiting->frame = (uintptr_t)__builtin_frame_address(0);
    atomic_store_explicit(&me->stay, STAY_BUSY, memory_order_relaxed);
    for (;;) {
        waiting_stand(waiting, me);
        waiting_note_sleep(waiting, &slept);
        if (waiting_is_over(me) || result != 0)
            break;
        waiting_want_nothing(waiting);
        const struct timespec *until = me->paused ? NULL : deadline;
        const unsigned asked = waiting->asked;
        const bool ask = asked != waiting->answered;
        lock_release(&waiting->lock);
        enum found found = ask || me->stands_by ? waiting_found(waiting_look_once(waiting))
                                                : waiting_look_on(waiting, me, until);
        if (found == FOUND_RELIEVED)
            return WAITING_RELIEVED;
        const bool happened = found == FOUND_SOMETHING;
        waiting_conclude(waiting);
        if (ask)
            waiting_answer(waiting, asked, happened);
        if (me->party->errand_wanted && !me->party->errand_running && !me->paused)
            break;
        if (waiting_is_to_step_down(waiting, me))
            break;
        if (happened || waiting_is_over(me) || waiting->still ||
            waiting->asked != waiting->answered)
            continue;
        until = me->paused ? NULL : deadline;
        waiting->asleep = true;
        const enum nap nap = waiting_nap(waiting, me);
        lock_release(&waiting->lock);
        waiting->untidy = waiting->work.tidy && waiting->work.tidy(waiting->work.owner, false);
        bool more = waiting->work.sleeping && waiting->work.sleeping(waiting->work.owner, nap);
        if (me->carrier)
            more |= carrier_sleeps(me->carrier, waiting->doorbell);
        if (!more)
            result = waiting_sleep_as_leader(waiting, me, until, &slept);
        if (me->carrier)
            carrier_wakes(me->carrier);
        lock_acquire(&waiting->lock);
        if (waiting->leader != me) {
            waiting_heed_displacement(waiting);
            return 0;
        }
        waiting_wake_up(waiting);
    }
    waiting_end_leading(waiting);
    return result;
}

static int waiting_take_lead(struct waiting *waiting, struct waiter *me,
                             const struct timespec *deadline)
{
    own.waiter = me->relievable ? me : NULL;
    own.frame = (uintptr_t)__builtin_frame_address(0);
    int result = waiting_lead(waiting, me, deadline);
    own.waiter = NULL;
    return result;
}

static int waiting_follow(struct waiting *waiting, struct waiter *me,
                          const struct timespec *deadline)
{
    me->following = true;
    waiting->successors += !me->is_fiber;
    waiting->standing += me->stands_by && !me->is_fiber;
    int result = waiting_sleep_as_follower(waiting, me, me->paused ? NULL : deadline);
    waiting->successors -= me->following && !me->is_fiber;
    waiting->standing -= me->following && me->stands_by && !me->is_fiber;
    me->following = false;
    return result;
}

void waiting_run_errands(struct party *party)
{
    party->errand_running = true;
    while (party->errand_wanted) {
        party->errand_wanted = false;
        lock_release(&party->waiting->lock);
        party->errand(party->owner);
        lock_acquire(&party->waiting->lock);
    }
    party->errand_running = false;
}

static void waiting_end_look(struct waiting *waiting)
{
    waiting->looker = NULL;
    sleepers_wake_all(&waiting->changed);
    waiting_promote(waiting);
}

/* Calls `look` while nobody leads or looks. */
static bool waiting_look_as(struct party *party, bool (*look)(struct waiting *waiting))
{
    struct waiting *waiting = party->waiting;
    waiting->looker = party;
    lock_release(&waiting->lock);
    bool happened = look(waiting);
    waiting_conclude(waiting);
    waiting_end_look(waiting);
    return happened;
}

/* Whether there was a look just now that has found nothing. */
static bool waiting_has_looked(const struct waiting *waiting, uint64_t now)
{
    return now - waiting->in_vain < stamp_span(waiting->clock, TAKE_IN_EACH);
}

static bool waiting_look_rarely(struct waiting *waiting)
{
    if (waiting_glance(waiting))
        return true;
    uint64_t now = stamp_roughly(waiting->clock);
    if (waiting_has_looked(waiting, now))
        return false;
    bool happened = waiting->work.look(waiting->work.owner);
    if (!happened)
        waiting->in_vain = now;
    return happened;
}

/*
 * A fiber looks while nobody does, and follows if the look has found nothing for it. If others are
 * ready, it leaves the next look to them for a while.
 */
static int waiting_look_and_follow(struct party *party, struct waiter *me,
                                   const struct timespec *deadline)
{
    struct waiting *waiting = party->waiting;
    bool leaves_it = fiber_has_company(fiber_current()) &&
                     waiting_has_looked(waiting, stamp_roughly(waiting->clock));
    bool happened = !leaves_it && !waiting->still && waiting_look_as(party, waiting_look_rarely);
    bool found = happened || waiting_is_over(me) || party->errand_wanted;
    return found ? 0 : waiting_follow(waiting, me, deadline);
}

/* A leader that stands by makes room for a thread that waits: at once, or when it has been woken. */
static void waiting_make_room(struct waiting *waiting, const struct waiter *me)
{
    if (!waiting->leader || !waiting->leader->stands_by || me->stands_by)
        return;
    if (!me->is_fiber && waiting_may_displace(waiting, me->party))
        waiting_displace(waiting);
    else
        waiting_rouse(waiting);
}

/* Whether another thread leads or looks, or one that is woken is to lead before this one. */
static bool waiting_is_to_follow(const struct waiting *waiting, const struct waiter *me)
{
    return waiting->leader || waiting->looker || (me->stands_by && waiting_has_heirs(waiting));
}

int waiting_wait(struct party *party, struct waiter *me, const struct timespec *deadline)
{
    struct waiting *waiting = party->waiting;
    bool interruptible = me->interruptible;
    int result = 0;
    waiting_heed_jump(waiting);
    me->party = party;
    me->is_fiber = fiber_current() != NULL;
    waiting_enter(waiting, me);
    while (!waiting_is_over(me) && (result != ETIMEDOUT || me->paused)) {
        /*
         * A thread that runs handlers is inside the application's code: it is not to be stopped
         * there.
         */
        me->interruptible = false;
        if (!me->paused && waiting_run_errand(party))
            continue;
        me->interruptible = interruptible;
        if (interruptible && !me->paused)
            sleepers_wake_one(&party->stoppable);
        waiting_make_room(waiting, me);
        if (waiting_is_to_follow(waiting, me))
            result = waiting_follow(waiting, me, deadline);
        else if (me->is_fiber)
            result = waiting_look_and_follow(party, me, deadline);
        else
            result = waiting_take_lead(waiting, me, deadline);
        if (result == WAITING_RELIEVED) {
            sleepers_finish(&me->sleep);
            return result;
        }
    }
    me->interruptible = false;
    /*
     * A message for a handler that came before the one waited for has its handler run before it is
     * received.
     */
    waiting_run_errand(party);
    waiting_leave(waiting, me);
    return me->done ? 0 : ETIMEDOUT;
}

void waiting_be_served(struct waiting *waiting, struct fibers *fibers)
{
    waiting->fibers = fibers;
}

/* Whether a thread that is no carrier is in the way of one that would lead. */
static bool waiting_is_taken(const struct waiting *waiting)
{
    return waiting->looker || waiting->still || (waiting->leader && !waiting->leader->carrier);
}

void waiting_serve(struct party *party, struct waiter *me, struct carrier *carrier)
{
    struct waiting *waiting = party->waiting;
    if (waiting->leader || waiting_is_taken(waiting)) {
        waiting->unserved |= waiting_is_taken(waiting);
        return;
    }
    waiter_start(me);
    me->carrier = carrier;
    me->is_fiber = false;
    me->party = party;
    waiting_enter(waiting, me);
    carrier_leads(carrier, &waiting->wanted);
    waiting_lead(waiting, me, NULL);
    carrier_leads(carrier, NULL);
    waiting->unserved |= waiting->still;
    waiting_leave(waiting, me);
}

/* Whether the leader does nothing, or asks first who stands still. */
static bool waiting_leader_rests(const struct waiting *waiting)
{
    return waiting_is_dormant(waiting) || !waiting->leader || waiting->stands;
}

bool waiting_stand_still_unless(struct waiting *waiting, const bool *done)
{
    waiting_heed_jump(waiting);
    while (waiting->still && !*done)
        sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
    if (*done)
        return false;
    waiting->still = true;
    while (!waiting_leader_rests(waiting) || waiting->looker) {
        if (waiting->leader)
            waiting_rouse(waiting);
        sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
    }
    return true;
}

void waiting_stand_still(struct waiting *waiting)
{
    const bool never = false;
    waiting_stand_still_unless(waiting, &never);
}

void waiting_move_on(struct waiting *waiting)
{
    waiting->still = false;
    sleepers_wake_all(&waiting->changed);
    waiting_promote(waiting);
}

/* Calls `look`, unless there is a leader, who looks anyway. */
static bool waiting_look_by(struct party *party, bool (*look)(struct waiting *waiting))
{
    struct waiting *waiting = party->waiting;
    waiting_heed_jump(waiting);
    while (waiting->still)
        sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
    if (waiting_may_displace(waiting, party))
        waiting_displace(waiting);
    return !waiting->leader && !waiting->looker && waiting_look_as(party, look);
}

/* Glances, and looks farther if the glance finds nothing. */
static bool waiting_look_in_turn(struct waiting *waiting)
{
    return waiting_glance(waiting) || waiting->work.look(waiting->work.owner);
}

/* Whether a thread of another party leads or looks, or all stand still. */
static bool waiting_is_kept_by_others(const struct party *party)
{
    const struct waiting *waiting = party->waiting;
    if (waiting->leader)
        return waiting->leader->party != party;
    return waiting->still || (waiting->looker && waiting->looker != party);
}

/*
 * Asks a leader of another party for a look, or waits until no other party is in the way of a look
 * by this thread. True when the leader has found anything.
 */
static bool waiting_ask(struct party *party)
{
    struct waiting *waiting = party->waiting;
    const unsigned mine = ++waiting->asked;
    while (waiting_is_kept_by_others(party) && (int)(waiting->answered - mine) < 0) {
        if (waiting->leader)
            waiting_rouse(waiting);
        sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
    }
    return (int)(waiting->answered - mine) >= 0 && waiting->found;
}

/* waiting_look_by, once no other party is in the way. */
static bool waiting_look_for_certain(struct party *party, bool (*look)(struct waiting *waiting))
{
    waiting_heed_jump(party->waiting);
    bool happened = waiting_is_kept_by_others(party) && waiting_ask(party);
    return waiting_look_by(party, look) || happened;
}

/* A fiber that polls, or makes calls for long without a wait, lets others run that are ready. */
static void waiting_give_way(struct waiting *waiting, bool polls)
{
    struct fiber *self = fiber_current();
    if (!self || self->is_home || !fiber_is_to_yield(self, polls))
        return;
    lock_release(&waiting->lock);
    fiber_yield();
    lock_acquire(&waiting->lock);
}

bool waiting_look(struct party *party)
{
    bool happened = waiting_look_for_certain(party, waiting_look_in_turn);
    waiting_run_errand(party);
    waiting_give_way(party->waiting, !happened);
    return happened;
}

bool waiting_take_in(struct party *party)
{
    waiting_give_way(party->waiting, false);
    return waiting_look_by(party, waiting_look_rarely);
}

bool waiting_catch_up(struct party *party)
{
    return waiting_look_for_certain(party, waiting_look_rarely);
}

void waiting_have_looked(struct party *party)
{
    struct waiting *waiting = party->waiting;
    waiting_heed_jump(waiting);
    const unsigned mine = ++waiting->asked;
    while ((int)(waiting->answered - mine) < 0) {
        if (waiting->leader)
            waiting_rouse(waiting);
        if (waiting->leader || waiting->looker || waiting->still)
            sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
        else
            waiting_answer(waiting, mine, waiting_look_as(party, waiting_look_once));
    }
}

/*
 * A leader of the party runs the errand, unless it is paused, and so does a thread of it that looks.
 * Otherwise a follower of the party is woken for it: whoever leads next may be of another party.
 */
void waiting_request_errand(struct party *party)
{
    struct waiting *waiting = party->waiting;
    party->errand_wanted = true;
    if (waiting->looker == party)
        return;
    if (waiting->leader && waiting->leader->party == party && !waiting->leader->paused) {
        waiting_wake(waiting, waiting->leader); /* if it sleeps: another thread asks */
        return;
    }
    for (struct waiter *waiter = waiting->first; waiter; waiter = waiter->next) {
        if (waiter->party == party && waiter->following && !waiter->paused) {
            sleepers_wake_one(&waiter->sleep);
            return;
        }
    }
}

struct waiter *waiting_pause(struct party *party, const bool *cancelled)
{
    while (!*cancelled) {
        for (struct waiter *waiter = party->waiting->first; waiter; waiter = waiter->next) {
            if (waiter->party == party && waiter->interruptible && !waiter->done &&
                !waiter->paused) {
                waiter->paused = true;
                return waiter;
            }
        }
        sleepers_sleep(&party->stoppable, &party->waiting->lock, NULL);
    }
    return NULL;
}

struct waiter *waiting_paused(const struct party *party)
{
    for (struct waiter *waiter = party->waiting->first; waiter; waiter = waiter->next)
        if (waiter->party == party && waiter->paused)
            return waiter;
    return NULL;
}

void waiting_go_on(struct waiter *waiter)
{
    struct party *party = waiter->party;
    waiter->paused = false;
    waiting_wake(party->waiting, waiter);
    sleepers_wake_one(&party->stoppable);
}
