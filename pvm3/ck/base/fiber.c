/* fiber.c - which fiber runs where. */
#include "ck/base/fiber.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "ck/base/doorbell.h"
#include "ck/base/sleep_at.h"
#include "core/annotate.h"
#include "core/system.h"

/* From tick to tick so many fibers run at least, if it does not pay to call a carrier for one more. */
#define RUNS_SHORT 100

/* So often a carrier looks whether a fiber has been left, before it leaves its own. */
#define LOOKS_MOST 100

void fibers_start(struct fibers *fibers, const struct fibers_owner *owner)
{
    memset(fibers, 0, sizeof *fibers);
    lock_init(&fibers->lock, LOCK_FIBERS);
    atomic_init(&fibers->sleeping, NULL);
    ANNOTATE_ATOMIC(&fibers->sleeping, sizeof fibers->sleeping);
    ANNOTATE_ATOMIC(&fibers->some, sizeof fibers->some);
    fibers->fast = fiber_switch_is_fast();
    fibers->owner = *owner;
    pthread_sigmask(SIG_SETMASK, NULL, &fibers->mask);
}

/* Calling carriers. ---------------------------------------------------------------------------- */

/* With the lock. One that sleeps, for ticks to find. */
static void fibers_show_idle(struct fibers *fibers)
{
    atomic_store_explicit(&fibers->sleeping, fibers->idle, memory_order_release);
}

/* With the lock. */
static void fibers_remove_idle(struct fibers *fibers, struct carrier *carrier)
{
    struct carrier **place = &fibers->idle;
    while (*place != carrier)
        place = &(*place)->next_idle;
    *place = carrier->next_idle;
    fibers_show_idle(fibers);
}

/* Takes one that is to be called; if the calling thread is one, that one. With the lock. */
static struct carrier *fibers_take_idle(struct fibers *fibers)
{
    struct carrier *carrier = fibers->idle, *self = carrier_current();
    if (self && carrier &&
        atomic_load_explicit(&self->called, memory_order_relaxed) == CARRIER_RESTS)
        carrier = self;
    if (!carrier)
        return NULL;
    fibers_remove_idle(fibers, carrier);
    atomic_store(&carrier->called, CARRIER_CALLED);
    return carrier;
}

/* A carrier that has been taken comes to know. Without the lock. */
static void carrier_tell(struct carrier *carrier)
{
    if (carrier == carrier_current())
        return;
    int doorbell = atomic_load(&carrier->doorbell);
    atomic_bool *wanted = atomic_load(&carrier->wanted);
    if (doorbell >= 0)
        doorbell_ring(doorbell);
    else if (wanted)
        atomic_store_explicit(wanted, true, memory_order_relaxed);
    else
        wake_at(&carrier->called);
}

void fibers_call(struct fibers *fibers)
{
    lock_acquire(&fibers->lock);
    struct carrier *carrier = fibers_take_idle(fibers);
    lock_release(&fibers->lock);
    if (carrier)
        carrier_tell(carrier);
}

/*
 * Whether an idle carrier is to run the fiber that has just become ready. The calling carrier is
 * about to run it if fibers do not run for long.
 */
static bool fibers_call_pays(const struct fibers *fibers, const struct fiber *self)
{
    if (!fibers->idle)
        return false;
    return !self || self->is_home || fibers->ready.first != fibers->ready.last ||
           atomic_load_explicit(&self->carrier->runs_long, memory_order_relaxed);
}

/* Ready fibers. -------------------------------------------------------------------------------- */

static void fibers_add(struct fibers *fibers, struct fiber *fiber)
{
    struct carrier *called = NULL;
    lock_acquire(&fibers->lock);
    fiber_list_add(&fibers->ready, fiber);
    atomic_store_explicit(&fibers->some, true, memory_order_relaxed);
    if (fibers_call_pays(fibers, fiber_current()))
        called = fibers_take_idle(fibers);
    lock_release(&fibers->lock);
    if (called)
        carrier_tell(called);
}

/* With the lock. */
static struct fiber *fibers_take_first(struct fibers *fibers)
{
    struct fiber *fiber = fiber_list_take(&fibers->ready);
    if (fiber && !fibers->ready.first)
        atomic_store_explicit(&fibers->some, false, memory_order_relaxed);
    return fiber;
}

