/* Which message a receive gets: order of arrival, wildcards, contexts, calls, lengths. */
#include "observe.h"
#include <string.h>

static int me;

static void give(int tag, int value)
{
    int old = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));
    pvm_pkint(&value, 1, 1);
    pvm_send(me, tag);
    pvm_freebuf(pvm_setsbuf(old));
}

static void await(int tag)
{
    while (pvm_probe(-1, tag) == 0)
        continue;
}

static int taken(int buffer)
{
    int value = -1;

    if (buffer <= 0)
        return buffer;
    pvm_upkint(&value, 1, 1);
    return value;
}

static void wildcards_see(void)
{
    AREA("wildcards");
    for (int i = 1; i <= 9; i++)
        give(i % 3, i);
    await(2);
    SEE(taken(pvm_recv(-1, -1)));
    SEE(taken(pvm_recv(me, -1)));
    SEE(taken(pvm_recv(-1, 1)));
    SEE(taken(pvm_recv(me, 1)));
    SEE(taken(pvm_nrecv(-1, 0)));
    SEE(taken(pvm_nrecv(me + 1, -1)));
    SEE(taken(pvm_nrecv(me, 7)));
    SEE(taken(pvm_recv(-1, -1)));
    SEE(taken(pvm_recv(-1, -1)));
    SEE(taken(pvm_recv(-1, -1)));
    SEE(taken(pvm_recv(-1, -1)));
    SEE(taken(pvm_nrecv(-1, -1)));
    AREA("other negative numbers");
    give(1, 1);
    await(1);
    SEE(pvm_nrecv(-2, 1));
    SEE(pvm_nrecv(-1, -2));
    SEE(pvm_nrecv(0, 1));
    SEE(pvm_nrecv(0x40000, 1));
    SEE(pvm_nrecv((int)0x80040000, -1));
    SEE(pvm_probe(-2, -1));
    SEE(pvm_probe(-1, 2147483647));
    SEE(taken(pvm_nrecv(-1, 1)));
    give(2147483647, 2);
    SEE(taken(pvm_recv(me, 2147483647)));
    give(0, 3);
    SEE(taken(pvm_recv(me, 0)));
}

static void contexts_see(void)
{
    int first = pvm_newcontext(), second = pvm_newcontext();

    AREA("contexts");
    SEE(first > 0 && second > first);
    give(1, 10);
    SEE(pvm_setcontext(first));
    give(1, 11);
    SEE(pvm_setcontext(second) == first);
    give(1, 12);
    SEE(pvm_nrecv(-1, 2));
    SEE(taken(pvm_recv(-1, 1)));
    SEE(pvm_nrecv(-1, -1));
    SEE(pvm_probe(-1, -1));
    SEE(pvm_setcontext(-1) == second);
    SEE(taken(pvm_recv(-1, -1)));
    SEE(taken(pvm_recv(-1, -1)));
    SEE(pvm_nrecv(-1, -1));
    SEE(pvm_setcontext(-7));
    give(1, 13);
    SEE(taken(pvm_recv(-1, -1)));
    SEE(pvm_setcontext(123456789));
    SEE(pvm_getcontext());
    give(1, 14);
    SEE(pvm_setcontext(0));
    SEE(pvm_nrecv(-1, -1));
    SEE(pvm_setcontext(-1));
    SEE(taken(pvm_recv(-1, -1)));
    SEE(pvm_setcontext(0));
    AREA("their ids");
    SEE(pvm_freecontext(first));
    SEE(pvm_freecontext(first));
    SEE(pvm_freecontext(-1));
    SEE(pvm_freecontext(123));
    SEE(pvm_freecontext(0) > second);
    SEE(pvm_getcontext());
    SEE(pvm_newcontext() != first);
    SEE(pvm_setcontext(second));
    SEE(pvm_freecontext(second));
    SEE(pvm_getcontext() == second);
    SEE(pvm_setcontext(0) == second);
}

static void calls_see(void)
{
    int value = 100, got = -1, everyone[2];
    struct timeval long_time = {60, 0};

    AREA("one order for all calls");
    everyone[0] = everyone[1] = me;
    give(5, 1);
    pvm_psend(me, 5, &value, 1, PVM_INT);
    give(5, 3);
    pvm_initsend(PvmDataRaw);
    pvm_pkint(&value, 1, 1);
    pvm_mcast(everyone, 2, 5);
    pvm_send(me, 5);
    SEE(taken(pvm_trecv(-1, 5, &long_time)));
    SEE(pvm_precv(-1, 5, &got, 1, PVM_INT, NULL, NULL, NULL));
    SEE(got);
    SEE(taken(pvm_recv(-1, 5)));
    SEE(taken(pvm_recv(-1, 5)));
    SEE(pvm_nrecv(-1, 5));
}

