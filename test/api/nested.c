/* Within a message handler: what every call gives, and receiving. */
#include "calls.h"
#include "observe.h"

static int me, runs;

static void give(int tag)
{
    int old = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));
    pvm_send(me, tag);
    pvm_freebuf(pvm_setsbuf(old));
}

static void call_see(const char *call, int result)
{
    printf("%s: %d%s\n", call, result > 9 ? 9 : result,
           result >= 0           ? ""
           : pvm_errno == result ? ", noted"
                                 : ", quiet");
}

static int every(int buffer)
{
    (void)buffer;
#define NESTED_PRINT(call) call_see(#call, call);
    EVERY_CALL(NESTED_PRINT)
    return runs++;
}

static int receive(int buffer)
{
    struct timeval short_time = {0, 1000};
    int value = 0;

    (void)buffer;
    SEE(pvm_recv(-1, 2) > 0);
    SEE(pvm_precv(-1, 3, &value, 0, PVM_INT, NULL, NULL, NULL));
    SEE(pvm_trecv(-1, 4, &short_time) > 0);
    SEE(pvm_nrecv(-1, 5) > 0);
    return runs++;
}

static int await(int buffer)
{
    (void)buffer;
    SEE(pvm_recv(-1, 6) > 0);
    return runs++;
}

static int second(int buffer)
{
    printf("the second handler, its message active %d\n", pvm_getrbuf() == buffer);
    return runs++;
}

/* Two handlers, the first of which waits for what comes behind the message of the second. */
static void waits_see(void)
{
    int handlers[] = {pvm_addmhf(me, 1, 0, await), pvm_addmhf(me, 5, 0, second)};

    AREA("a receive in a handler that has to wait");
    runs = 0;
    give(1);
    give(5);
    give(6);
    give(7);
    SEE(pvm_recv(me, 7) > 0);
    SEE(runs);
    SEE(pvm_nrecv(me, 6) > 0);
    SEE(pvm_delmhf(handlers[0]));
    SEE(pvm_delmhf(handlers[1]));
}

static void run(int tag)
{
    runs = 0;
    give(tag);
    while (runs == 0) /* a receive of 3.4.6 may stumble over the ones in the handler */
        pvm_pstat(me);
}

int main(void)
{
    int handler;

    observe();
    me = pvm_mytid();
    AREA("every call in a handler");
    handler = pvm_addmhf(me, 1, 0, every);
    run(1);
    SEE(pvm_delmhf(handler));
    AREA("receives in a handler");
    handler = pvm_addmhf(me, 1, 0, receive);
    for (int tag = 2; tag <= 5; tag++)
        give(tag);
    while (pvm_probe(-1, 5) == 0)
        continue;
    run(1);
    SEE(pvm_delmhf(handler));
    waits_see();
    return 0;
}