/* The next fiber, or what the carrier runs without one. */
static struct fiber *fibers_take(struct fibers *fibers, struct carrier *carrier)
{
    lock_acquire(&fibers->lock);
    struct fiber *fiber = fibers_take_first(fibers);
    lock_release(&fibers->lock);
    return fiber ? fiber : &carrier->loop;
}

void fiber_resume(struct fiber *fiber)
{
    fibers_add(fiber->fibers, fiber);
}

/* Switching. ----------------------------------------------------------------------------------- */

/* A tick that comes in between is forgotten: the next one stands for both. */
static void carrier_count_run(struct carrier *carrier)
{
    const unsigned runs = atomic_load_explicit(&carrier->runs, memory_order_relaxed);
    atomic_store_explicit(&carrier->runs, runs + 1, memory_order_relaxed);
}

/* Signals are blocked as `to` wants it. */
static void fiber_bring_mask(const struct fiber *to)
{
    pthread_sigmask(SIG_SETMASK, to->has_mask ? &to->mask : &to->fibers->mask, NULL);
}

/*
 * Bytes of the stack below the function that switches. The switch writes there after fiber_pass, and
 * reads before fiber_receive, where Helgrind would see no order.
 */
#define SWITCH_FRAME 512

/* What a thread has done for or with the fiber is seen by the next one that has to do with it. */
static void fiber_pass(struct fiber *fiber)
{
    ANNOTATE_RELEASE(&fiber->passed);
    atomic_store_explicit(&fiber->passed, 1, memory_order_release);
}

static void fiber_receive(struct fiber *fiber)
{
    (void)atomic_load_explicit(&fiber->passed, memory_order_acquire);
    ANNOTATE_ACQUIRE(&fiber->passed);
}

static bool fiber_runs(struct fiber *fiber)
{
    return atomic_load_explicit(&fiber->place.running, memory_order_acquire);
}

/* It comes behind the others that are ready. */
static void fiber_queue(struct fiber *self)
{
    lock_acquire(&self->fibers->lock);
    fiber_list_add(&self->fibers->ready, self);
    atomic_store_explicit(&self->fibers->some, true, memory_order_relaxed);
    lock_release(&self->fibers->lock);
}

/*
 * What the carrier can go on with behind `from`. The stack of `to` may be in use for a moment yet:
 * by a carrier that is about to leave `to`, perhaps for `from`. Then both would wait for ever. So if
 * it takes long, it is the loop that waits for `to`: no other carrier ever waits for a loop.
 */
static struct fiber *carrier_reach(struct carrier *carrier, const struct fiber *from,
                                   struct fiber *to)
{
    for (int looks = 0; fiber_runs(to); looks++) {
        if (looks == LOOKS_MOST && from != &carrier->loop) {
            fiber_queue(to);
            return &carrier->loop;
        }
        sched_yield();
    }
    return to;
}

/* The carrier leaves `from` and goes on with `to`, or with its loop if it would have to wait. */
static void carrier_switch(struct carrier *carrier, struct fiber *from, struct fiber *to)
{
    if (from == to)
        return;
    to = carrier_reach(carrier, from, to);
    fiber_receive(to);
    atomic_store_explicit(&to->place.running, 1, memory_order_relaxed);
    carrier_count_run(carrier);
    to->carrier = carrier;
    if (from->has_mask || to->has_mask)
        fiber_bring_mask(to);
    const unsigned fast = to->fibers->fast;
    fiber_pass(to);
    fiber_pass(from);
    char *frame = (char *)__builtin_frame_address(0) - SWITCH_FRAME;
    ANNOTATE_ATOMIC(frame, SWITCH_FRAME);
    fiber_switch(&from->place, &to->place, fast);
    fiber_receive(from);
    ANNOTATE_ORDERED(frame, SWITCH_FRAME);
}

void fiber_suspend(void)
{
    struct fiber *self = fiber_current();
    carrier_switch(self->carrier, self, fibers_take(self->fibers, self->carrier));
}

void fiber_yield(void)
{
    struct fiber *self = fiber_current();
    struct fibers *fibers = self->fibers;
    lock_acquire(&fibers->lock);
    struct fiber *next = fiber_list_take(&fibers->ready);
    if (next)
        fiber_list_add(&fibers->ready, self);
    lock_release(&fibers->lock);
    if (next)
        carrier_switch(self->carrier, self, next);
}

