/* Sending and receiving: what matches, in which order, what is refused, and time limits. */
#include "observe.h"
#include <pvm3.h>
#include <string.h>

static int me;

static void give(int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(me, tag);
}

/* "tag/value" of the message in a buffer, or the error. */
static void take_see(const char *what, int buffer)
{
    int tag = 0, value = 0;

    if (buffer <= 0) {
        printf("%s: %d\n", what, buffer);
        return;
    }
    pvm_bufinfo(buffer, NULL, &tag, NULL);
    pvm_upkint(&value, 1, 1);
    printf("%s: tag %d value %d\n", what, tag, value);
}

static void matching_see(void)
{
    AREA("matching");
    for (int i = 0; i < 6; i++)
        give(i % 3, i);
    give(9, 9);
    take_see("the last one first", pvm_recv(-1, 9));
    take_see("tag 2", pvm_recv(-1, 2));
    take_see("tag 1 from me", pvm_recv(me, 1));
    take_see("any", pvm_recv(-1, -1));
    take_see("any from me", pvm_recv(me, -1));
    take_see("nrecv tag 2", pvm_nrecv(-1, 2));
    take_see("nrecv tag 2", pvm_nrecv(-1, 2));
    take_see("nrecv from another", pvm_nrecv(me + 1, -1));
    take_see("the last", pvm_nrecv(-1, -1));
    take_see("no more", pvm_nrecv(-1, -1));
}

static void probing_see(void)
{
    int found, again;

    AREA("probe");
    SEE(pvm_probe(-1, -1));
    give(4, 44);
    give(5, 55);
    while ((found = pvm_probe(-1, 5)) == 0)
        continue;
    SEE(found > 0);
    again = pvm_probe(-1, 5);
    SEE(again == found);
    SEE(pvm_getrbuf() == found);
    SEE(pvm_probe(-1, 6));
    SEE(pvm_probe(me, 4) > 0);
    SEE(pvm_recv(-1, 5) == found);
    SEE(pvm_probe(-1, 5));
    take_see("the other", pvm_recv(-1, -1));
}

static void times_see(void)
{
    struct timeval none = {0, 0}, little = {0, 20000}, negative = {-1, 0}, odd = {0, -5};

    AREA("time limits");
    take_see("none", pvm_trecv(-1, 1, &none));
    take_see("20 ms", pvm_trecv(-1, 1, &little));
    SEE(little.tv_sec == 0 && little.tv_usec == 20000);
    take_see("negative", pvm_trecv(-1, 1, &negative));
    take_see("negative microseconds", pvm_trecv(-1, 1, &odd));
    SEE(pvm_getrbuf());
    give(1, 5);
    take_see("no limit", pvm_trecv(-1, 1, NULL));
    give(1, 6);
    little.tv_sec = 30;
    take_see("30 s", pvm_trecv(-1, 1, &little));
}

static void refused_see(void)
{
    int tids[3] = {me, 0, me}, value = 1, old;

    AREA("what is refused");
    pvm_initsend(PvmDataDefault);
    SEE(pvm_send(0, 1));
    SEE(pvm_send(-1, 1));
    SEE(pvm_send(me | 0x40000000, 1));
    SEE(pvm_send((int)0x80040000, 1));
    SEE(pvm_send(0x40000, 1));
    SEE(pvm_send(me, -1));
    SEE(pvm_send(me, -5));
    SEE(pvm_send(me + 9, 1));
    SEE(pvm_send(0x80001, 1));
    SEE(pvm_mcast(tids, 3, 1));
    SEE(pvm_mcast(tids, -1, 1));
    SEE(pvm_mcast(tids, 1, -1));
    SEE(pvm_mcast(tids, 1, 1));
    SEE(pvm_mcast(NULL, 0, 1));
    SEE(pvm_nrecv(-1, 1));
    old = pvm_setsbuf(0);
    SEE(pvm_send(me, 1));
    SEE(pvm_send(0, 1));
    SEE(pvm_mcast(tids, 1, 1));
    SEE(pvm_mcast(tids, -1, 1));
    pvm_setsbuf(old);
    SEE(pvm_psend(0, 1, &value, 1, PVM_INT));
    SEE(pvm_psend(me, -1, &value, 1, PVM_INT));
    SEE(pvm_psend(me, 1, &value, 1, PVM_STR));
    SEE(pvm_psend(me, 1, &value, 1, 99));
    SEE(pvm_psend(me, 1, &value, 1, -1));
    SEE(pvm_precv(me, 1, &value, 1, PVM_STR, NULL, NULL, NULL));
    SEE(pvm_precv(me, 1, &value, 1, 99, NULL, NULL, NULL));
    SEE(pvm_getsbuf() == old);
}

static void contiguous_see(void)
{
    int source[4] = {1, 2, 3, 4}, target[4] = {0}, tid, tag, length;
    char text[8] = "";

    AREA("psend and precv");
    SEE(pvm_psend(me, 3, source, 4, PVM_INT));
    SEE(pvm_precv(-1, -1, target, 4, PVM_INT, &tid, &tag, &length));
    SEE(tid == me);
    SEE(tag);
    SEE(length);
    SEE(target[3]);
    AREA("a longer message is cut, a shorter one leaves the rest");
    pvm_psend(me, 3, source, 4, PVM_INT);
    memset(target, 0, sizeof target);
    SEE(pvm_precv(me, 3, target, 2, PVM_INT, NULL, NULL, &length));
    SEE(length);
    SEE(target[1]);
    SEE(target[2]);
    pvm_psend(me, 3, source, 1, PVM_INT);
    SEE(pvm_precv(me, 3, target, 4, PVM_INT, NULL, NULL, &length));
    SEE(length);
    SEE(target[1]);
    AREA("mixed with packed messages");
    pvm_psend(me, 3, source, 2, PVM_INT);
    SEE(pvm_recv(me, 3) > 0);
    SEE(pvm_upkint(target, 2, 1));
    SEE(target[1]);
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte("seven!", 7, 1);
    pvm_send(me, 4);
    SEE(pvm_precv(me, 4, text, 7, PVM_BYTE, NULL, NULL, &length));
    SEE_TEXT("text", text);
    SEE(length);
    AREA("nothing");
    SEE(pvm_psend(me, 5, NULL, 0, PVM_DOUBLE));
    SEE(pvm_precv(me, 5, NULL, 0, PVM_DOUBLE, NULL, NULL, &length));
    SEE(length);
}

int main(void)
{
    observe();
    me = pvm_mytid();
    matching_see();
    probing_see();
    times_see();
    refused_see();
    contiguous_see();
    pvm_exit();
    return 0;
}
