/* Notification of ends of tasks: when, with what, how often; cancelling; what is refused. */
#include "observe.h"
#include <pvm3.h>

static int me;

static void notice_see(const char *what, int tag, int expected)
{
    int source = 0, bytes = 0, tid = 0, buffer = pvm_recv(-1, tag);

    pvm_bufinfo(buffer, &bytes, NULL, &source);
    pvm_upkint(&tid, 1, 1);
    printf("%s: from %x, %d bytes, %s\n", what, (unsigned)source, bytes,
           tid == expected ? "as expected" : "another tid");
}

static int child(void)
{
    char *waiting[] = {"wait", NULL};
    int tid = 0;
    pvm_spawn("child", waiting, PvmTaskDefault, "", 1, &tid);
    return tid;
}

static void release(int tid)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, 1);
}

static void ends_see(void)
{
    int tid = child(), both[2], absent = me + 99;

    AREA("the end of a task");
    SEE(pvm_notify(PvmTaskExit, 10, 1, &tid));
    SEE(pvm_nrecv(-1, 10));
    release(tid);
    notice_see("it ended by itself", 10, tid);
    SEE(pvm_notify(PvmTaskExit, 11, 1, &tid));
    notice_see("it had ended before", 11, tid);
    SEE(pvm_notify(PvmTaskExit, 12, 1, &absent));
    notice_see("it never was", 12, absent);
    tid = child();
    SEE(pvm_notify(PvmTaskExit, 13, 1, &tid));
    SEE(pvm_notify(PvmTaskExit, 14, 1, &tid));
    wait_connected(tid);
    pvm_sendsig(tid, 9);
    notice_see("it was killed", 13, tid);
    notice_see("asked twice", 14, tid);
    SEE(pvm_nrecv(-1, -1));
    both[0] = child();
    both[1] = child();
    SEE(pvm_notify(PvmTaskExit, 15, 2, both));
    release(both[1]);
    notice_see("the second of two", 15, both[1]);
    release(both[0]);
    notice_see("the first of two", 15, both[0]);
}

static void cancel_see(void)
{
    int tid = child();

    AREA("cancelling");
    SEE(pvm_notify(PvmTaskExit, 20, 1, &tid));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 20, 1, &tid));
    notice_see("cancelled", 20, tid);
    release(tid);
    SEE(pvm_notify(PvmTaskExit, 21, 1, &tid));
    notice_see("asked anew", 21, tid);
    SEE(pvm_nrecv(-1, 20));
}

static void context_see(void)
{
    int tid = child(), context = pvm_newcontext();

    AREA("the context of the request");
    pvm_setcontext(context);
    SEE(pvm_notify(PvmTaskExit, 30, 1, &tid));
    pvm_setcontext(0);
    release(tid);
    SEE(pvm_notify(PvmTaskExit, 31, 1, &tid));
    notice_see("base context", 31, tid);
    pvm_setcontext(context);
    notice_see("own context", 30, tid);
    pvm_setcontext(0);
}

static void refused_see(void)
{
    int task = me, bad = 0, host = 0x40000, absent = 0x80000;

    AREA("what is refused");
    SEE(pvm_notify(0, 1, 1, &task));
    SEE(pvm_notify(6, 1, 1, &task));
    SEE(pvm_notify(-1, 1, 1, &task));
    SEE(pvm_notify(PvmTaskExit, -1, 1, &task));
    SEE(pvm_notify(PvmTaskExit, 1, 0, &task));
    SEE(pvm_notify(PvmTaskExit, 1, -1, &task));
    SEE(pvm_notify(PvmTaskExit, 1, 1, &bad));
    SEE(pvm_notify(PvmTaskExit, 1, 1, &host));
    SEE(pvm_notify(PvmHostDelete, 1, 0, &host));
    SEE(pvm_notify(PvmHostDelete, 40, 1, &absent));
    notice_see("a host that is not there", 40, absent);
    SEE(pvm_notify(PvmHostAdd, 41, -1, NULL));
    SEE(pvm_notify(PvmHostAdd | PvmNotifyCancel, 41, 0, NULL));
    SEE(pvm_nrecv(-1, -1));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    ends_see();
    cancel_see();
    context_see();
    refused_see();
    pvm_exit();
    return 0;
}
