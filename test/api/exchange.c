/*
 * Messages between tasks: parents and children, many to one, one to many, large ones, and none
 * lost.
 */
#include "observe.h"
#include <string.h>

#define CHILDREN 3

static int me, tids[CHILDREN];

static void start(char *what, char *argument)
{
    char *arguments[] = {what, argument, NULL};

    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", CHILDREN, tids));
}

static int index_of(int tid)
{
    for (int i = 0; i < CHILDREN; i++)
        if (tids[i] == tid)
            return i;
    return -1;
}

/* Children send back what they get, until they get tag 0. */
static void echoes_see(int encoding)
{
    int values[100], back[100], wrong = 0, source = 0, tag = 0;

    AREA("echoes");
    SEE(encoding);
    start("echo", "x");
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < CHILDREN; i++) {
            for (int j = 0; j < 100; j++)
                values[j] = round * 1000 + i * 100 + j;
            pvm_initsend(encoding);
            pvm_pkint(values, 100, 1);
            pvm_send(tids[i], round);
        }
    }
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < CHILDREN; i++) {
            memset(back, 0, sizeof back);
            pvm_recv(tids[i], -1);
            pvm_bufinfo(pvm_getrbuf(), NULL, &tag, &source);
            pvm_upkint(back, 100, 1);
            wrong += tag != round || source != tids[i] || back[99] != round * 1000 + i * 100 + 99;
        }
    }
    SEE(wrong);
    pvm_initsend(PvmDataDefault);
    SEE(pvm_mcast(tids, CHILDREN, 0));
    pvm_notify(PvmTaskExit, 99, CHILDREN, tids);
    for (int i = 0; i < CHILDREN; i++)
        pvm_recv(-1, 99);
}

static void multicast_see(void)
{
    int list[] = {0, 0, 0, 0, 0}, sum = 0, counts[CHILDREN] = {0}, value = 0, source = 0;
    int absent;

    AREA("one to many");
    start("echo", "x");
    absent = tids[CHILDREN - 1] + 50;
    list[0] = tids[2];
    list[1] = me;
    list[2] = tids[0];
    list[3] = absent;
    list[4] = tids[2];
    for (int i = 1; i <= 10; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&i, 1, 1);
        sum += pvm_mcast(list, 5, 7);
    }
    SEE(sum);
    for (int i = 0; i < 20; i++) {
        pvm_recv(-1, 7);
        pvm_bufinfo(pvm_getrbuf(), NULL, NULL, &source);
        pvm_upkint(&value, 1, 1);
        counts[index_of(source)]++;
        sum += value;
    }
    SEE(sum);
    for (int i = 0; i < CHILDREN; i++)
        SEE(counts[i]);
    SEE(pvm_nrecv(-1, 7));
    SEE(pvm_mcast(tids, CHILDREN, 0));
    pvm_notify(PvmTaskExit, 99, CHILDREN, tids);
    for (int i = 0; i < CHILDREN; i++)
        pvm_recv(-1, 99);
}

static void large_see(int encoding)
{
    static double sent[150000], got[150000];
    int bytes = 0, wrong = 0;

    AREA("large messages");
    SEE(encoding);
    start("echo", "x");
    for (int i = 0; i < 150000; i++)
        sent[i] = i * 0.5;
    for (int i = 0; i < CHILDREN; i++) {
        pvm_initsend(encoding);
        pvm_pkdouble(sent, 150000 - i, 1);
        pvm_send(tids[i], 8);
    }
    for (int i = 0; i < CHILDREN; i++) {
        memset(got, 0, sizeof got);
        pvm_recv(tids[i], 8);
        pvm_bufinfo(pvm_getrbuf(), &bytes, NULL, NULL);
        pvm_upkdouble(got, 150000 - i, 1);
        wrong += memcmp(sent, got, sizeof(double) * (size_t)(150000 - i)) != 0;
        printf("%d bytes\n", bytes);
    }
    SEE(wrong);
    pvm_initsend(PvmDataDefault);
    SEE(pvm_mcast(tids, CHILDREN, 0));
    pvm_notify(PvmTaskExit, 99, CHILDREN, tids);
    for (int i = 0; i < CHILDREN; i++)
        pvm_recv(-1, 99);
}

/* What a dead task is sent is dropped; its own messages are still there. */
static void dead_see(void)
{
    int value = 0;

    AREA("messages of tasks that have ended");
    start("parent", NULL);
    pvm_notify(PvmTaskExit, 99, CHILDREN, tids);
    for (int i = 0; i < CHILDREN; i++)
        pvm_recv(-1, 99);
    pvm_initsend(PvmDataDefault);
    SEE(pvm_send(tids[0], 1));
    SEE(pvm_mcast(tids, CHILDREN, 1));
    SEE(pvm_psend(tids[1], 1, &value, 1, PVM_INT));
    for (int i = 0; i < CHILDREN; i++) {
        SEE(pvm_recv(tids[i], 7) > 0);
        SEE((pvm_upkint(&value, 1, 1), value == me));
    }
    SEE(pvm_nrecv(-1, -1));
}

static void negative_see(void)
{
    int value = 7, length = -1, tag = -1;

    AREA("negative lengths");
    SEE(pvm_psend(me, 8, &value, -1, PVM_INT));
    value = 77;
    SEE(pvm_precv(me, 8, &value, 1, PVM_INT, NULL, &tag, &length));
    SEE(length);
    SEE(value);
    SEE(pvm_psend(me, 9, &value, 1, PVM_INT));
    SEE(pvm_precv(me, 9, &value, -1, PVM_INT, NULL, &tag, &length));
    SEE(length);
    SEE(tag);
    SEE(pvm_nrecv(-1, -1));
    SEE(pvm_psend(me, 9, NULL, -3, PVM_DCPLX));
    SEE(pvm_precv(me, 9, NULL, -3, PVM_DCPLX, NULL, &tag, &length));
    SEE(length);
    SEE(pvm_psend(-7, 9, &value, -1, PVM_INT));
    SEE(pvm_psend(me, -9, &value, -1, PVM_INT));
    SEE(pvm_psend(me, 9, &value, -1, 99));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    echoes_see(PvmDataDefault);
    echoes_see(PvmDataRaw);
    echoes_see(PvmDataInPlace);
    multicast_see();
    large_see(PvmDataDefault);
    large_see(PvmDataRaw);
    large_see(PvmDataInPlace);
    dead_see();
    negative_see();
    pvm_exit();
    return 0;
}
