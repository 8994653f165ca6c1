/* Message buffers: making, freeing, choosing, asking, and which ids come again. */
#include "observe.h"
#include <pvm3.h>

static int me;

static void info_see(const char *what, int buffer)
{
    int bytes = -7, tag = -7, tid = -7;
    int result = pvm_bufinfo(buffer, &bytes, &tag, &tid);
    printf("%s: %d, %d bytes, tag %d, tid %x\n", what, result, bytes, tag, (unsigned)tid);
}

static void ids_see(void)
{
    int a, b, c;

    AREA("ids");
    SEE(pvm_getsbuf());
    SEE(pvm_getrbuf());
    SEE((a = pvm_mkbuf(PvmDataDefault)) > 0);
    SEE((b = pvm_mkbuf(PvmDataRaw)) > 0);
    SEE((c = pvm_mkbuf(PvmDataInPlace)) > 0);
    SEE(pvm_getsbuf());
    SEE(pvm_freebuf(b));
    SEE(pvm_freebuf(a));
    SEE(pvm_mkbuf(PvmDataDefault) == a);
    SEE(pvm_mkbuf(PvmDataDefault) == b);
    SEE(pvm_freebuf(a));
    SEE(pvm_freebuf(a));
    SEE(pvm_freebuf(b));
    SEE(pvm_freebuf(c));
    SEE(pvm_freebuf(0));
    SEE(pvm_freebuf(-1));
    SEE(pvm_freebuf(12345));
    SEE(pvm_freebuf(1 << 30));
}

static void active_see(void)
{
    int a = pvm_mkbuf(PvmDataDefault), b = pvm_mkbuf(PvmDataDefault), first;

    AREA("the active buffers");
    SEE(pvm_setsbuf(a));
    SEE(pvm_getsbuf() == a);
    SEE(pvm_setsbuf(b) == a);
    SEE(pvm_setrbuf(b));
    SEE(pvm_getsbuf());
    SEE(pvm_getrbuf() == b);
    SEE(pvm_setsbuf(b));
    SEE(pvm_getrbuf());
    SEE(pvm_setsbuf(0) == b);
    SEE(pvm_setsbuf(-1));
    SEE(pvm_setsbuf(12345));
    SEE(pvm_setrbuf(-1));
    SEE(pvm_setrbuf(12345));
    pvm_setsbuf(a);
    SEE(pvm_freebuf(a));
    SEE(pvm_getsbuf());
    SEE(pvm_freebuf(b));
    AREA("initsend frees the buffer before it");
    SEE((first = pvm_initsend(PvmDataDefault)) > 0);
    SEE(pvm_initsend(PvmDataRaw) > 0);
    SEE(pvm_initsend(7));
    SEE(pvm_getsbuf() > 0);
    SEE(pvm_initsend(PvmDataDefault) == first);
}

static void information_see(void)
{
    int value = 5, buffer;

    AREA("what bufinfo tells");
    buffer = pvm_initsend(PvmDataDefault);
    info_see("empty", buffer);
    pvm_pkint(&value, 1, 1);
    info_see("an int", buffer);
    pvm_send(me, 77);
    info_see("sent", buffer);
    info_see("received", pvm_recv(-1, -1));
    info_see("zero", 0);
    info_see("negative", -3);
    info_see("unknown", 12345);
    SEE(pvm_bufinfo(pvm_getrbuf(), NULL, NULL, NULL));
    buffer = pvm_initsend(PvmDataInPlace);
    pvm_pkint(&value, 1, 1);
    info_see("in place", buffer);
}

static void again_see(void)
{
    int value = 5, other = 6, got = 0, buffer, received;

    AREA("a buffer that was sent can grow and be sent again");
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(me, 1);
    pvm_pkint(&other, 1, 1);
    pvm_send(me, 2);
    info_see("first", pvm_recv(me, 1));
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE(pvm_upkint(&got, 1, 1));
    info_see("second", pvm_recv(me, 2));
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE((pvm_upkint(&got, 1, 1), got));
    AREA("a received buffer can be forwarded");
    received = pvm_recv(me, (pvm_send(me, 3), 3));
    SEE(pvm_setsbuf(pvm_setrbuf(0)) > 0);
    SEE(pvm_send(me, 4));
    SEE((buffer = pvm_recv(me, 4)) > 0 && buffer != received);
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE((pvm_upkint(&got, 1, 1), got));
    AREA("reading is resumed where it was left");
    received = pvm_recv(me, (pvm_setsbuf(received), pvm_send(me, 5), 5));
    pvm_upkint(&got, 1, 1);
    SEE(pvm_setrbuf(0) == received);
    SEE(pvm_setrbuf(received));
    SEE((pvm_upkint(&got, 1, 1), got));
    AREA("a receive frees the buffer before it");
    pvm_send(me, 6);
    SEE(pvm_recv(me, 6) > 0);
    pvm_send(me, 7);
    SEE((received = pvm_setrbuf(0)) > 0);
    SEE(pvm_recv(me, 7) != received);
    SEE(pvm_bufinfo(received, NULL, NULL, NULL));
    SEE(pvm_nrecv(me, 8));
    SEE(pvm_getrbuf());
}

static void messages_see(void)
{
    int value = 41, got = 0, inner, outer, unpacked;

    AREA("messages in messages");
    inner = pvm_mkbuf(PvmDataDefault);
    pvm_setsbuf(inner);
    pvm_pkint(&value, 1, 1);
    outer = pvm_mkbuf(PvmDataDefault);
    pvm_setsbuf(outer);
    SEE(pvm_pkmesg(inner));
    info_see("outer", outer);
    SEE(pvm_pkmesgbody(inner));
    info_see("outer", outer);
    SEE(pvm_pkmesg(outer));
    SEE(pvm_pkmesg(0));
    SEE(pvm_pkmesg(12345));
    SEE(pvm_pkmesgbody(12345));
    pvm_send(me, 9);
    SEE(pvm_recv(me, 9) > 0);
    SEE((unpacked = pvm_upkmesg()) > 0);
    info_see("unpacked", unpacked);
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE(pvm_upkmesg());
    SEE(pvm_setrbuf(unpacked) > 0);
    got = 0;
    SEE((pvm_upkint(&got, 1, 1), got));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    ids_see();
    active_see();
    information_see();
    again_see();
    messages_see();
    pvm_exit();
    return 0;
}
