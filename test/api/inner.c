/* Messages within messages: pvm_pkmesg, pvm_upkmesg and pvm_pkmesgbody, and what each refuses. */
#include "observe.h"

extern int pvm_errno;

static int me;

/* A buffer with `count` integers from `first`. */
static int filled(int encoding, int first, int count)
{
    int buffer = pvm_mkbuf(encoding), old = pvm_setsbuf(buffer);
    for (int i = 0; i < count; i++, first++)
        pvm_pkint(&first, 1, 1);
    pvm_setsbuf(old);
    return buffer;
}

static int next(void)
{
    int value = -1, error = pvm_upkint(&value, 1, 1);
    return error < 0 ? error : value;
}

static void header_see(const char *what, int buffer)
{
    struct pvmminfo info = {-7, -7, -7, -7, -7, -7, -7, -7};
    int result = pvm_getminfo(buffer, &info);

    printf("%s: %d, len %d ctx %d tag %d wid %d enc %x src %x dst %x\n", what, result, info.len,
           info.ctx, info.tag, info.wid, (unsigned)info.enc, (unsigned)info.src,
           (unsigned)info.dst);
}

static void whole_see(int outer, int inner)
{
    struct pvmminfo info = {0, 3, 4, 5, 0, 0, 0x40007, 0x40008};
    int packed = filled(inner, 40, 3), taken, buffer, value = 99;

    AREA("a message in a message");
    printf("outer encoding %d, inner encoding %d\n", outer, inner);
    SEE(pvm_setminfo(packed, &info));
    SEE((buffer = pvm_initsend(outer)) > 0);
    SEE(pvm_pkmesg(packed));
    SEE(length_of(buffer));
    SEE(pvm_pkint(&value, 1, 1));
    SEE(pvm_send(me, 1));
    SEE(pvm_recv(me, 1) > 0);
    SEE((taken = pvm_upkmesg()) > 0);
    header_see("taken out", taken);
    SEE(next());
    SEE(pvm_upkmesg());
    SEE(pvm_setrbuf(taken) > 0);
    SEE(next());
    SEE(next());
    SEE(next());
    SEE(next());
    SEE(pvm_setsbuf(taken) > 0);
    SEE(pvm_send(me, 2));
    SEE(pvm_recv(me, 2) > 0);
    SEE(next());
    SEE(pvm_freebuf(taken));
    SEE(pvm_freebuf(packed));
}

static void sizes_see(int outer)
{
    int empty = pvm_mkbuf(PvmDataDefault), large = filled(PvmDataDefault, 1, 3000), taken;

    AREA("sizes");
    SEE(outer);
    pvm_initsend(outer);
    SEE(pvm_pkmesg(empty));
    SEE(length_of(pvm_getsbuf()));
    SEE(pvm_pkmesg(large));
    SEE(length_of(pvm_getsbuf()));
    pvm_send(me, 3);
    pvm_recv(me, 3);
    SEE((taken = pvm_upkmesg()) > 0);
    SEE(length_of(taken));
    SEE(pvm_freebuf(taken));
    SEE((taken = pvm_upkmesg()) > 0);
    SEE(length_of(taken));
    SEE(pvm_setrbuf(taken) > 0);
    for (int i = 1; i < 3000; i++)
        next();
    SEE(next());
    SEE(next());
    SEE(pvm_freebuf(taken));
    SEE(pvm_freebuf(empty));
    SEE(pvm_freebuf(large));
}

static void empty_see(void)
{
    int empty = pvm_initsend(PvmDataDefault), value = 7, taken;

    AREA("an empty buffer that was the send buffer");
    SEE(pvm_setsbuf(0) == empty);
    pvm_initsend(PvmDataDefault);
    SEE(pvm_pkmesg(empty));
    SEE(length_of(pvm_getsbuf()));
    pvm_pkint(&value, 1, 1);
    pvm_send(me, 5);
    pvm_recv(me, 5);
    SEE((taken = pvm_upkmesg()) > 0);
    SEE(length_of(taken));
    SEE(next());
    SEE(pvm_freebuf(taken));
    SEE(pvm_freebuf(empty));
}