bool fiber_is_to_yield(struct fiber *self, bool polls)
{
    bool late = atomic_load_explicit(&self->late, memory_order_relaxed);
    if (late)
        atomic_store_explicit(&self->late, false, memory_order_relaxed);
    return late || (polls && fiber_has_company(self));
}

/* The carrier goes on with its loop, and with the fiber after others that are ready. */
static void fiber_step_aside(struct fiber *self)
{
    struct carrier *carrier = self->carrier;
    fiber_queue(self);
    carrier_switch(carrier, self, &carrier->loop);
}

void fiber_keep_mask(void)
{
    struct fiber *self = fiber_current();
    if (!self)
        return;
    pthread_sigmask(SIG_SETMASK, NULL, &self->mask);
    self->has_mask = true;
}

/* Home. ---------------------------------------------------------------------------------------- */

/* All signals, also those of the C library: their handlers would stand on a stack that others use. */
static void fiber_block_signals(void)
{
    uint64_t all = UINT64_MAX;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
}

/* The fiber's own thread leaves it to the carriers. */
static void fiber_leave_home(struct fiber *self)
{
    fiber_block_signals();
    fibers_add(self->fibers, self);
    self->is_home = false; /* carriers wait until it does not run */
    char *frame = (char *)__builtin_frame_address(0) - SWITCH_FRAME;
    ANNOTATE_ATOMIC(frame, SWITCH_FRAME);
    fiber_pass(self);
    fiber_leave_to_others(&self->place);
    fiber_receive(self);
    ANNOTATE_ORDERED(frame, SWITCH_FRAME);
}

void fiber_begin(struct fiber *fiber, struct fibers *fibers)
{
    memset(fiber, 0, sizeof *fiber);
    fiber->fibers = fibers;
    fiber->is_home = true;
    fiber->place.thread_pointer = fiber_thread_pointer();
    atomic_init(&fiber->place.running, 1);
    atomic_init(&fiber->place.home, 0);
    ANNOTATE_ATOMIC(&fiber->place, sizeof fiber->place);
    ANNOTATE_ATOMIC(&fiber->passed, sizeof fiber->passed);
    ANNOTATE_ATOMIC(&fiber->late, sizeof fiber->late);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &fiber->cancellation);
    fiber_set_current(fiber);
    fiber_leave_home(fiber);
}

void fiber_end(void)
{
    fiber_go_home();
    fiber_abandon();
}

void fiber_abandon(void)
{
    struct fiber *self = fiber_current();
    fiber_set_current(NULL);
    if (self)
        pthread_setcancelstate(self->cancellation, NULL);
}

void fiber_go_home(void)
{
    struct fiber *self = fiber_current();
    if (!self || self->is_home)
        return;
    struct carrier *carrier = self->carrier;
    self->is_home = true;
    self->carrier = NULL;
    carrier->left = self;
    carrier_switch(carrier, self, &carrier->loop);
    atomic_exchange_explicit(&self->place.home, 0, memory_order_acquire);
    fiber_bring_mask(self);
}

void fiber_come_back(void)
{
    struct fiber *self = fiber_current();
    if (self && self->is_home)
        fiber_leave_home(self);
}

/* Carriers. ------------------------------------------------------------------------------------ */

void carrier_begin(struct carrier *carrier, struct fibers *fibers)
{
    memset(carrier, 0, sizeof *carrier);
    carrier->loop.fibers = fibers;
    carrier->loop.place.thread_pointer = fiber_thread_pointer();
    carrier->loop.carrier = carrier;
    atomic_init(&carrier->runs, 0);
    atomic_init(&carrier->runs_long, true);
    atomic_init(&carrier->loop.place.running, 1);
    atomic_init(&carrier->called, CARRIER_CALLED);
    atomic_init(&carrier->doorbell, -1);
    atomic_init(&carrier->wanted, NULL);
    ANNOTATE_ATOMIC(&carrier->called, sizeof carrier->called);
    ANNOTATE_ATOMIC(&carrier->runs, sizeof carrier->runs);
    ANNOTATE_ATOMIC(&carrier->runs_long, sizeof carrier->runs_long);
    ANNOTATE_ATOMIC(&carrier->doorbell, sizeof carrier->doorbell);
    ANNOTATE_ATOMIC(&carrier->wanted, sizeof carrier->wanted);
    ANNOTATE_ATOMIC(&carrier->loop.place, sizeof carrier->loop.place);
    ANNOTATE_ATOMIC(&carrier->loop.passed, sizeof carrier->loop.passed);
    carrier_set_current(carrier);
}

