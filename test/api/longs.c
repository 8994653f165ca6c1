/*
 * Longs in the default encoding, whose words have 32 bits: which values come back, and which
 * cannot.
 */
#include "observe.h"
#include <limits.h>

static int me;

static int next(void)
{
    long value = -77;
    int error = pvm_upklong(&value, 1, 1);

    if (error < 0)
        return error;
    printf("  %ld\n", value);
    return 0;
}

static int next_unsigned(void)
{
    unsigned long value = 77;
    int error = pvm_upkulong(&value, 1, 1);

    if (error < 0)
        return error;
    printf("  %lu\n", value);
    return 0;
}

static int loop(void)
{
    pvm_send(me, 1);
    return pvm_recv(me, 1) > 0;
}

/* Values that 3.4.6 brings right. */
static void plain_see(int encoding)
{
    long values[] = {0, 1, INT_MAX, 2147483648L, 4294967295L};
    unsigned long large[] = {1, 4294967295UL};

    AREA("what has 32 bits and no sign");
    SEE(encoding);
    pvm_initsend(encoding);
    SEE(pvm_pklong(values, 5, 1));
    SEE(pvm_pkulong(large, 2, 1));
    SEE(pvm_packf("%ld", 3000000000L));
    SEE(loop());
    for (int i = 0; i < 5; i++)
        SEE(next());
    SEE(next_unsigned());
    SEE(next_unsigned());
    SEE(next());
}

static void negative_see(int encoding)
{
    long values[] = {-1, 5, INT_MIN, -3};
    unsigned long large = 4000000000UL;

    AREA("negative ones");
    SEE(encoding);
    pvm_initsend(encoding);
    SEE(pvm_pklong(values, 3, 1));
    SEE(pvm_pklong(values + 3, 2, -1));
    SEE(pvm_pkulong(&large, 1, 1));
    SEE(loop());
    for (int i = 0; i < 5; i++)
        SEE(next());
    SEE(next_unsigned());
}

static void wide_see(int encoding)
{
    long values[] = {7, 1L << 40, INT_MIN - 1L};
    unsigned long large = ~0UL;
    int bytes = -1;

    AREA("what needs more than 32 bits");
    SEE(encoding);
    pvm_initsend(encoding);
    SEE(pvm_pklong(values, 2, 1));
    SEE(pvm_pklong(values + 2, 1, 1));
    SEE(pvm_pkulong(&large, 1, 1));
    SEE(pvm_packf("%ld", 1L << 33));
    SEE((pvm_bufinfo(pvm_getsbuf(), &bytes, NULL, NULL), bytes));
}

static void mixed_see(void)
{
    long values[] = {-1, 3000000000L};

    AREA("negative and large ones in one message");
    pvm_initsend(PvmDataDefault);
    SEE(pvm_pklong(values, 1, 1));
    SEE(pvm_pklong(values + 1, 1, 1));
    pvm_initsend(PvmDataDefault);
    SEE(pvm_pklong(values + 1, 1, 1));
    SEE(pvm_pklong(values, 1, 1));
    pvm_initsend(PvmDataRaw);
    SEE(pvm_pklong(values, 2, 1));
    SEE(loop());
    SEE(next());
    SEE(next());
}

/* Through other messages, buffers and calls. */
static void ways_see(void)
{
    long value = -9;
    int buffer, inner, me_too[2] = {me, me};

    AREA("in messages within messages");
    inner = pvm_initsend(PvmDataDefault);
    SEE(pvm_pklong(&value, 1, 1));
    SEE(pvm_setsbuf(pvm_mkbuf(PvmDataDefault)) == inner);
    SEE(pvm_pkmesg(inner));
    SEE(pvm_pkmesgbody(inner));
    SEE(loop());
    SEE((buffer = pvm_upkmesg()) > 0);
    SEE(next());
    SEE(pvm_setrbuf(buffer) > 0);
    SEE(next());
    AREA("without sending");
    SEE(pvm_setrbuf(inner) > 0);
    SEE(next());
    AREA("in a mailbox");
    SEE(pvm_setrbuf(0) == inner);
    SEE(pvm_putinfo("longs", inner, PvmMboxDefault));
    SEE(pvm_recvinfo("longs", 0, PvmMboxDefault) > 0);
    SEE(next());
    AREA("as an array");
    SEE(pvm_psend(me, 2, &value, 1, PVM_LONG));
    value = 0;
    SEE(pvm_precv(me, 2, &value, 1, PVM_LONG, NULL, NULL, NULL));
    SEE(value);
    AREA("received and sent on");
    SEE(pvm_setsbuf(inner) >= 0);
    SEE(pvm_mcast(me_too, 2, 3));
    SEE(loop());
    SEE(pvm_setsbuf(pvm_setrbuf(0)) == inner);
    SEE(loop());
    SEE(next());
}

int main(void)
{
    observe();
    me = pvm_mytid();
    plain_see(PvmDataDefault);
    plain_see(PvmDataRaw);
    negative_see(PvmDataDefault);
    negative_see(PvmDataRaw);
    wide_see(PvmDataDefault);
    wide_see(PvmDataRaw);
    mixed_see();
    ways_see();
    pvm_exit();
    return 0;
}
