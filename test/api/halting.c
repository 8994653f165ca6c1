/* Halting the machine: who is signalled, and what the caller and others find. */
#include "calls.h"
#include "observe.h"

static volatile sig_atomic_t signals;

static void count(int number)
{
    (void)number;
    signals++;
}

/* A task that the signal ends. */
static void victim(int ready)
{
    pvm_mytid();
    if (write(ready, "", 1) != 1)
        _exit(9);
    pvm_recv(-1, -1);
    _exit(7);
}

int main(void)
{
    int ends[2], status = 0;
    char byte;

    observe();
    if (pipe(ends) < 0)
        return 1;
    pid_t other = fork();
    if (other == 0)
        victim(ends[1]);
    signal(SIGTERM, count);
    AREA("halting");
    SEE(read(ends[0], &byte, 1));
    SEE(pvm_mytid() > 0);
    SEE(pvm_halt());
    waitpid(other, &status, 0);
    see_end("another task", status);
    SEE(signals);
    AREA("afterwards");
    SEE(pvmmytid);
    quiet();
    SEE(pvm_halt());
    SEE(pvm_mytid());
    SEE(pvm_exit());
    return 0;
}
