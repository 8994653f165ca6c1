/* What does a switch cost with what the system and its C library have? See switch.h.
 *
 *     call         calls a function that does nothing, to compare with
 *     swapcontext  two contexts of one thread
 *     futex        two threads: each sleeps until the other one has changed a word
 *     pipes        two processes: each sleeps until the other one has written a byte to its pipe
 *
 * The last is the benchmark of J. K. Ousterhout, "Why Aren't Operating Systems Getting Faster As
 * Fast As Hardware?", 1990. It contains the calls of the system, as futex does.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "../pipes.h"
#include "switch.h"

enum { STACK = 1 << 16, FIRST = 0, SECOND = 1 };

/* ---- call ---- */

__attribute__((noinline)) static void do_nothing(void)
{
    __asm__ volatile("");
}

static void call_nothing(long times)
{
    for (long i = 0; i < times; i++)
        do_nothing();
}

/* ---- swapcontext ---- */

static ucontext_t contexts[2];

static void swap_back(void)
{
    for (;;)
        swapcontext(&contexts[SECOND], &contexts[FIRST]);
}

static void swap(long times)
{
    static char stack[STACK];
    if (!contexts[SECOND].uc_stack.ss_sp) {
        getcontext(&contexts[SECOND]);
        contexts[SECOND].uc_stack.ss_sp = stack;
        contexts[SECOND].uc_stack.ss_size = sizeof stack;
        makecontext(&contexts[SECOND], swap_back, 0);
    }
    for (long i = 0; i < times; i++)
        swapcontext(&contexts[FIRST], &contexts[SECOND]);
}

/* ---- futex ---- */

static _Atomic uint32_t turn = FIRST;

static void give_turn(uint32_t side)
{
    atomic_store(&turn, side);
    syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void await_turn(uint32_t side)
{
    while (atomic_load(&turn) != side)
        syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 1 - side, NULL, NULL, 0);
}

static void *wake_back(void *unused)
{
    for (;;) {
        await_turn(SECOND);
        give_turn(FIRST);
    }
    return unused;
}

static void wake(long times)
{
    static pthread_t thread;
    if (!thread && pthread_create(&thread, NULL, wake_back, NULL) != 0)
        fail("no thread");
    for (long i = 0; i < times; i++) {
        give_turn(SECOND);
        await_turn(FIRST);
    }
}

/* ---- pipes ---- */

static int ends[2][2]; /* of the pipe to each side: where it reads, and where the other writes */

static void pass_byte(int to, int from)
{
    char byte = 0;
    if (write(ends[to][1], &byte, 1) != 1 || read(ends[from][0], &byte, 1) != 1)
        fail("the other process is gone");
}

static void start_second_process(void)
{
    char byte;
    if (pipe(ends[FIRST]) < 0 || pipe(ends[SECOND]) < 0)
        fail("no pipe");
    const pid_t child = fork();
    if (child < 0)
        fail("no process");
    if (child > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(ends[SECOND][0], &byte, 1) != 1)
        fail("the first process is gone");
    for (;;)
        pass_byte(FIRST, SECOND);
}

static void pass_bytes(long times)
{
    if (!ends[SECOND][1])
        start_second_process();
    for (long i = 0; i < times; i++)
        pass_byte(SECOND, FIRST);
}

static const struct {
    const char *name;
    int switches;
    void (*go_round)(long times);
} ways[] = {{"call", 1, call_nothing},
            {"swapcontext", 2, swap},
            {"futex", 2, wake},
            {"pipes", 2, pass_bytes}};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways && argc == 4; i++)
        if (strcmp(ways[i].name, argv[1]) == 0) {
            switch_measure(argv + 2, ways[i].switches, ways[i].go_round);
            return 0;
        }
    fail("it is said in its source how it is called");
    return 1;
}
