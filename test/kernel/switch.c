/*
 * switch.c - what does it cost to go from one fiber to another on one carrier?
 *
 * usage: switch [WAY COUNT BATCHES]     each way 1000 3     See ../bench/upvm/switch.h.
 *
 *     yield    fiber_yield: the one that is ready runs, and the other is ready
 *     bare     fiber_switch, which is what yield has of the registers and the thread pointer
 *
 * Exits 1 with a line when the two have not run by turns.
 */
#include <pthread.h>

#include "../bench/upvm/switch.h"
#include "ck/base/sleep_at.h"
#include "ck/wait/carriers.h"

static atomic_bool over;
static long turns, others_turns; /* of who measures, and of the other */

static void fail(const char *what)
{
    fprintf(stderr, "switch: %s\n", what);
    exit(1);
}

static pthread_t start_other(void *(*function)(void *unused))
{
    pthread_t other;
    if (pthread_create(&other, NULL, function, NULL) != 0)
        fail("no thread");
    return other;
}

/* ---- yield ---- */

static struct waiting waiting;
static struct carriers *carriers;

static bool nothing(void *owner)
{
    (void)owner;
    return false;
}

static bool never(uintptr_t instruction)
{
    (void)instruction;
    return false;
}

static const struct fibers_owner owner = {.may_suspend = never};

static void *yield_back(void *unused)
{
    struct fiber fiber;
    fiber_begin(&fiber, carriers_fibers(carriers));
    for (; !over; fiber_yield())
        others_turns++;
    fiber_end();
    return unused;
}

static void yield(long times)
{
    turns += times;
    for (long i = 0; i < times; i++)
        fiber_yield();
}

static void measure_yield(char **words)
{
    const struct waiting_work work = {.look = nothing, .glance = nothing};
    struct fiber self;
    if (waiting_init(&waiting, &work) != 0 || !(carriers = carriers_start(&waiting, 1, &owner)))
        fail("no carrier");
    fiber_begin(&self, carriers_fibers(carriers));
    const pthread_t other = start_other(yield_back);
    while (others_turns == 0)
        fiber_yield();
    turns = others_turns = 0;
    switch_measure(words, 2, yield);
    over = true;
    fiber_end();
    pthread_join(other, NULL);
}

/* ---- bare ---- */

static struct fiber_place here, there;
static unsigned fast;

static void *switch_back(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    there.thread_pointer = fiber_thread_pointer();
    fiber_leave_to_others(&there);
    for (; !over; fiber_switch(&there, &here, fast))
        others_turns++;
    return unused;
}

static void switch_bare(long times)
{
    turns += times;
    for (long i = 0; i < times; i++)
        fiber_switch(&here, &there, fast);
}

static void measure_bare(char **words)
{
    here.thread_pointer = fiber_thread_pointer();
    fast = fiber_switch_is_fast();
    over = false;
    turns = others_turns = 0;
    atomic_store(&there.running, 1);
    const pthread_t other = start_other(switch_back);
    while (atomic_load_explicit(&there.running, memory_order_acquire))
        sched_yield();
    switch_measure(words, 2, switch_bare);
    over = true;
    atomic_store(&there.home, 1);
    wake_at(&there.home);
    pthread_join(other, NULL);
}

static const struct {
    const char *name;
    void (*measure)(char **words);
} ways[] = {{"yield", measure_yield}, {"bare", measure_bare}};

int main(int argc, char **argv)
{
    static char *few[] = {"1000", "3"};
    if (!fiber_switch_is_possible())
        return 77; /* left out */
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (argc == 4 && strcmp(argv[1], ways[i].name) != 0)
            continue;
        ways[i].measure(argc == 4 ? argv + 2 : few);
        if (turns == 0 || others_turns != turns)
            fail("the two have not run by turns");
    }
    return 0;
}
