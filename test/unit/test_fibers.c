/*
 * test_fibers.c - a thread that becomes a fiber stays the thread that it was, whoever runs it; fibers
 * that wake each other need no call of the system, and one that computes does not keep others out.
 */
#include "ck/base/fiber.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ck/base/sleepers.h"
#include "ck/wait/carriers.h"
#include "core/annotate.h"

#include "unit.h"

#define TEST UNIT_TEST

#define FIBERS 8
#define ROUNDS 20000
#define STAGES 16

/* What carriers serve lives on, as they do: each test has its own. */
static struct stage {
    struct waiting waiting;
    struct carriers *carriers;
    struct lock lock;
    struct sleepers sleepers[FIBERS];
    int turn; /* whose it is; with the lock */
    struct party party;
    struct waiter waiter;
    int result; /* of its wait */
    atomic_bool over;
    atomic_int gone; /* fibers that have ended */
} stages[STAGES], *stage;
static unsigned stages_used;

struct part {
    void (*play)(int number);
    int number;
};

static bool nothing(void *owner)
{
    (void)owner;
    return false;
}

static bool may_suspend(uintptr_t instruction);
static const struct fibers_owner stage_owner = {.may_suspend = may_suspend};

static void start(int carriers)
{
    const struct waiting_work work = {.look = nothing, .glance = nothing};
    stage = &stages[stages_used++];
    assert_int_equal(waiting_init(&stage->waiting, &work), 0);
    stage->carriers = carriers_start(&stage->waiting, carriers, &stage_owner);
    assert_non_null(stage->carriers);
    ANNOTATE_ATOMIC(&stage->over, sizeof stage->over);
    lock_init(&stage->lock, LOCK_INNER);
    for (int i = 0; i < FIBERS; i++)
        sleepers_start(&stage->sleepers[i]);
}

static void *run_part(void *memory)
{
    const struct part *part = memory;
    struct fiber fiber;
    fiber_begin(&fiber, carriers_fibers(stage->carriers));
    part->play(part->number);
    fiber_end();
    atomic_fetch_add(&stage->gone, 1);
    return NULL;
}

/* So many threads play, each with its number, and all have ended. */
static void play(void (*function)(int number), int count)
{
    pthread_t threads[FIBERS];
    struct part parts[FIBERS];
    for (int i = 0; i < count; i++) {
        parts[i] = (struct part){function, i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_part, &parts[i]), 0);
    }
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static pid_t system_thread(void)
{
    return (pid_t)syscall(SYS_gettid);
}

/* A thread that it was. ------------------------------------------------------------------------ */

static _Thread_local int own;

static void stays_itself(int number)
{
    int here = number;
    const pthread_t self = pthread_self();
    const pid_t carrier = system_thread();
    own = number;
    errno = 1000 + number;
    fiber_go_home();
    assert_int_equal(errno, 1000 + number);
    const pid_t home = system_thread();
    assert_int_not_equal(home, carrier);
    fiber_come_back();
    assert_int_not_equal(system_thread(), home);
    fiber_go_home();
    fiber_go_home(); /* it is there */
    assert_int_equal(system_thread(), home);
    fiber_come_back();
    fiber_come_back();
    assert_int_not_equal(system_thread(), home);
    assert_true(pthread_equal(self, pthread_self()));
    assert_int_equal(own, number);
    assert_int_equal(here, number);
}

TEST(goes_home_and_comes_back)
{
    start(2);
    play(stays_itself, FIBERS);
}

TEST(is_no_fiber_afterwards)
{
    start(1);
    struct fiber fiber;
    const pid_t home = system_thread();
    fiber_begin(&fiber, carriers_fibers(stage->carriers));
    assert_ptr_equal(fiber_current(), &fiber);
    assert_int_not_equal(system_thread(), home);
    fiber_end();
    assert_null(fiber_current());
    assert_int_equal(system_thread(), home);
    fiber_go_home();
    fiber_come_back();
    assert_int_equal(system_thread(), home);
}

static bool may_be_cancelled(void)
{
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_setcancelstate(state, NULL);
    return state == PTHREAD_CANCEL_ENABLE;
}

