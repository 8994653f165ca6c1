/* Leaving and enrolling again: what a task takes along into its next life, and what it leaves. */
#include "observe.h"

extern int pvmmytid;

static int me, runs;

static int count(int buffer)
{
    (void)buffer;
    return ++runs;
}

static void give(int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(me, tag);
    while (pvm_probe(-1, tag) == 0)
        continue;
}

static void start_anew(void)
{
    int before = me;

    SEE(pvm_exit());
    SEE(pvmmytid);
    SEE((me = pvm_mytid()) > before);
}

static void buffers_see(void)
{
    int value = 11, got = 0, source = -1, sent, received, spare;

    AREA("buffers");
    give(1, 10);
    received = pvm_recv(me, 1);
    spare = pvm_mkbuf(PvmDataRaw);
    sent = pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    start_anew();
    SEE(pvm_getsbuf() == sent);
    SEE(pvm_getrbuf() == received);
    SEE(pvm_bufinfo(sent, NULL, NULL, &source));
    SEE(source == me);
    SEE(source == me - 1);
    SEE(pvm_bufinfo(spare, NULL, NULL, &source));
    SEE(pvm_send(me, 2));
    SEE(pvm_recv(me, 2) > 0);
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE(pvm_freebuf(spare));
}

static void received_see(void)
{
    int got = 0, kept;

    AREA("a received buffer put aside");
    give(3, 30);
    pvm_recv(me, 3);
    kept = pvm_setrbuf(0);
    start_anew();
    SEE(pvm_bufinfo(kept, NULL, NULL, NULL));
    SEE(pvm_setrbuf(kept));
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE(pvm_freebuf(kept));
}

static void queue_see(void)
{
    int other, tag = 0;

    AREA("messages not received");
    other = pvm_newcontext();
    give(4, 40);
    pvm_setcontext(other);
    give(5, 50);
    pvm_setcontext(0);
    start_anew();
    SEE(pvm_nrecv(-1, -1));
    SEE(pvm_setcontext(other));
    SEE(pvm_nrecv(-1, -1) > 0);
    SEE((pvm_bufinfo(pvm_getrbuf(), NULL, &tag, NULL), tag));
    SEE(pvm_freecontext(other));
    SEE(pvm_setcontext(0) == other);
}

static void settings_see(void)
{
    AREA("options and context");
    SEE(pvm_setopt(PvmRoute, PvmDontRoute));
    SEE(pvm_setopt(PvmFragSize, 1000));
    SEE(pvm_setopt(PvmShowTids, 0));
    SEE(pvm_setopt(PvmResvTids, 1));
    SEE(pvm_setopt(PvmOutputTid, me));
    SEE(pvm_setopt(PvmNoReset, 1));
    SEE(pvm_setcontext(77));
    start_anew();
    SEE(pvm_getopt(PvmRoute));
    SEE(pvm_getopt(PvmFragSize));
    SEE(pvm_getopt(PvmShowTids));
    SEE(pvm_getopt(PvmResvTids));
    SEE(pvm_getopt(PvmOutputTid));
    SEE(pvm_getopt(PvmNoReset));
    SEE(pvm_getcontext());
    SEE(pvm_setopt(PvmResvTids, 0));
    SEE(pvm_setcontext(0));
}

static void handlers_see(void)
{
    AREA("handlers");
    SEE(pvm_addmhf(-1, 7, 0, count));
    start_anew();
    give(8, 0);
    pvm_recv(-1, 8);
    pvm_initsend(PvmDataDefault);
    pvm_send(me, 7);
    SEE(pvm_recv(-1, 7) > 0);
    SEE(runs);
}

static void notices_see(void)
{
    int first = me, notice = 0, source = 0;

    AREA("a notice of the own end");
    SEE(pvm_notify(PvmTaskExit, 9, 1, &me));
    start_anew();
    SEE(pvm_notify(PvmTaskExit, 9, 1, &first));
    SEE(pvm_recv(-1, 9) > 0);
    SEE((pvm_upkint(&notice, 1, 1), notice == first));
    SEE((pvm_bufinfo(pvm_getrbuf(), NULL, NULL, &source), source == (int)0x80000000));
    SEE(pvm_nrecv(-1, 9));
}

static void relations_see(void)
{
    int *known = NULL;
    struct pvmhostinfo *hosts = NULL;
    int count_now = 0;

    AREA("lists");
    SEE(pvm_siblings(&known));
    SEE(known[0] == me);
    start_anew();
    SEE(pvm_siblings(&known));
    SEE(known[0] == me);
    SEE(pvm_config(&count_now, NULL, &hosts));
    SEE(count_now);
    SEE(pvm_parent());
}

int main(void)
{
    observe();
    me = pvm_mytid();
    buffers_see();
    received_see();
    queue_see();
    settings_see();
    handlers_see();
    notices_see();
    relations_see();
    SEE(pvm_exit());
    return 0;
}
