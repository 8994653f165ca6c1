/* wait.c - leader and followers. */
#include "ck/wait/wait.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

#include "ck/base/doorbell.h"
#include "core/annotate.h"
#include "core/one_thread.h"
#include "core/rarely.h"

/* While the leader looks on: nanoseconds from look to look, and glances from clock to clock. */
#define LOOK_EACH 50000
#define GLANCES   16

/*
 * Nanoseconds from a look that takes in nothing to the next one (waiting_take_in): about as long as
 * a message is on its way through a pvmd.
 */
#define TAKE_IN_EACH 10000

/* When a sleep gets longer than this, there is time for work that is not cheap (tidy). */
#define IDLE_SECONDS 1

/*
 * Pauses from glance to glance, and those in which a leader can be relieved at once: more of them
 * while other threads tell what comes. Who finds it busy waits for some pauses, not for long.
 */
#define PAUSES      1
#define PAUSES_TOLD 4
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
    waiting->leader = NULL;
    waiting->looker = NULL;
    waiting->asleep = waiting->stands = false;
    waiting->still = false;
    atomic_store_explicit(&waiting->dormant, false, memory_order_relaxed);
    atomic_store_explicit(&waiting->wanted, false, memory_order_relaxed);
    for (struct waiter *waiter = waiting->first; waiter; waiter = waiter->next) {
        waiter->done = true;
        waiter->paused = waiter->following = false;
    }
}

static void waiting_enter(struct waiting *waiting, struct waiter *me)
{
    me->has_followed = false;
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
            sleepers_wake_one(&waiter->sleep);
            return;
        }
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

/* The waiter does not follow any more. */
static void waiter_rest(struct waiter *me)
{
    if (me->has_followed)
        sleepers_finish(&me->sleep);
}

static void waiting_leave(struct waiting *waiting, struct waiter *me)
{
    *(me->previous ? &me->previous->next : &waiting->first) = me->next;
    *(me->next ? &me->next->previous : &waiting->last) = me->previous;
    waiting_promote(waiting);
    waiter_rest(me);
}

/* Tells the processor that this is a loop which waits: another thread of its core may go first. */
static void waiting_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
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

/*
 * Whether the leader, which is not asleep, has nothing to do when it leaves but to give up its role:
 * no other thread follows it, and no errand is to run before.
 */
static bool waiting_can_relieve(const struct waiting *waiting)
{
    const struct waiter *leader = waiting->leader;
    const struct party *party = leader->party;
    return leader->relievable && leader->done && !leader->paused && party->leave &&
           !party->errand_wanted && !party->errand_running && waiting->first == waiting->last &&
           !waiting->asleep;
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

void waiting_wake(struct waiting *waiting, struct waiter *waiter)
{
    for (; waiter->instead; waiter = waiter->instead)
        waiter->instead->done |= waiter->done;
    if (waiter->following)
        sleepers_wake_one(&waiter->sleep);
    else if (waiter == waiting->leader && !waiting_relieve(waiting))
        waiting_rouse(waiting);
}

/*
 * Programs set deadlines that are farther away than the clock can count: such a deadline never
 * comes.
 */
static int64_t waiting_nanoseconds(const struct timespec *time)
{
    return time->tv_sec < INT64_MAX / 1000000000
               ? (int64_t)time->tv_sec * 1000000000 + time->tv_nsec
               : INT64_MAX;
}

static int64_t waiting_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return waiting_nanoseconds(&now);
}

/* Whether the thread may be cancelled now. */
static void waiting_let_cancel(const struct waiter *me, bool may)
{
    if (me->cancellable)
        pthread_setcancelstate(may ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, NULL);
}

/*
 * Events that are asked for after a sleep: one more than is needed, to know whether it was the only
 * one.
 */
#define WOKEN_ROOM 2

/* Sleeps until something is ready. How many things are, or -1. */
static int waiting_sleep_endless(const struct waiting *waiting, struct epoll_event *ready)
{
#ifdef __SANITIZE_THREAD__
    /*
     * ThreadSanitizer sees no lock any more of a thread that leaves one of the functions which it
     * replaces without a return. A thread that may do that sleeps in one that it leaves alone.
     */
    fd_set set;
    FD_ZERO(&set);
    if (waiting->leader->cancellable && waiting->epoll < FD_SETSIZE) {
        FD_SET(waiting->epoll, &set);
        if (pselect(waiting->epoll + 1, &set, NULL, NULL, NULL, NULL) < 0)
            return -1;
        waiting_let_cancel(waiting->leader, false);
    }
#endif
    return epoll_wait(waiting->epoll, ready, WOKEN_ROOM, -1);
}

