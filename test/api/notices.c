/* pvm_notify: every kind, counts, contexts, cancelling, several requests, and what is refused. */
#include "observe.h"

static int me;

/* Tells of the next notice under a tag. */
static void notice_see(const char *what, int tag)
{
    int source = 0, bytes = 0, context = -7, value = 0, buffer = pvm_recv(-1, tag);
    struct pvmminfo info;

    pvm_bufinfo(buffer, &bytes, NULL, &source);
    pvm_getminfo(buffer, &info);
    context = info.ctx;
    pvm_upkint(&value, 1, 1);
    printf("%s: from %x, %d bytes, encoding %x, wid %d, context %s, about %s%x\n", what,
           (unsigned)source, bytes, (unsigned)info.enc, info.wid, context == 0 ? "0" : "another",
           value > me ? "me+" : "", (unsigned)(value > me ? value - me : value));
    SEE(pvm_upkint(&value, 1, 1));
}

/* Whether there is one more, when the pvmd has seen to all requests. */
static int left(int tag)
{
    pvm_pstat(me);
    return pvm_nrecv(-1, tag) > 0;
}

static int child(void)
{
    char *waiting[] = {"wait", NULL};
    int tid = 0;

    pvm_spawn("child", waiting, PvmTaskDefault, "", 1, &tid);
    return tid;
}

static void end(int tid)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, 1);
    while (pvm_pstat(tid) == 0)
        continue;
}

static void many_see(void)
{
    int tids[4] = {child(), child(), me + 70, 0};

    tids[3] = tids[0];
    AREA("one request for many");
    SEE(pvm_notify(PvmTaskExit, 10, 4, tids));
    notice_see("never born", 10);
    SEE(left(10));
    end(tids[1]);
    notice_see("the second", 10);
    end(tids[0]);
    notice_see("the first", 10);
    notice_see("the first again", 10);
    SEE(left(10));
}

static void tags_see(void)
{
    int tid = child(), other = pvm_newcontext();

    AREA("tags and contexts");
    SEE(pvm_notify(PvmTaskExit, 0, 1, &tid));
    SEE(pvm_notify(PvmTaskExit, 11, 1, &tid));
    SEE(pvm_setcontext(other));
    SEE(pvm_notify(PvmTaskExit, 12, 1, &tid));
    SEE(pvm_setcontext(0) == other);
    SEE(pvm_notify(PvmTaskExit, 12, 1, &tid));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 12, 1, &tid));
    notice_see("cancelled in this context", 12);
    SEE(left(12));
    end(tid);
    notice_see("tag 0", 0);
    notice_see("tag 11", 11);
    SEE(left(-1));
    pvm_setcontext(other);
    notice_see("the other context", 12);
    SEE(left(-1));
    pvm_setcontext(0);
    SEE(pvm_freecontext(other));
}

static void cancel_see(void)
{
    int tids[2] = {child(), child()}, none = me + 71, bad = 0, host = pvm_tidtohost(me);

    AREA("cancelling");
    SEE(pvm_notify(PvmTaskExit, 20, 2, tids));
    SEE(pvm_notify(PvmTaskExit, 20, 1, tids));
    SEE(pvm_notify(PvmTaskExit, 21, 1, tids));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 22, 1, tids));
    SEE(left(-1));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 20, 1, tids));
    notice_see("one of two", 20);
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 20, 2, tids));
    notice_see("both", 20);
    notice_see("both", 20);
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 20, 1, tids));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 20, 1, &none));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 20, 1, &bad));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 20, 0, tids));
    end(tids[0]);
    end(tids[1]);
    notice_see("what was not cancelled", 21);
    SEE(left(-1));
    AREA("hosts");
    SEE(pvm_notify(PvmHostDelete, 23, 1, &host));
    SEE(pvm_notify(PvmHostDelete, 23, 1, &me));
    SEE(pvm_notify(PvmHostDelete | PvmNotifyCancel, 23, 1, &host));
    notice_see("the own host", 23);
    SEE(pvm_notify(PvmHostDelete | PvmNotifyCancel, 23, 1, &me));
    notice_see("given as a task", 23);
    host = 0x80000;
    SEE(pvm_notify(PvmHostDelete, 24, 1, &host));
    notice_see("a host that never was", 24);
    host = 0x80005;
    SEE(pvm_notify(PvmHostDelete, 25, 1, &host));
    notice_see("a task there", 25);
    host = 0;
    SEE(pvm_notify(PvmHostDelete, 26, 1, &host));
    SEE(pvm_notify(PvmHostAdd, 27, 3, NULL));
    SEE(pvm_notify(PvmHostAdd, 27, 0, NULL));
    SEE(pvm_notify(PvmHostAdd | PvmNotifyCancel, 27, -1, NULL));
    SEE(pvm_notify(PvmHostAdd, 28, -1, NULL));
    SEE(pvm_notify(PvmHostAdd, 28, -5, NULL));
}

static void refused_see(void)
{
    int tids[2] = {me, 0}, host = 0x40000, group = me | 0x40000000, pvmd = (int)0x80040000;

    AREA("what is refused");
    for (int kind = -1; kind <= 7; kind++) {
        if (kind >= PvmRouteAdd && kind <= PvmRouteDelete)
            continue;
        printf("kind %d\n", kind);
        SEE(pvm_notify(kind, -1, 1, tids));
        SEE(pvm_notify(kind, -5, 1, tids));
    }
    SEE(pvm_notify(PvmTaskExit, 1, 0, tids));
    SEE(pvm_notify(PvmTaskExit, 1, -1, tids));
    SEE(pvm_notify(PvmTaskExit, 1, 2, tids));
    SEE(pvm_notify(PvmTaskExit, 1, 1, &host));
    SEE(pvm_notify(PvmTaskExit, 1, 1, &group));
    SEE(pvm_notify(PvmTaskExit, 1, 1, &pvmd));
    SEE(pvm_notify(PvmHostDelete, 1, 0, &host));
    SEE(pvm_notify(PvmHostDelete, 1, -1, &host));
    SEE(pvm_notify(PvmTaskExit | 512, 1, 1, tids));
    SEE(pvm_setopt(PvmResvTids, 1));
    tids[0] = me + 72;
    SEE(pvm_notify(PvmTaskExit, -6, 1, tids));
    notice_see("a reserved tag", -6);
    SEE(pvm_notify(PvmTaskExit, 1, 1, &host));
    SEE(pvm_setopt(PvmResvTids, 0));
}

static void own_see(void)
{
    int again = me;

    AREA("the own end");
    SEE(pvm_notify(PvmTaskExit, 30, 1, &me));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 30, 1, &me));
    SEE(left(30));
    SEE(pvm_notify(PvmTaskExit, 31, 1, &me));
    SEE(pvm_exit());
    SEE(pvm_mytid() > again);
    SEE(left(-1));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    many_see();
    tags_see();
    cancel_see();
    refused_see();
    own_see();
    return 0;
}
