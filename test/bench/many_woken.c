/* What does a multicast cost who uses no library?
 *
 * usage: many_woken BYTES TIMES RECEIVERS FIRST OTHERS
 *
 * One process, on the processor FIRST, copies BYTES to a place that it shares with RECEIVERS others,
 * and then writes to the eventfd of each, at which it sleeps. They have the processor OTHERS, and
 * copy from there. Each time it begins when all are asleep again. Prints a line for each, with the
 * time and the CPU time from before the copy to after the last write, as multicast.c does:
 *     @multicast ns=TIME cpu_ns=TIME
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "batch.h"
#include "pipes.h"

enum { MOST_BYTES = 1 << 22, MOST_RECEIVERS = 64, WARM_UP = 5 };

static char own[MOST_BYTES];
static struct common {
    atomic_int answers;
    char place[MOST_BYTES];
} * common;

static void receive(int bell, int bytes, int times)
{
    uint64_t rings;
    for (int i = 0; i < times; i++) {
        if (read(bell, &rings, sizeof rings) != sizeof rings)
            fail("cannot read");
        memcpy(own, common->place, (size_t)bytes);
        atomic_fetch_add(&common->answers, 1);
    }
}

static void send(const int *bells, int count, int bytes, int told)
{
    const uint64_t one = 1;
    int64_t cpu = batch_processor_time(), begin = batch_now();
    memcpy(common->place, own, (size_t)bytes);
    for (int i = 0; i < count; i++)
        if (write(bells[i], &one, sizeof one) != sizeof one)
            fail("cannot write");
    int64_t end = batch_now(), cpu_end = batch_processor_time();
    if (told)
        batch_tell_multicast(end - begin, cpu_end - cpu);
}

int main(int argc, char **argv)
{
    int bells[MOST_RECEIVERS], status;
    pid_t receivers[MOST_RECEIVERS];
    if (argc != 6)
        fail("usage: many_woken BYTES TIMES RECEIVERS FIRST OTHERS");
    const int bytes = atoi(argv[1]), times = WARM_UP + atoi(argv[2]), count = atoi(argv[3]);
    if (bytes < 0 || bytes > MOST_BYTES || count < 1 || count > MOST_RECEIVERS)
        fail("too much");
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (common == MAP_FAILED)
        fail("no memory");
    memset(own, 1, (size_t)bytes);
    for (int i = 0; i < count; i++) {
        bells[i] = eventfd(0, EFD_CLOEXEC);
        receivers[i] = bells[i] < 0 ? -1 : fork();
        if (receivers[i] < 0)
            fail("no process");
        if (receivers[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            batch_pin(atoi(argv[5]));
            receive(bells[i], bytes, times);
            return 0;
        }
    }
    batch_pin(atoi(argv[4]));
    for (int i = 0; i < times; i++) {
        while (atomic_load(&common->answers) < i * count)
            sched_yield();
        for (int k = 0; k < count; k++)
            await_sleep(receivers[k]);
        send(bells, count, bytes, i >= WARM_UP);
    }
    for (int i = 0; i < count; i++)
        if (waitpid(receivers[i], &status, 0) != receivers[i] || status != 0)
            fail("a receiver failed");
    return 0;
}