/* The system calls in which a leader sleeps. 0 or ETIMEDOUT; `ready` tells `*count` things. */
static int waiting_sleep_in_system(struct waiting *waiting, const struct timespec *limit,
                                   struct epoll_event *ready, int *count)
{
    struct pollfd set = {.fd = waiting->epoll, .events = POLLIN};
    int result = 0;
    ANNOTATE_RELEASE(&waiting->dormant);
    atomic_store_explicit(&waiting->dormant, true, memory_order_release);
    waiting_let_cancel(waiting->leader, true);
    if (limit && ppoll(&set, 1, limit, NULL) == 0)
        result = ETIMEDOUT;
    else
        *count = limit ? epoll_wait(waiting->epoll, ready, WOKEN_ROOM, 0)
                       : waiting_sleep_endless(waiting, ready);
    waiting_let_cancel(waiting->leader, false);
    return result;
}

/*
 * Sleeps until a descriptor is ready; what is ready, look finds. A deadline goes through ppoll,
 * which counts in nanoseconds where epoll_wait counts in milliseconds. Then, or when the call was
 * interrupted, there is a look in either case.
 */
static int waiting_sleep(struct waiting *waiting, const struct timespec *deadline)
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
    int result = waiting_sleep_in_system(waiting, deadline ? &limit : NULL, ready, &count);
    if (count == 1) {
        waiting->woken = stamp_before_look(waiting->clock);
        waiting->roused = ready[0].data.ptr;
    }
    if (count > 0)
        waiting->near &= count == 1 && !ready[0].data.ptr; /* the doorbell's is NULL */
    return result;
}