TEST(cancellation_is_held_off)
{
    start(1);
    struct fiber fiber;
    assert_true(may_be_cancelled());
    fiber_begin(&fiber, carriers_fibers(stage->carriers));
    assert_false(may_be_cancelled());
    fiber_end();
    assert_true(may_be_cancelled());
}

static void rounds_as_it_wants(int number)
{
    const int ways[] = {FE_TONEAREST, FE_TOWARDZERO};
    fesetround(ways[number]);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(fegetround(), ways[number]);
        fiber_yield();
    }
}

TEST(rounding_goes_along)
{
    start(1);
    play(rounds_as_it_wants, 2);
}

static void blocks_its_signals(int number)
{
    const int signals[] = {SIGUSR1, SIGUSR2};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signals[number]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fiber_keep_mask();
    for (int i = 0; i < 100; i++) {
        if (i % 10 == 0) {
            fiber_go_home();
            fiber_come_back();
        }
        fiber_yield();
        pthread_sigmask(SIG_BLOCK, NULL, &set);
        assert_int_equal(sigismember(&set, signals[number]), 1);
        assert_int_equal(sigismember(&set, signals[1 - number]), 0);
    }
}

TEST(blocked_signals_go_along)
{
    start(1);
    play(blocks_its_signals, 2);
}

/* Sleeping and waking. ------------------------------------------------------------------------- */

/* Each waits for its turn, and gives it to the next. */
static void takes_turns(int number)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock_acquire(&stage->lock);
        while (stage->turn != number)
            sleepers_sleep(&stage->sleepers[number], &stage->lock, NULL);
        stage->turn = 1 - number;
        sleepers_wake_one(&stage->sleepers[stage->turn]);
        lock_release(&stage->lock);
    }
}

static long switches_of_system(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

TEST(waking_needs_no_system)
{
    start(1);
    long before = switches_of_system();
    play(takes_turns, 2);
    assert_true(switches_of_system() - before < ROUNDS / 10);
}

TEST(waking_settles_on_one_of_two_carriers)
{
    start(2);
    long before = switches_of_system();
    play(takes_turns, 2);
    assert_true(switches_of_system() - before < ROUNDS / 10);
}

static void takes_turns_with_thread(int number)
{
    (void)number;
    takes_turns(0);
}

TEST(fiber_and_thread_wake_each_other)
{
    start(1);
    struct part part = {takes_turns_with_thread, 0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_part, &part), 0);
    takes_turns(1);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* All sleep for the same, and one wakes them all when it knows that. */
static void sleeps_with_others(int number)
{
    for (int i = 1; i <= ROUNDS / 10; i++) {
        lock_acquire(&stage->lock);
        stage->turn++;
        const int all = i * FIBERS;
        if (stage->turn == all)
            sleepers_wake_all(&stage->sleepers[0]);
        while (stage->turn < all)
            sleepers_sleep(&stage->sleepers[0], &stage->lock, NULL);
        lock_release(&stage->lock);
        if (i % 50 == number) {
            fiber_go_home();
            fiber_come_back();
        }
    }
}

TEST(all_wake_up)
{
    start(2);
    play(sleeps_with_others, FIBERS);
    assert_int_equal(stage->turn, ROUNDS / 10 * FIBERS);
}

/*
 * One sleeps whenever it has been woken, and the other one wakes it and gives way. So each of two
 * carriers often goes on with the fiber that the other carrier is about to leave.
 */
static void sleeps_or_gives_way(int number)
{
    for (int i = 0; number == 0 && i < ROUNDS; i++) {
        lock_acquire(&stage->lock);
        sleepers_sleep(&stage->sleepers[0], &stage->lock, NULL);
        lock_release(&stage->lock);
    }
    if (number == 0)
        atomic_store(&stage->over, true);
    while (!atomic_load(&stage->over)) {
        lock_acquire(&stage->lock);
        sleepers_wake_all(&stage->sleepers[0]);
        lock_release(&stage->lock);
        fiber_yield();
    }
}

TEST(carriers_do_not_wait_for_each_other)
{
    start(2);
    play(sleeps_or_gives_way, 2);
    assert_true(stage->over);
}

static void counts_one(void *owner)
{
    ++*(int *)owner;
}

/* Waits, and tells how it has returned. With the lock, which is given up. */
static void waits_for_other(void)
{
    struct waiting *waiting = &stage->waiting;
    waiter_start(&stage->waiter);
    stage->waiter.relievable = true;
    stage->result = waiting_wait(&stage->party, &stage->waiter, NULL);
    if (stage->result != WAITING_RELIEVED)
        lock_release(&waiting->lock);
}

static void waits_or_wakes(int number)
{
    struct waiting *waiting = &stage->waiting;
    lock_acquire(&waiting->lock);
    if (number == 0) {
        waits_for_other();
        return;
    }
    while (!stage->waiter.following) {
        lock_release(&waiting->lock);
        fiber_yield();
        lock_acquire(&waiting->lock);
    }
    stage->party.errand_wanted = stage->party.errand != NULL;
    stage->waiter.done = true;
    waiting_wake(waiting, &stage->waiter);
    lock_release(&waiting->lock);
}

TEST(who_is_woken_need_not_come_to_the_lock)
{
    start(1);
    int left = 0;
    party_start(&stage->party, &stage->waiting, NULL, &left);
    stage->party.leave = counts_one;
    play(waits_or_wakes, 2);
    assert_int_equal(stage->result, WAITING_RELIEVED);
    assert_int_equal(left, 1);
}

TEST(who_has_an_errand_comes_to_the_lock)
{
    start(1);
    int errands = 0;
    party_start(&stage->party, &stage->waiting, counts_one, &errands);
    stage->party.leave = counts_one;
    play(waits_or_wakes, 2);
    assert_int_equal(stage->result, 0);
    assert_int_equal(errands, 1);
}

static void sleeps_for_a_time(int number)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_nsec += 1000000 * (number + 1);
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    int result = 0;
    lock_acquire(&stage->lock);
    while (result == 0)
        result = sleepers_sleep(&stage->sleepers[number], &stage->lock, &deadline);
    lock_release(&stage->lock);
    assert_int_equal(result, ETIMEDOUT);
    assert_false(fiber_current()->is_home);
}