static void probes_see(void)
{
    int first, second, bytes = -1, tag = -1;

    AREA("probing");
    give(6, 61);
    give(6, 62);
    give(7, 70);
    await(7);
    SEE((first = pvm_probe(-1, -1)) > 0);
    SEE(pvm_probe(me, 6) == first);
    SEE((second = pvm_probe(-1, 7)) > 0 && second != first);
    SEE(pvm_bufinfo(first, &bytes, &tag, NULL));
    SEE(bytes);
    SEE(tag);
    SEE(pvm_getrbuf());
    SEE(pvm_recv(-1, 7) == second);
    SEE(taken(second));
    SEE(pvm_probe(-1, 7));
    SEE(pvm_recv(-1, 6) == first);
    SEE(taken(first));
    SEE(pvm_probe(-1, 6) != first);
    SEE(taken(pvm_recv(-1, 6)));
    SEE(pvm_probe(-1, -1));
}

static void active_see(void)
{
    struct timeval none = {0, 0}, negative = {-3, 0}, odd = {0, -1}, large = {0, 2000000};
    int kept;

    AREA("the active receive buffer");
    give(8, 80);
    SEE((kept = pvm_recv(-1, 8)) > 0);
    SEE(pvm_probe(-1, 9));
    SEE(pvm_getrbuf() == kept);
    SEE(pvm_nrecv(-1, 9));
    SEE(pvm_getrbuf());
    SEE(pvm_bufinfo(kept, NULL, NULL, NULL));
    give(8, 81);
    SEE((kept = pvm_recv(-1, 8)) > 0);
    SEE(pvm_trecv(-1, 9, &none));
    SEE(pvm_getrbuf());
    SEE(pvm_trecv(-1, 9, &negative));
    SEE(pvm_trecv(-1, 9, &odd));
    give(8, 82);
    await(8);
    SEE(taken(pvm_trecv(-1, 8, &large)));
    SEE(large.tv_sec == 0 && large.tv_usec == 2000000);
    give(8, 83);
    SEE(taken(pvm_trecv(-1, 8, NULL)));
}

/* Messages of every length around the ends of fragments. */
static void lengths_see(void)
{
    static char source[20000], target[20000];
    static const int lengths[] = {0,    1,     2,     3,     4,     5,     4027,  4028, 4029,
                                  4030, 4031,  4032,  4033,  4034,  4035,  4036,  8063, 8064,
                                  8065, 12095, 12096, 12097, 16383, 16384, 16385, 19999};

    AREA("lengths");
    for (int i = 0; i < (int)sizeof source; i++)
        source[i] = (char)(i * 13 % 127);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int bytes[2] = {-1, -1}, right[2];
        for (int encoding = PvmDataDefault; encoding <= PvmDataRaw; encoding++) {
            memset(target, 0, sizeof target);
            pvm_initsend(encoding);
            pvm_pkbyte(source, lengths[i], 1);
            pvm_send(me, 10);
            pvm_recv(me, 10);
            pvm_bufinfo(pvm_getrbuf(), &bytes[encoding], NULL, NULL);
            right[encoding] = pvm_upkbyte(target, lengths[i], 1) == 0 &&
                              memcmp(source, target, (size_t)lengths[i]) == 0;
        }
        printf("%d: %d %d, %d %d\n", lengths[i], bytes[0], right[0], bytes[1], right[1]);
    }
}

static void fragments_see(void)
{
    static const int sizes[] = {52, 53, 55, 56, 60, 100, 4079, 4080, 4081, 9999, 1048576};
    double values[40], back[40];

    AREA("sizes of fragments");
    for (int i = 0; i < 40; i++)
        values[i] = i / 7.0;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int bytes = -1, value = 0;
        int set = pvm_setopt(PvmFragSize, sizes[i]);
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&me, 1, 1);
        int error = pvm_pkdouble(values, 40, 1);
        if (error < 0) {
            printf("%d: %s, %d\n", sizes[i], set > 0 ? "set" : "refused", error);
            continue;
        }
        pvm_pkstr("the end");
        pvm_send(me, 11);
        pvm_recv(me, 11);
        pvm_bufinfo(pvm_getrbuf(), &bytes, NULL, NULL);
        pvm_upkint(&value, 1, 1);
        int unpacked = pvm_upkdouble(back, 40, 1);
        printf("%d: %s, %d, %d bytes, %d %d %d\n", sizes[i], set > 0 ? "set" : "refused", error,
               bytes, value == me, unpacked, memcmp(values, back, sizeof values) == 0);
    }
    SEE(pvm_setopt(PvmFragSize, 51));
    SEE(pvm_setopt(PvmFragSize, 1048577));
    SEE(pvm_setopt(PvmFragSize, 4080));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    wildcards_see();
    contexts_see();
    calls_see();
    probes_see();
    active_see();
    lengths_see();
    fragments_see();
    pvm_exit();
    return 0;
}