/* The leader has come to the lock. */
static void waiting_wake_up(struct waiting *waiting)
{
    waiting->asleep = false;
    atomic_store_explicit(&waiting->dormant, false, memory_order_relaxed);
    if (waiting->work.sleeping)
        waiting->work.sleeping(waiting->work.owner, false);
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
static int waiting_sleep_tidily(struct waiting *waiting, const struct timespec *deadline)
{
    if (!waiting->untidy)
        return waiting_sleep(waiting, deadline);
    struct timespec idle;
    clock_gettime(CLOCK_MONOTONIC, &idle);
    idle.tv_sec += IDLE_SECONDS;
    if (deadline && waiting_nanoseconds(deadline) < waiting_nanoseconds(&idle))
        return waiting_sleep(waiting, deadline);
    int result = waiting_sleep(waiting, &idle);
    if (result != ETIMEDOUT || !waiting_stir(waiting))
        return 0;
    waiting->work.tidy(waiting->work.owner, true);
    return waiting_sleep(waiting, deadline);
}

/* waiting_sleep_tidily; the time that it takes is measured, if core/spin.h can learn from it. */
static int waiting_sleep_measured(struct waiting *waiting, const struct timespec *deadline)
{
    if (!spin_learns(&waiting->spin))
        return waiting_sleep_tidily(waiting, deadline);
    int64_t begin = waiting_now();
    int result = waiting_sleep_tidily(waiting, deadline);
    if (result == 0)
        spin_slept(&waiting->spin, waiting_now() - begin);
    return result;
}

/* Nanoseconds that this wait may look on. */
static int64_t waiting_spin_limit(struct waiting *waiting)
{
    struct rusage usage;
    if (spin_asks(&waiting->spin) && getrusage(RUSAGE_SELF, &usage) == 0)
        spin_count(&waiting->spin, usage.ru_nivcsw, waiting_now());
    return spin_limit(&waiting->spin);
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

static bool waiting_glance(struct waiting *waiting)
{
    bool happened = waiting->work.glance(waiting->work.owner);
    if (happened) {
        waiting->near = true;
        waiting->told = false;
    }
    return happened;
}

static bool waiting_look_far(struct waiting *waiting)
{
    bool happened = waiting->work.look(waiting->work.owner);
    waiting->near &= !happened;
    return happened;
}

/* What a leader finds that looks on. */
enum found { FOUND_NOTHING, FOUND_SOMETHING, FOUND_WANTED, FOUND_RELIEVED };

static enum found waiting_found(bool happened)
{
    return happened ? FOUND_SOMETHING : FOUND_NOTHING;
}

static bool waiting_is_wanted(const struct waiting *waiting)
{
    return atomic_load_explicit(&waiting->wanted, memory_order_relaxed);
}

/* Pauses in which the leader can be relieved, unless it is wanted. False when it was relieved. */
static bool waiting_stay(const struct waiting *waiting, struct waiter *me)
{
    const int most = waiting->told ? PAUSES_TOLD : PAUSES;
    enum stay stay = STAY_PAUSES;
    ANNOTATE_RELEASE(&me->stay);
    atomic_store_explicit(&me->stay, STAY_PAUSES, memory_order_release);
    for (int i = 0; i < most && stay == STAY_PAUSES && !waiting_is_wanted(waiting); i++) {
        waiting_relax();
        stay = atomic_load_explicit(&me->stay, memory_order_relaxed);
    }
    stay = STAY_PAUSES;
    bool goes_on = atomic_compare_exchange_strong(&me->stay, &stay, STAY_BUSY);
    if (!goes_on)
        ANNOTATE_ACQUIRE(&me->stay);
    return goes_on;
}

/* Between two glances. A thread that is alone cannot be told anything. */
static enum found waiting_between(const struct waiting *waiting, struct waiter *me)
{
    if (process_has_one_thread())
        waiting_relax();
    else if (!waiting_stay(waiting, me))
        return FOUND_RELIEVED;
    return waiting_is_wanted(waiting) ? FOUND_WANTED : FOUND_NOTHING;
}

/* Glances until anything happens or the leader is wanted, up to `most` times. */
static enum found waiting_glances(struct waiting *waiting, struct waiter *me, int most)
{
    enum found found = FOUND_NOTHING;
    for (int i = 0; i < most && found == FOUND_NOTHING; i++) {
        found = waiting_between(waiting, me);
        if (found == FOUND_NOTHING)
            found = waiting_found(waiting_glance(waiting));
    }
    if (found == FOUND_WANTED)
        waiting->near = waiting->told = true;
    return found;
}

/*
 * Looks on where the last things came from: near, where a glance finds them, with a look from time
 * to time; or farther away, with a look for each glance. What comes at once needs no clock.
 */
static enum found waiting_spin(struct waiting *waiting, struct waiter *me, int64_t limit,
                               const struct timespec *deadline)
{
    enum found found = waiting->near ? waiting_glances(waiting, me, GLANCES) : FOUND_NOTHING;
    if (found == FOUND_RELIEVED)
        return found;
    int64_t begin = found == FOUND_NOTHING ? waiting_now() : 0;
    int64_t now = begin, look = now + LOOK_EACH, end = now + limit;
    if (deadline && waiting_nanoseconds(deadline) < end)
        end = waiting_nanoseconds(deadline);
    while (found == FOUND_NOTHING && now < end) {
        found = waiting_glances(waiting, me, waiting->near ? GLANCES : 1);
        if (found == FOUND_RELIEVED)
            return found;
        if (found == FOUND_NOTHING && (!waiting->near || now >= look)) {
            found = waiting_found(waiting_look_far(waiting));
            look = now + LOOK_EACH;
        }
        now = waiting_now();
    }
    spin_looked(&waiting->spin, found != FOUND_NOTHING, now - begin);
    return found;
}

/*
 * Looks, and when there is nothing looks on for as long as that may be worth it, or until the
 * leader is wanted. Nobody has been told that this thread would sleep:
 * so a sender need not wake it meanwhile. When everything that came of late was near, the sleep
 * finds what is far, unless time may be up before.
 */
static enum found waiting_look_on(struct waiting *waiting, struct waiter *me,
                                  const struct timespec *deadline)
{
    if (waiting_glance(waiting) || (!waiting->near && waiting_look_far(waiting)))
        return FOUND_SOMETHING;
    int64_t limit = waiting_spin_limit(waiting);
    enum found found = limit > 0 ? waiting_spin(waiting, me, limit, deadline) : FOUND_NOTHING;
    if (found == FOUND_SOMETHING || found == FOUND_RELIEVED)
        return found;
    return waiting_found(waiting->near && deadline && waiting_look_far(waiting));
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

static bool waiting_is_over(const struct waiter *me)
{
    return me->done && !me->paused;
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
    waiter_rest(me);
    me->abandon(me);
}

/* The thread has a wait here, unless it is one that it was relieved of elsewhere. */
RARELY static void waiting_heed_own_wait(struct waiting *waiting, uintptr_t frame)
{
    if (waiting->leader && pthread_equal(waiting->leading, pthread_self()))
        waiting_abandon_leader(waiting, frame);
    else if (own.waiter->party->waiting == waiting)
        waiting_abandon_relieved(frame);
}

void waiting_heed_jump(struct waiting *waiting)
{
    if ((waiting->leader && pthread_equal(waiting->leading, pthread_self())) || own.waiter)
        waiting_heed_own_wait(waiting, (uintptr_t)__builtin_frame_address(0));
}

static int waiting_sleep_as_leader(struct waiting *waiting, struct waiter *me,
                                   const struct timespec *deadline)
{
    struct retreat retreat = {waiting, me};
    int result;
    if (!me->cancellable)
        return waiting_sleep_measured(waiting, deadline);
    pthread_cleanup_push(waiting_retreat_leading, &retreat);
    result = waiting_sleep_measured(waiting, deadline);
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

/*
 * Looks and sleeps in turn until the own wait is over, an errand is wanted, or time is up. Pauses
 * have no end. WAITING_RELIEVED, without the lock, when another thread has ended the leading.
 */
static int waiting_lead(struct waiting *waiting, struct waiter *me, const struct timespec *deadline)
{
    int result = 0;
    waiting->leader = me;
    waiting->leading = pthread_self();
    waiting->frame = (uintptr_t)__builtin_frame_address(0);
    atomic_store_explicit(&me->stay, STAY_BUSY, memory_order_relaxed);
    for (;;) {
        waiting_stand(waiting, me);
        if (waiting_is_over(me) || result != 0)
            break;
        waiting_want_nothing(waiting);
        const struct timespec *until = me->paused ? NULL : deadline;
        const unsigned asked = waiting->asked;
        const bool ask = asked != waiting->answered;
        lock_release(&waiting->lock);
        enum found found =
            ask ? waiting_found(waiting_look_once(waiting)) : waiting_look_on(waiting, me, until);
        if (found == FOUND_RELIEVED)
            return WAITING_RELIEVED;
        const bool happened = found == FOUND_SOMETHING;
        waiting_conclude(waiting);
        if (ask)
            waiting_answer(waiting, asked, happened);
        if (me->party->errand_wanted && !me->party->errand_running && !me->paused)
            break;
        if (happened || waiting_is_over(me) || waiting->still ||
            waiting->asked != waiting->answered)
            continue;
        until = me->paused ? NULL : deadline;
        waiting->asleep = true;
        lock_release(&waiting->lock);
        waiting->untidy = waiting->work.tidy && waiting->work.tidy(waiting->work.owner, false);
        bool more = waiting->work.sleeping && waiting->work.sleeping(waiting->work.owner, true);
        if (!more)
            result = waiting_sleep_as_leader(waiting, me, until);
        lock_acquire(&waiting->lock);
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
    if (!me->has_followed)
        sleepers_start(&me->sleep);
    me->following = me->has_followed = true;
    int result = waiting_sleep_as_follower(waiting, me, me->paused ? NULL : deadline);
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

int waiting_wait(struct party *party, struct waiter *me, const struct timespec *deadline)
{
    struct waiting *waiting = party->waiting;
    bool interruptible = me->interruptible;
    int result = 0;
    waiting_heed_jump(waiting);
    me->party = party;
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
        if (waiting->leader || waiting->looker)
            result = waiting_follow(waiting, me, deadline);
        else
            result = waiting_take_lead(waiting, me, deadline);
        if (result == WAITING_RELIEVED) {
            waiter_rest(me);
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

/* Whether the leader does nothing before it has the lock, and asks then who stands still. */
static bool waiting_leader_rests(const struct waiting *waiting)
{
    bool dormant = atomic_load_explicit(&waiting->dormant, memory_order_acquire);
    if (dormant)
        ANNOTATE_ACQUIRE(&waiting->dormant);
    return !waiting->leader || waiting->stands || dormant;
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

/* Calls `look`, unless there is a leader, who looks anyway. */
static bool waiting_look_by(struct party *party, bool (*look)(struct waiting *waiting))
{
    struct waiting *waiting = party->waiting;
    waiting_heed_jump(waiting);
    while (waiting->still)
        sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
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

bool waiting_look(struct party *party)
{
    bool happened = waiting_look_for_certain(party, waiting_look_in_turn);
    waiting_run_errand(party);
    return happened;
}

static bool waiting_look_rarely(struct waiting *waiting)
{
    if (waiting_glance(waiting))
        return true;
    uint64_t now = stamp_roughly(waiting->clock);
    if (now - waiting->in_vain < stamp_span(waiting->clock, TAKE_IN_EACH))
        return false;
    bool happened = waiting->work.look(waiting->work.owner);
    if (!happened)
        waiting->in_vain = now;
    return happened;
}

bool waiting_take_in(struct party *party)
{
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