TEST(time_runs_out)
{
    start(1);
    play(sleeps_for_a_time, FIBERS);
}

/* Computing. ----------------------------------------------------------------------------------- */

static bool is_over(void)
{
    return atomic_load_explicit(&stage->over, memory_order_relaxed);
}

/* It makes no call, so it could be suspended only by a tick, here. */
__attribute__((noinline, used, section("computing"))) static void compute(const atomic_bool *over)
{
    while (!*(const volatile bool *)(const void *)over)
        ;
}

extern const char __start_computing[], __stop_computing[];

static bool may_suspend(uintptr_t instruction)
{
    return instruction >= (uintptr_t)__start_computing && instruction < (uintptr_t)__stop_computing;
}

__attribute__((unused)) static void computes_or_ends_it(int number)
{
    if (number < FIBERS - 1)
        compute(&stage->over);
    else
        atomic_store_explicit(&stage->over, true, memory_order_relaxed);
}

#ifndef __SANITIZE_THREAD__ /* which holds signals back until the next call of the C library */
TEST(who_computes_keeps_nobody_out)
{
    start(1);
    play(computes_or_ends_it, FIBERS);
}
#endif

/* In functions where it may not be suspended it steps aside when it polls. */
static void polls_or_ends_it(int number)
{
    while (number == 0 && !is_over())
        if (fiber_is_to_yield(fiber_current(), true))
            fiber_yield();
    atomic_store_explicit(&stage->over, true, memory_order_relaxed);
}

TEST(who_polls_keeps_nobody_out)
{
    start(1);
    play(polls_or_ends_it, 2);
}

/* The other carrier is called by a tick. */
__attribute__((unused)) static void computes_where_it_may_not(int number)
{
    while (number == 0 && !is_over())
        ;
    atomic_store_explicit(&stage->over, true, memory_order_relaxed);
}

#ifndef __SANITIZE_THREAD__
TEST(an_idle_carrier_is_called_for_who_waits)
{
    start(2);
    play(computes_where_it_may_not, 2);
}
#endif