/* The next fiber; NULL, and the carrier is idle. */
static struct fiber *carrier_take(struct carrier *carrier)
{
    struct fibers *fibers = carrier->loop.fibers;
    lock_acquire(&fibers->lock);
    if (atomic_load_explicit(&carrier->called, memory_order_relaxed) == CARRIER_NUDGED)
        fibers_remove_idle(fibers, carrier);
    struct fiber *fiber = fibers_take_first(fibers);
    atomic_store_explicit(&carrier->called, fiber ? CARRIER_CALLED : CARRIER_RESTS,
                          memory_order_relaxed);
    if (!fiber) {
        carrier->next_idle = fibers->idle;
        fibers->idle = carrier;
        fibers_show_idle(fibers);
    }
    lock_release(&fibers->lock);
    return fiber;
}

/*
 * Wakes the thread of a fiber that is to go home. The loop does so, when the fiber's stack is free:
 * on the same processor the thread that is woken would otherwise run at once and have to wait for it.
 */
static void carrier_send_home(struct carrier *carrier)
{
    struct fiber *left = carrier->left;
    carrier->left = NULL;
    if (!left)
        return;
    atomic_store_explicit(&left->place.home, 1, memory_order_release);
    wake_at(&left->place.home);
}

void carrier_run(struct carrier *carrier)
{
    struct fiber *fiber = carrier_take(carrier);
    if (!fiber)
        return;
    carrier_switch(carrier, &carrier->loop, fiber);
    carrier_send_home(carrier);
}

void carrier_leads(struct carrier *carrier, atomic_bool *wanted)
{
    atomic_store(&carrier->wanted, wanted);
}

bool carrier_sleeps(struct carrier *carrier, int doorbell)
{
    atomic_store(&carrier->doorbell, doorbell);
    return carrier_is_called(carrier);
}

void carrier_wakes(struct carrier *carrier)
{
    atomic_store(&carrier->doorbell, -1);
}

void carrier_sleep(struct carrier *carrier)
{
    while (!carrier_is_called(carrier))
        sleep_at(&carrier->called, CARRIER_RESTS);
}

/* Ticks. --------------------------------------------------------------------------------------- */

/* A carrier that sleeps is to look for itself. It is among the idle ones yet. */
static void fibers_nudge(struct fibers *fibers)
{
    struct carrier *carrier = atomic_load_explicit(&fibers->sleeping, memory_order_acquire);
    unsigned rests = CARRIER_RESTS;
    if (carrier && atomic_compare_exchange_strong(&carrier->called, &rests, CARRIER_NUDGED))
        carrier_tell(carrier);
}

/* How long fibers run on the average. */
static void carrier_measure(struct carrier *carrier)
{
    const unsigned runs = atomic_load_explicit(&carrier->runs, memory_order_relaxed);
    atomic_store_explicit(&carrier->runs_long, runs < RUNS_SHORT, memory_order_relaxed);
    atomic_store_explicit(&carrier->runs, 0, memory_order_relaxed);
}

void fibers_tick(struct carrier *carrier, void *context)
{
    struct fiber *self = fiber_current();
    carrier_measure(carrier);
    if (!self || self->is_home)
        return;
    const int error = errno;
    struct fibers *fibers = self->fibers;
    if (fibers->owner.may_suspend(fiber_instruction(context))) {
        self->carrier->overdue = true;
        fiber_step_aside(self);
        if (fibers->owner.interrupted)
            fibers->owner.interrupted(context);
    } else if (fiber_has_company(self)) {
        atomic_store_explicit(&self->late, true, memory_order_relaxed);
        fibers_nudge(fibers);
    }
    errno = error;
}

void fiber_interrupted(void *context)
{
    struct fiber *self = fiber_current();
    if (!self || !self->interrupts)
        return;
    self->interrupts = false;
    if (self->fibers->owner.interrupted)
        self->fibers->owner.interrupted(context);
}
