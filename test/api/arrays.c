/* pvm_psend and pvm_precv: every type, every kind of message, what is cut and what is refused. */
#include "observe.h"
#include <string.h>

static const struct {
    const char *name;
    int code, size;
} types[] = {
    {"byte", PVM_BYTE, 1},    {"short", PVM_SHORT, 2}, {"int", PVM_INT, 4},
    {"float", PVM_FLOAT, 4},  {"cplx", PVM_CPLX, 8},   {"double", PVM_DOUBLE, 8},
    {"dcplx", PVM_DCPLX, 16}, {"long", PVM_LONG, 8},   {"ushort", PVM_USHORT, 2},
    {"uint", PVM_UINT, 4},    {"ulong", PVM_ULONG, 8},
};

static int me;

static int first_difference(const char *a, const char *b, int size)
{
    for (int i = 0; i < size; i++)
        if (a[i] != b[i])
            return i;
    return size;
}

static void types_see(void)
{
    char source[128], target[128];
    int tid, tag, length;

    AREA("each type: five sent, three and seven received");
    for (int i = 0; i < 128; i++)
        source[i] = (char)(i + 1);
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        for (int wanted = 3; wanted <= 7; wanted += 4) {
            memset(target, 0, sizeof target);
            tid = tag = length = -7;
            int sent = pvm_psend(me, 30 + types[i].code, source, 5, types[i].code);
            int got = pvm_precv(-1, -1, target, wanted, types[i].code, &tid, &tag, &length);
            printf("%s: %d %d, from %s, tag %d, length %d, %d bytes\n", types[i].name, sent, got,
                   tid == me ? "me" : "another", tag, length,
                   first_difference(source, target, 128));
        }
    }
}

static void refused_see(void)
{
    int value = 0;

    AREA("types that are none");
    for (int code = -1; code <= 13; code++) {
        if (code >= 1 && code <= 11)
            continue;
        printf("%d\n", code);
        SEE(pvm_psend(me, 1, &value, 1, code));
        SEE(pvm_precv(me, 1, &value, 1, code, NULL, NULL, NULL));
    }
    AREA("where to and which tag");
    SEE(pvm_psend(-1, 1, &value, 1, PVM_INT));
    SEE(pvm_psend(0x40000, 1, &value, 1, PVM_INT));
    SEE(pvm_psend(me | 0x40000000, 1, &value, 1, PVM_INT));
    SEE(pvm_psend(me, -2, &value, 1, PVM_INT));
    SEE(pvm_psend(me + 77, 1, &value, 1, PVM_INT));
    SEE(pvm_psend(0xc0001, 1, &value, 1, PVM_INT));
}

static void packed_see(int encoding)
{
    int values[3] = {1, 2, 3}, length = -7;
    unsigned char bytes[16] = {0};

    AREA("a packed message comes as its bytes");
    SEE(encoding);
    pvm_initsend(encoding);
    pvm_pkint(values, 3, 1);
    pvm_pkstr("abc");
    pvm_send(me, 2);
    SEE(pvm_precv(me, 2, bytes, 16, PVM_BYTE, NULL, NULL, &length));
    SEE(length);
    for (int i = 0; i < 16; i++)
        printf("%d%c", bytes[i], i < 15 ? ' ' : '\n');
}

static void buffers_see(void)
{
    int values[3] = {1, 2, 3}, got[3] = {0}, sent, received, length;

    AREA("the active buffers");
    sent = pvm_initsend(PvmDataDefault);
    pvm_pkint(values, 1, 1);
    pvm_send(me, 3);
    received = pvm_recv(me, 3);
    SEE(pvm_psend(me, 4, values, 3, PVM_INT));
    SEE(pvm_getsbuf() == sent);
    SEE(pvm_precv(me, 4, got, 3, PVM_INT, NULL, NULL, NULL));
    SEE(pvm_getrbuf() == received);
    SEE((pvm_upkint(got, 1, 1), got[0]));
    AREA("contexts");
    pvm_setcontext(5);
    SEE(pvm_psend(me, 5, values, 1, PVM_INT));
    pvm_setcontext(0);
    SEE(pvm_psend(me, 5, values, 2, PVM_INT));
    SEE(pvm_precv(me, 5, got, 3, PVM_INT, NULL, NULL, &length));
    SEE(length);
    pvm_setcontext(5);
    SEE(pvm_precv(me, 5, got, 3, PVM_INT, NULL, NULL, &length));
    SEE(length);
    pvm_setcontext(0);
}

static void header_see(void)
{
    struct pvmminfo info;
    int value = 258, got = 0;

    AREA("what a receiver sees of psend");
    SEE(pvm_psend(me, 6, &value, 1, PVM_INT));
    SEE(pvm_recv(me, 6) > 0);
    SEE(pvm_getminfo(pvm_getrbuf(), &info));
    printf("len %d ctx %d tag %d wid %d enc %x crc %d src %x dst %x\n", info.len, info.ctx,
           info.tag, info.wid, (unsigned)info.enc, info.crc, (unsigned)info.src,
           (unsigned)info.dst);
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE(pvm_upkint(&got, 1, 1));
    AREA("nothing");
    SEE(pvm_psend(me, 7, &value, 0, PVM_INT));
    SEE(pvm_precv(me, 7, NULL, 0, PVM_DCPLX, NULL, NULL, &got));
    SEE(got);
    SEE(pvm_psend(me, 8, NULL, 0, PVM_BYTE));
    SEE(pvm_recv(me, 8) > 0);
    SEE(pvm_upkint(&got, 1, 1));
}

static void large_see(void)
{
    static char source[1000003], target[1000003];
    int length;

    AREA("more than a fragment");
    for (int i = 0; i < (int)sizeof source; i++)
        source[i] = (char)(i * 7 % 251);
    SEE(pvm_psend(me, 9, source, sizeof source, PVM_BYTE));
    SEE(pvm_precv(me, 9, target, sizeof target, PVM_BYTE, NULL, NULL, &length));
    SEE(length);
    SEE(first_difference(source, target, sizeof target));
    pvm_initsend(PvmDataDefault);
    SEE(pvm_pkbyte(source, sizeof source, 1));
    pvm_send(me, 10);
    memset(target, 0, sizeof target);
    SEE(pvm_precv(me, 10, target, 5000, PVM_BYTE, NULL, NULL, &length));
    SEE(length);
    SEE(first_difference(source, target, sizeof target));
    SEE(pvm_psend(me, 11, source, 50000, PVM_DCPLX));
    SEE(pvm_recv(me, 11) > 0);
    SEE(pvm_upkbyte(target, 800000, 1));
    SEE(pvm_upkbyte(target, 1, 1));
    SEE(first_difference(source, target, 800000));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    types_see();
    refused_see();
    packed_see(PvmDataDefault);
    packed_see(PvmDataRaw);
    packed_see(PvmDataInPlace);
    buffers_see();
    header_see();
    large_see();
    pvm_exit();
    return 0;
}
