/*
 * Message handlers: which overlap, in which calls they run, what they may do, and ids given anew.
 */
#include "observe.h"
#include <string.h>

static int me, runs, seen[8], removed_by_itself, inner_result[8], ids[64];

static void give(int to, int tag, int value)
{
    int old = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));
    pvm_pkint(&value, 1, 1);
    pvm_send(to, tag);
    pvm_freebuf(pvm_setsbuf(old));
}

static int count(int buffer)
{
    (void)buffer;
    return ++runs;
}

static int note(int buffer)
{
    int value = -1;

    pvm_bufinfo(buffer, &seen[0], &seen[1], &seen[2]);
    seen[3] = pvm_getcontext();
    seen[4] = pvm_getsbuf();
    seen[5] = pvm_getrbuf() == buffer;
    pvm_upkint(&value, 1, 1);
    seen[6] = value;
    runs++;
    return -5;
}

static void overlap_see(void)
{
    static const struct {
        int src, tag, ctx;
    } tried[] = {
        {7, 8, 9},   {7, 8, 9},   {7, 8, 10},        {7, 9, 9},    {8, 8, 9},    {-1, 8, 9},
        {7, -1, 9},  {7, 8, -1},  {-1, 8, 11},       {-1, -1, 12}, {7, 20, -1},  {9, 20, 3},
        {-1, 20, 3}, {7, 21, 3},  {-1, 21, -1},      {-1, -1, -1}, {0, 0, 0},    {0, 0, 0},
        {-2, -2, 5}, {7, 30, -2}, {-1, -1, 0x7ffff}, {7, -1, 77},  {-1, 31, 78}, {8, -1, 78},
    };

    AREA("which overlap");
    for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++) {
        ids[i] = pvm_addmhf(tried[i].src, tried[i].tag, tried[i].ctx, count);
        printf("%d %d %x: %d\n", tried[i].src, tried[i].tag, (unsigned)tried[i].ctx, ids[i]);
    }
    for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++)
        if (ids[i] >= 0)
            printf("removed %d: %d\n", ids[i], pvm_delmhf(ids[i]));
}

static void numbers_see(void)
{
    AREA("ids");
    for (int i = 0; i < 4; i++)
        printf("added: %d\n", ids[i] = pvm_addmhf(me, 100 + i, 0, count));
    SEE(pvm_delmhf(ids[1]));
    SEE(pvm_delmhf(ids[3]));
    SEE(pvm_delmhf(ids[3]));
    SEE(pvm_addmhf(me, 104, 0, count) == ids[3]);
    SEE(pvm_addmhf(me, 105, 0, count) == ids[1]);
    SEE(pvm_delmhf(ids[0]));
    SEE(pvm_delmhf(ids[1]));
    SEE(pvm_delmhf(ids[2]));
    SEE(pvm_delmhf(ids[3]));
    SEE(pvm_delmhf(-1));
    SEE(pvm_delmhf(40));
    SEE(pvm_delmhf(100000));
}

