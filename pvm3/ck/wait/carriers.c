/* carriers.c - what a carrier does when no fiber is ready, and its ticks. */
#include "ck/wait/carriers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/system.h"

/* Nanoseconds of a processor's time from tick to tick. */
#define TICK 1000000

struct carriers {
    struct fibers fibers;
    struct party party;
    struct carrier_thread {
        struct carrier carrier;
        struct carriers *carriers;
        struct waiter waiter;
    } threads[];
};

/* Ticks. --------------------------------------------------------------------------------------- */

static void carrier_tick(int signal, siginfo_t *information, void *context)
{
    (void)signal;
    if (information->si_code == SI_TIMER)
        fibers_tick(information->si_value.sival_ptr, context);
    else if (information->si_code == SI_TKILL)
        fiber_interrupted(context);
}

void carriers_interrupt(void)
{
    struct fiber *self = fiber_current();
    if (!self)
        return;
    self->interrupts = true;
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), CARRIER_SIGNAL);
}

/*
 * The handler leaves its stack for another fiber's, where this signal comes again: it is not blocked
 * meanwhile. Nor are others, for what is blocked goes along with the fiber.
 */
static void carriers_take_signal(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
    action.sa_sigaction = carrier_tick;
    sigemptyset(&action.sa_mask);
    sigaction(CARRIER_SIGNAL, &action, NULL);
}

/* Without a timer a fiber runs until it waits. */
static void carrier_start_ticks(struct carrier *carrier)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = CARRIER_SIGNAL};
    const struct itimerspec each = {{0, TICK}, {0, TICK}};
    timer_t timer;
    event.sigev_value.sival_ptr = carrier;
    event.SYSTEM_SIGEV_THREAD = (int)syscall(SYS_gettid);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0)
        timer_settime(timer, 0, &each, NULL);
}

/* Carriers. ------------------------------------------------------------------------------------ */

/* A tick has come: takes in what others would not see before a fiber waits. */
static void carrier_look(struct carriers *carriers)
{
    struct waiting *waiting = carriers->party.waiting;
    lock_acquire(&waiting->lock);
    waiting_take_in(&carriers->party);
    bool unled = !waiting->leader;
    lock_release(&waiting->lock);
    if (unled)
        fibers_call(&carriers->fibers);
}

static void carrier_rest(struct carrier_thread *thread)
{
    struct party *party = &thread->carriers->party;
    lock_acquire(&party->waiting->lock);
    waiting_serve(party, &thread->waiter, &thread->carrier);
    lock_release(&party->waiting->lock);
    carrier_sleep(&thread->carrier);
}

__attribute__((noreturn)) static void *carrier_run_thread(void *memory)
{
    struct carrier_thread *thread = memory;
    carrier_begin(&thread->carrier, &thread->carriers->fibers);
    carrier_start_ticks(&thread->carrier);
    for (;;) {
        carrier_run(&thread->carrier);
        if (thread->carrier.overdue)
            carrier_look(thread->carriers);
        else if (!carrier_is_called(&thread->carrier))
            carrier_rest(thread);
        thread->carrier.overdue = false;
    }
}

/* False if the system gives no thread. */
static bool carrier_start_thread(struct carrier_thread *thread)
{
    pthread_t handle;
    if (pthread_create(&handle, NULL, carrier_run_thread, thread) != 0)
        return false;
    pthread_detach(handle);
    return true;
}

/* False if there is none; there may be fewer than `count`. */
static bool carriers_start_threads(struct carriers *carriers, int count)
{
    int started = 0;
    for (; started < count; started++) {
        carriers->threads[started].carriers = carriers;
        if (!carrier_start_thread(&carriers->threads[started]))
            break;
    }
    return started > 0;
}

/* Who waits knows of these fibers from now on, or of none (NULL). */
static void carriers_serve(struct waiting *waiting, struct fibers *fibers)
{
    lock_acquire(&waiting->lock);
    waiting_be_served(waiting, fibers);
    lock_release(&waiting->lock);
}

struct carriers *carriers_start(struct waiting *waiting, int count,
                                const struct fibers_owner *owner)
{
    if (!fiber_switch_is_possible())
        return NULL;
    struct carriers *carriers =
        calloc(1, sizeof *carriers + (size_t)count * sizeof *carriers->threads);
    if (!carriers)
        return NULL;
    fibers_start(&carriers->fibers, owner);
    party_start(&carriers->party, waiting, NULL, carriers);
    carriers_take_signal();
    carriers_serve(waiting, &carriers->fibers);
    if (carriers_start_threads(carriers, count))
        return carriers;
    carriers_serve(waiting, NULL);
    party_finish(&carriers->party);
    free(carriers);
    return NULL;
}

struct fibers *carriers_fibers(struct carriers *carriers)
{
    return &carriers->fibers;
}
