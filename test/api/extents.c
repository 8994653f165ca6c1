/* Which length a buffer has, as it is packed, sent, unpacked and packed again. */
#include "observe.h"

static int me;

static int told_length(int buffer)
{
    struct pvmminfo info = {0};
    int bytes = -1, result = pvm_bufinfo(buffer, &bytes, NULL, NULL);

    pvm_getminfo(buffer, &info);
    return result < 0 ? result : info.len == bytes ? bytes : -1000 - info.len;
}

static void life_see(int encoding)
{
    static int values[3];
    struct pvmminfo info = {0};
    int buffer = pvm_mkbuf(encoding), other;

    AREA("a buffer of the own");
    printf("encoding %d\n", encoding);
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(pvm_pkint(values, 3, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(first_int());
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_pkint(values, 1, 1));
    SEE(told_length(buffer));
    SEE(pvm_send(me, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(0) == buffer);
    SEE(told_length(buffer));
    SEE(pvm_setminfo(buffer, &info));
    SEE(told_length(buffer));
    SEE(pvm_recv(me, 1) > 0);
    AREA("a received one");
    buffer = pvm_getrbuf();
    SEE(told_length(buffer));
    SEE(first_int());
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_pkint(values, 2, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_send(me, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(0) == buffer);
    AREA("one in another");
    pvm_initsend(encoding);
    SEE(pvm_pkmesg(buffer));
    SEE(told_length(buffer));
    other = pvm_getsbuf();
    SEE(pvm_setrbuf(other));
    SEE((buffer = pvm_upkmesg()) > 0);
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_pkint(values, 2, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer) > 0);
    SEE(told_length(buffer));
    pvm_freebuf(other);
    pvm_freebuf(pvm_setrbuf(0));
    while (pvm_recv(me, 1) < 0)
        continue;
    pvm_freebuf(pvm_setrbuf(0));
}

static void unasked_see(void)
{
    int value = 5, buffer = pvm_initsend(PvmDataRaw);

    AREA("nobody has asked before");
    SEE(pvm_pkint(&value, 1, 1));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(first_int());
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_freebuf(buffer));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    life_see(PvmDataDefault);
    life_see(PvmDataRaw);
    unasked_see();
    pvm_exit();
    return 0;
}