/* Each kind of call, until the handler has run in it. */
#define RUN_SEE(call)                                                                              \
    runs = 0;                                                                                      \
    give(me, 50, 500);                                                                             \
    while (runs == 0)                                                                              \
        call;                                                                                      \
    printf("%s: %d run\n", #call, runs);

static void calls_see(void)
{
    struct timeval none = {0, 0};
    int nobody = me + 90, value = 0, handler = pvm_addmhf(me, 50, 0, count);

    AREA("calls in which a handler runs");
    pvm_initsend(PvmDataDefault);
    RUN_SEE(pvm_nrecv(-1, 99))
    RUN_SEE(pvm_probe(-1, 99))
    RUN_SEE(pvm_trecv(-1, 99, &none))
    RUN_SEE((give(me, 51, 1), pvm_recv(me, 51)))
    RUN_SEE((give(me, 51, 1), pvm_precv(me, 51, &value, 1, PVM_INT, NULL, NULL, NULL)))
    RUN_SEE(pvm_freecontext(pvm_newcontext()))
    RUN_SEE(pvm_tasks(0, NULL, NULL))
    RUN_SEE(pvm_config(NULL, NULL, NULL))
    RUN_SEE(pvm_pstat(me))
    RUN_SEE(pvm_insert("handler", 0, 1))
    RUN_SEE(pvm_lookup("handler", 0, &value))
    RUN_SEE(pvm_getmboxinfo("*", NULL, NULL))
    RUN_SEE(pvm_mstat("nothing"))
    RUN_SEE(pvm_sendsig(nobody, 0))
    SEE(pvm_delmhf(handler));
}

static void state_see(void)
{
    int sent = pvm_initsend(PvmDataDefault), handler = pvm_addmhf(-1, 60, 33, note), received;

    AREA("what a handler finds, and what it leaves");
    give(me, 61, 1);
    received = pvm_recv(me, 61);
    runs = 0;
    pvm_setcontext(33);
    give(me, 60, 600);
    pvm_setcontext(0);
    while (runs == 0)
        pvm_probe(-1, 99);
    SEE(seen[0]);
    SEE(seen[1]);
    SEE(seen[2] == me);
    SEE(seen[3]);
    SEE(seen[4]);
    SEE(seen[5]);
    SEE(seen[6]);
    SEE(pvm_getcontext());
    SEE(pvm_getsbuf() == sent);
    SEE(pvm_getrbuf() == received);
    give(me, 60, 1);
    SEE(pvm_recv(me, 60) > 0);
    SEE(pvm_delmhf(handler));
    pvm_setcontext(33);
    give(me, 60, 2);
    SEE(pvm_recv(me, 60) > 0);
    pvm_setcontext(0);
}

static int remove_itself(int buffer)
{
    (void)buffer;
    runs++;
    inner_result[0] = pvm_delmhf(removed_by_itself);
    inner_result[1] = pvm_addmhf(me, 71, 0, count);
    inner_result[2] = pvm_addmhf(me, 71, 0, count);
    return 0;
}

static int send_many(int buffer)
{
    static int told;

    pvm_upkint(&told, 1, 1);
    for (int i = 0; i < 20; i++) {
        inner_result[0] = pvm_initsend(PvmDataDefault) > 0;
        pvm_pkint(&i, 1, 1);
        inner_result[1] = pvm_send(me, 73);
    }
    inner_result[2] = pvm_psend(me, 74, &told, 1, PVM_INT);
    told = 99;
    inner_result[3] = pvm_getsbuf() > 0;
    runs++;
    return buffer;
}

static int keep(int buffer)
{
    runs++;
    return ids[0] = pvm_setrbuf(0), buffer;
}

static void deeds_see(void)
{
    int value = -1, sum = 0;

    AREA("a handler that removes itself and adds another");
    runs = 0;
    SEE((removed_by_itself = pvm_addmhf(me, 70, 0, remove_itself)) > 0);
    give(me, 70, 1);
    while (runs == 0)
        pvm_probe(-1, 99);
    SEE(inner_result[0]);
    SEE(inner_result[1] == removed_by_itself);
    SEE(inner_result[2]);
    give(me, 71, 1);
    while (runs == 1)
        pvm_probe(-1, 99);
    give(me, 70, 2);
    SEE(pvm_recv(me, 70) > 0);
    SEE(pvm_delmhf(inner_result[1]));
    AREA("a handler that sends");
    SEE((ids[1] = pvm_addmhf(me, 72, 0, send_many)) > 0);
    give(me, 72, 5);
    for (int i = 0; i < 20; i++) {
        pvm_recv(me, 73);
        pvm_upkint(&value, 1, 1);
        sum += value == i;
    }
    SEE(sum);
    SEE(pvm_precv(me, 74, &value, 1, PVM_INT, NULL, NULL, NULL));
    SEE(value);
    for (int i = 0; i < 4; i++)
        SEE(inner_result[i]);
    SEE(pvm_delmhf(ids[1]));
    AREA("a handler that keeps its message");
    runs = 0;
    SEE((ids[1] = pvm_addmhf(me, 75, 0, keep)) > 0);
    give(me, 75, 750);
    while (runs == 0)
        pvm_probe(-1, 99);
    SEE(pvm_bufinfo(ids[0], &sum, NULL, NULL));
    SEE(sum);
    SEE(pvm_setrbuf(ids[0]) >= 0);
    SEE((pvm_upkint(&value, 1, 1), value));
    SEE(pvm_delmhf(ids[1]));
}

/* Handlers of two tags run in the order of the messages. */
static int order[64], ordered;

static int first(int buffer)
{
    (void)buffer;
    return order[ordered++] = 1;
}

static int second(int buffer)
{
    (void)buffer;
    return order[ordered++] = 2;
}

static void order_see(void)
{
    AREA("order");
    ids[0] = pvm_addmhf(me, 80, 0, first);
    ids[1] = pvm_addmhf(me, 81, 0, second);
    for (int i = 0; i < 10; i++)
        give(me, 80 + (i * i + i / 3) % 2, 0);
    give(me, 82, 0);
    pvm_recv(me, 82);
    for (int i = 0; i < ordered; i++)
        printf("%d%s", order[i], i + 1 < ordered ? " " : "\n");
    SEE(pvm_delmhf(ids[0]));
    SEE(pvm_delmhf(ids[1]));
    AREA("a message that waits already is no handler's");
    give(me, 83, 7);
    while (pvm_probe(me, 83) == 0)
        continue;
    runs = 0;
    SEE((ids[0] = pvm_addmhf(me, 83, 0, count)) > 0);
    give(me, 84, 7);
    SEE(pvm_recv(me, 84) > 0);
    SEE(runs);
    SEE(pvm_recv(me, 83) > 0);
    SEE(pvm_delmhf(ids[0]));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    overlap_see();
    numbers_see();
    calls_see();
    state_see();
    deeds_see();
    order_see();
    return 0;
}