static void bodies_see(int encoding)
{
    int body = filled(encoding, 7, 2), other = filled(encoding, 70, 1), value = 9;

    AREA("bodies");
    SEE(encoding);
    SEE(pvm_initsend(encoding) > 0);
    SEE(pvm_pkmesgbody(body));
    SEE(length_of(pvm_getsbuf()));
    SEE(pvm_pkint(&value, 1, 1));
    SEE(pvm_pkmesgbody(body));
    SEE(pvm_pkmesgbody(other));
    SEE(length_of(pvm_getsbuf()));
    SEE(length_of(body));
    SEE(pvm_freebuf(body));
    SEE(pvm_freebuf(other));
    SEE(pvm_send(me, 4));
    SEE(pvm_recv(me, 4) > 0);
    SEE(next());
    SEE(next());
    SEE(next());
    SEE(next());
    SEE(next());
    SEE(next());
    SEE(next());
}

static void refused_see(void)
{
    int raw = filled(PvmDataRaw, 1, 1), in_place = pvm_mkbuf(PvmDataInPlace), active;

    AREA("what is refused");
    pvm_errno = 0;
    active = pvm_initsend(PvmDataDefault);
    SEE(pvm_pkmesg(-1));
    SEE(pvm_pkmesg(0));
    SEE(pvm_pkmesg(4444));
    SEE(pvm_pkmesg(active));
    SEE(pvm_pkmesgbody(-1));
    SEE(pvm_pkmesgbody(0));
    SEE(pvm_pkmesgbody(4444));
    SEE(pvm_pkmesgbody(active));
    SEE(pvm_pkmesgbody(raw));
    SEE(pvm_pkmesgbody(in_place));
    SEE(length_of(active));
    SEE(pvm_setsbuf(0) == active);
    SEE(pvm_pkmesg(active));
    SEE(pvm_pkmesgbody(active));
    SEE(pvm_setrbuf(0) > 0);
    SEE(pvm_upkmesg());
    SEE(pvm_setrbuf(active));
    SEE(pvm_upkmesg());
    SEE(pvm_setrbuf(raw) == active);
    SEE(pvm_upkmesg());
    SEE(pvm_errno);
    SEE(pvm_freebuf(in_place));
    SEE(pvm_freebuf(raw));
    SEE(pvm_freebuf(active));
}

/* What no pvm_pkmesg has packed: the length of a message, then fragments and one number more. */
static void nonsense_see(int length, const int *fragments, int count)
{
    int header[8] = {length, 1, 2, 0, 0x10000000, 0, me, me}, last = 77, buffer;

    AREA("what is no message");
    printf("length %d, fragments", length);
    for (int i = 0; i < count; i++)
        printf(" %d", fragments[i]);
    printf("\n");
    pvm_initsend(PvmDataDefault);
    pvm_pkint(header, 8, 1);
    pvm_pkint((int *)fragments, count, 1);
    pvm_pkint(&last, 1, 1);
    pvm_send(me, 1);
    pvm_recv(me, 1);
    buffer = pvm_upkmesg();
    SEE(buffer > 0 ? 0 : buffer);
    if (buffer > 0)
        SEE(length_of(buffer));
    SEE(next());
}

int main(void)
{
    observe();
    me = pvm_mytid();
    whole_see(PvmDataDefault, PvmDataDefault);
    whole_see(PvmDataDefault, PvmDataRaw);
    whole_see(PvmDataRaw, PvmDataDefault);
    whole_see(PvmDataRaw, PvmDataRaw);
    sizes_see(PvmDataDefault);
    sizes_see(PvmDataRaw);
    empty_see();
    bodies_see(PvmDataDefault);
    bodies_see(PvmDataRaw);
    refused_see();
    nonsense_see(8, (int[]){4, 1, 4, 2}, 4);
    nonsense_see(8, (int[]){4, 1}, 2);
    nonsense_see(0x7fffffff, (int[]){4, 1}, 2);
    nonsense_see(8, (int[]){12, 1}, 2);
    nonsense_see(4, (int[]){8, 1, 2}, 3);
    nonsense_see(8, (int[]){0, 4, 1}, 3);
    nonsense_see(8, (int[]){-1, 4, 1, 4, 2}, 5);
    nonsense_see(-1, (int[]){4, 1}, 2);
    pvm_exit();
    return 0;
}
