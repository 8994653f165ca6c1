/* A buffer in the roles of sending and receiving: cursors, what is kept and what is overwritten. */
#include "observe.h"

static int me;

static int filled(int encoding, int first, int count)
{
    int buffer = pvm_mkbuf(encoding);
    pvm_setsbuf(buffer);
    for (int i = 0; i < count; i++, first++)
        pvm_pkint(&first, 1, 1);
    pvm_setsbuf(0);
    return buffer;
}

static int next(void)
{
    int value = -1, error = pvm_upkint(&value, 1, 1);
    return error < 0 ? error : value;
}

static int put(int value)
{
    return pvm_pkint(&value, 1, 1);
}

static void packed_see(int encoding)
{
    int buffer = filled(encoding, 1, 3);

    AREA("unpacking what was packed");
    SEE(encoding);
    SEE(pvm_setrbuf(buffer));
    SEE(next());
    SEE(next());
    AREA("packing on where it was unpacked");
    SEE(pvm_setsbuf(buffer));
    SEE(pvm_getrbuf());
    SEE(put(9));
    SEE(length_of(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(next());
    SEE(next());
    SEE(next());
    SEE(next());
    SEE(next());
    AREA("switching without packing");
    SEE(pvm_setsbuf(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(next());
    AREA("switching to and fro, then packing");
    SEE(pvm_setsbuf(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(put(10));
    SEE(length_of(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(put(11));
    SEE(length_of(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(pvm_setsbuf(0));
    SEE(next());
    SEE(pvm_setsbuf(buffer));
    SEE(pvm_setsbuf(0) == buffer);
    SEE(pvm_setrbuf(buffer));
    SEE(next());
    SEE(pvm_setrbuf(0) == buffer);
    SEE(pvm_freebuf(buffer));
}

static void received_see(int encoding)
{
    int buffer;

    AREA("a received buffer");
    SEE(encoding);
    buffer = filled(encoding, 5, 3);
    pvm_setsbuf(buffer);
    pvm_send(me, 1);
    pvm_freebuf(buffer);
    buffer = pvm_recv(me, 1);
    SEE(next());
    SEE(pvm_setrbuf(0) == buffer);
    SEE(pvm_setrbuf(buffer));
    SEE(next());
    SEE(pvm_setrbuf(buffer) == buffer);
    SEE(next());
    SEE(next());
    SEE(pvm_setsbuf(buffer));
    SEE(pvm_send(me, 2));
    SEE(put(12));
    SEE(length_of(buffer));
    SEE(pvm_send(me, 3));
    SEE(length_of(pvm_recv(me, 2)));
    SEE(next());
    SEE(length_of(pvm_recv(me, 3)));
    SEE(next());
    SEE(next());
    SEE(pvm_freebuf(buffer));
    SEE(pvm_getsbuf());
}

static void never_read_see(int encoding)
{
    int buffer = filled(encoding, 1, 2);

    AREA("received, never unpacked, then packed");
    SEE(encoding);
    pvm_setsbuf(buffer);
    pvm_send(me, 6);
    SEE(pvm_freebuf(buffer));
    buffer = pvm_recv(me, 6);
    SEE(pvm_setsbuf(buffer));
    SEE(put(4));
    SEE(length_of(buffer));
    AREA("taken out of a message, then packed");
    SEE(pvm_setsbuf(pvm_mkbuf(encoding)) == buffer);
    SEE(pvm_pkmesg(buffer));
    SEE(pvm_send(me, 7));
    SEE(pvm_recv(me, 7) > 0);
    SEE((buffer = pvm_upkmesg()) > 0);
    SEE(pvm_setsbuf(buffer) > 0);
    SEE(put(5));
    SEE(length_of(buffer));
    SEE(pvm_setrbuf(buffer) > 0);
    SEE(next());
    SEE(next());
}

static void active_see(void)
{
    int a = filled(PvmDataDefault, 1, 1), b = filled(PvmDataDefault, 2, 1);

    AREA("which is active");
    SEE(pvm_setsbuf(a));
    SEE(pvm_setsbuf(a) == a);
    SEE(pvm_setrbuf(a) > 0);
    SEE(pvm_getsbuf());
    SEE(put(1));
    SEE(pvm_setsbuf(b));
    SEE(pvm_setrbuf(b) == a);
    SEE(pvm_getsbuf());
    SEE(next());
    SEE(pvm_freebuf(b));
    SEE(pvm_getrbuf());
    SEE(next());
    SEE(pvm_setsbuf(b));
    SEE(pvm_setrbuf(b));
    SEE(pvm_setrbuf(a));
    SEE(pvm_recv(me, (pvm_setsbuf(pvm_setrbuf(0)), pvm_send(me, 4), 4)) > 0);
    SEE(pvm_getsbuf() == a);
    SEE(pvm_initsend(PvmDataDefault) != a);
    SEE(pvm_freebuf(a));
    SEE(pvm_freebuf(pvm_getsbuf()));
    SEE(pvm_freebuf(pvm_getrbuf()));
    SEE(pvm_freebuf(pvm_getrbuf()));
    SEE(pvm_getsbuf() + pvm_getrbuf());
}

static void in_place_see(void)
{
    int values[2] = {7, 8}, buffer = pvm_mkbuf(PvmDataInPlace);

    AREA("in place");
    pvm_setsbuf(buffer);
    SEE(pvm_pkint(values, 2, 1));
    SEE(length_of(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(pvm_upkint(values, 1, 1));
    SEE(pvm_upkbyte((char *)values, 1, 1));
    SEE(pvm_upkint(values, 0, 1));
    SEE(pvm_setsbuf(buffer));
    SEE(pvm_send(me, 5));
    SEE(length_of(buffer));
    SEE(length_of(pvm_recv(me, 5)));
    SEE(next());
    SEE(next());
    SEE(pvm_freebuf(buffer));
}

static void header_see(const char *what, int buffer)
{
    struct pvmminfo info = {-7, -7, -7, -7, -7, -7, -7, -7};
    int result = pvm_getminfo(buffer, &info);

    printf("%s: %d, len %d ctx %d tag %d wid %d enc %x crc %d src %x dst %x\n", what, result,
           info.len, info.ctx, info.tag, info.wid, (unsigned)info.enc, info.crc, (unsigned)info.src,
           (unsigned)info.dst);
}

static void headers_see(void)
{
    struct pvmminfo info = {99, 5, 6, 7, 8, 9, 10, 11};
    int buffer = filled(PvmDataDefault, 1, 2), other = me + 5;

    AREA("headers");
    header_see("packed", buffer);
    pvm_setsbuf(buffer);
    pvm_setcontext(44);
    pvm_send(other, 17);
    header_see("sent to another", buffer);
    pvm_mcast(&other, 1, 18);
    header_see("sent to many", buffer);
    pvm_send(me, 19);
    header_see("received", pvm_recv(me, 19));
    pvm_setcontext(0);
    SEE(pvm_setminfo(buffer, &info));
    header_see("set", buffer);
    pvm_send(me, 20);
    header_see("sent after that", buffer);
    header_see("received", pvm_recv(-1, 20));
    SEE(pvm_setminfo(pvm_getrbuf(), &info));
    header_see("set in a received one", pvm_getrbuf());
    SEE(next());
    SEE(pvm_setsbuf(0) == buffer);
    pvm_initsend(PvmDataRaw);
    put(3);
    header_see("raw", pvm_getsbuf());
    pvm_send(me, 21);
    header_see("raw received", pvm_recv(-1, 21));
    pvm_initsend(PvmDataInPlace);
    pvm_pkint(&other, 1, 1);
    header_see("in place", pvm_getsbuf());
    pvm_send(me, 22);
    header_see("in place received", pvm_recv(-1, 22));
    header_see("none", 0);
    header_see("negative", -4);
    header_see("unknown", 4444);
    SEE(pvm_setminfo(0, &info));
    SEE(pvm_setminfo(-1, &info));
    SEE(pvm_setminfo(4444, &info));
    SEE(pvm_freebuf(buffer));
    header_see("freed", buffer);
}

int main(void)
{
    observe();
    me = pvm_mytid();
    packed_see(PvmDataDefault);
    packed_see(PvmDataRaw);
    received_see(PvmDataDefault);
    received_see(PvmDataRaw);
    never_read_see(PvmDataDefault);
    never_read_see(PvmDataRaw);
    pvm_setsbuf(0);
    pvm_setrbuf(0);
    active_see();
    in_place_see();
    headers_see();
    pvm_exit();
    return 0;
}
