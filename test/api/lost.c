/* The pvmd goes away: what a blocked receive and every later call give, and leaving then. */
#include "calls.h"
#include "observe.h"

static int me;

static void call_see(const char *call, int result)
{
    printf("%s: %d%s\n", call, result > 9 ? 9 : result,
           result >= 0           ? ""
           : pvm_errno == result ? ", noted"
                                 : ", quiet");
}

/* Ends the machine as soon as the task waits in its receive. */
static void end_machine(int ready)
{
    char byte;

    if (fork() != 0)
        return;
    quiet();
    if (read(ready, &byte, 1) == 1)
        pvm_halt();
    _exit(0);
}

int main(void)
{
    int ends[2], value = 7, got = 0, old, kept;

    observe();
    signal(SIGTERM, SIG_IGN);
    if (pipe(ends) < 0)
        return 1;
    end_machine(ends[0]);
    me = pvm_mytid();
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(me, 1);
    pvm_send(me, 2);
    kept = pvm_recv(-1, 1);
    pvm_setrbuf(0);
    AREA("a blocked receive");
    if (write(ends[1], "", 1) != 1)
        return 1;
    SEE(pvm_recv(-1, 9));
    AREA("what is still there");
    SEE(pvm_mytid() == me);
    SEE(pvmmytid == me);
    SEE((old = pvm_setrbuf(kept)) >= 0);
    SEE((pvm_upkint(&got, 1, 1), got));
    AREA("every call");
#define LOST_PRINT(call) call_see(#call, call);
    EVERY_CALL(LOST_PRINT)
    AREA("leaving");
    SEE(pvm_exit());
    SEE(pvmmytid);
    AREA("afterwards");
    quiet();
    SEE(pvm_mytid());
    SEE(pvm_exit());
    return 0;
}
