/* Packing and unpacking: sizes on the wire, strides, the end of the data, and errors. */
#include "observe.h"
#include <pvm3.h>
#include <string.h>

static int me;

/* Bytes in the active send buffer. */
static int packed(void)
{
    int bytes = -1;
    pvm_bufinfo(pvm_getsbuf(), &bytes, NULL, NULL);
    return bytes;
}

/* Send the active buffer to this task itself and make it the active receive buffer. */
static int loop(void)
{
    pvm_send(me, 1);
    return pvm_recv(me, 1) > 0;
}

static void sizes_see(int encoding)
{
    char bytes[5] = "abcd";
    short shorts[3] = {1, -2, 3};
    int ints[3] = {1, -2, 3};
    long longs[3] = {1, 2, 3};
    float floats[4] = {1, 2, 3, 4};
    double doubles[4] = {1, 2, 3, 4};

    AREA("bytes in the buffer after each call");
    SEE(encoding);
    pvm_initsend(encoding);
    SEE((pvm_pkbyte(bytes, 1, 1), packed()));
    SEE((pvm_pkbyte(bytes, 5, 1), packed()));
    SEE((pvm_pkbyte(bytes, 4, 1), packed()));
    SEE((pvm_pkshort(shorts, 3, 1), packed()));
    SEE((pvm_pkushort((unsigned short *)shorts, 1, 1), packed()));
    SEE((pvm_pkint(ints, 3, 1), packed()));
    SEE((pvm_pkuint((unsigned *)ints, 1, 1), packed()));
    SEE((pvm_pklong(longs, 3, 1), packed()));
    SEE((pvm_pkulong((unsigned long *)longs, 1, 1), packed()));
    SEE((pvm_pkfloat(floats, 4, 1), packed()));
    SEE((pvm_pkdouble(doubles, 4, 1), packed()));
    SEE((pvm_pkcplx(floats, 2, 1), packed()));
    SEE((pvm_pkdcplx(doubles, 2, 1), packed()));
    SEE((pvm_pkstr(""), packed()));
    SEE((pvm_pkstr("abc"), packed()));
    SEE((pvm_pkstr("abcd"), packed()));
    SEE(loop());
    SEE((pvm_bufinfo(pvm_getrbuf(), ints, NULL, NULL), ints[0]));
}

static void ints_see(const char *what, const int *values, int count)
{
    printf("%s:", what);
    for (int i = 0; i < count; i++)
        printf(" %d", values[i]);
    printf("\n");
}

static void strides_see(int encoding)
{
    int source[8] = {10, 11, 12, 13, 14, 15, 16, 17}, target[8];

    AREA("strides");
    SEE(encoding);
    pvm_initsend(encoding);
    SEE(pvm_pkint(source, 3, 2));
    SEE(pvm_pkint(source, 2, 0));
    SEE(pvm_pkint(source + 7, 3, -3));
    SEE(pvm_pkint(source, 0, 5));
    SEE(packed());
    loop();
    memset(target, 0, sizeof target);
    SEE(pvm_upkint(target, 3, 3));
    ints_see("three with stride 3", target, 8);
    memset(target, 0, sizeof target);
    SEE(pvm_upkint(target, 2, 0));
    ints_see("two with stride 0", target, 8);
    SEE(pvm_upkint(target + 7, 3, -1));
    ints_see("three with stride -1", target, 8);
    SEE(pvm_upkint(target, 1, 1));
    SEE(pvm_upkint(target, 0, 1));
}

static void end_see(void)
{
    int ints[4] = {1, 2, 3, 4}, got[4] = {0};
    char text[8] = "";

    AREA("the end of the data");
    pvm_initsend(PvmDataDefault);
    pvm_pkint(ints, 3, 1);
    loop();
    SEE(pvm_upkint(got, 4, 1));
    ints_see("what was there is stored", got, 4);
    SEE(pvm_upkint(got, 1, 1));
    SEE(pvm_upkbyte(text, 1, 1));
    SEE(pvm_upkstr(text));
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte("abc", 3, 1);
    loop();
    SEE(pvm_upkint(got, 1, 1));
    SEE(pvm_upkbyte(text, 3, 1));
}

static void errors_see(void)
{
    int one = 1, old;
    short small = 1;

    AREA("errors");
    SEE((old = pvm_setsbuf(0)) > 0);
    SEE(pvm_pkint(&one, 1, 1));
    SEE(pvm_pkint(&one, 0, 1));
    SEE(pvm_pkint(&one, -1, 1));
    SEE(pvm_pkstr("x"));
    SEE(pvm_packf("%d", 1));
    pvm_setsbuf(old);
    SEE(pvm_pkint(&one, -1, 1));
    SEE(pvm_pkbyte((char *)&one, -2, 1));
    SEE(pvm_pkdcplx(NULL, 0, 1));
    pvm_setrbuf(0);
    SEE(pvm_upkint(&one, 1, 1));
    SEE(pvm_upkint(&one, 0, 1));
    SEE(pvm_upkint(&one, -1, 1));
    SEE(pvm_upkstr((char *)&one));
    SEE(pvm_unpackf("%d", &one));
    pvm_initsend(PvmDataInPlace);
    SEE(pvm_pkint(&one, 1, 2));
    SEE(pvm_pkint(&one, 0, 2));
    SEE(pvm_pkstr("x"));
    SEE(pvm_pkshort(&small, 1, 1));
    SEE(packed());
    SEE(pvm_initsend(3));
    SEE(pvm_initsend(-1));
    SEE(pvm_mkbuf(99));
}

static void in_place_see(void)
{
    int values[3] = {1, 2, 3}, got[3] = {0};

    AREA("in place: data are read when sent");
    pvm_initsend(PvmDataInPlace);
    pvm_pkint(values, 3, 1);
    values[1] = 22;
    loop();
    SEE(pvm_upkint(got, 3, 1));
    ints_see("got", got, 3);
    AREA("default: data are read when packed");
    pvm_initsend(PvmDataDefault);
    pvm_pkint(values, 3, 1);
    values[1] = 33;
    loop();
    SEE(pvm_upkint(got, 3, 1));
    ints_see("got", got, 3);
}

static void narrowing_see(void)
{
    unsigned short big = 65535, back = 0;
    unsigned int all = 0xffffffffu, all_back = 0;
    short low = -32768, low_back = 0;
    int wide = 0;

    AREA("extremes in the default encoding");
    pvm_initsend(PvmDataDefault);
    pvm_pkushort(&big, 1, 1);
    pvm_pkushort(&big, 1, 1);
    pvm_pkuint(&all, 1, 1);
    pvm_pkshort(&low, 1, 1);
    loop();
    SEE((pvm_upkint(&wide, 1, 1), wide));
    SEE((pvm_upkushort(&back, 1, 1), back));
    SEE((pvm_upkuint(&all_back, 1, 1), all_back));
    SEE((pvm_upkshort(&low_back, 1, 1), low_back));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    sizes_see(PvmDataDefault);
    sizes_see(PvmDataRaw);
    strides_see(PvmDataDefault);
    strides_see(PvmDataRaw);
    end_see();
    errors_see();
    in_place_see();
    narrowing_see();
    pvm_exit();
    return 0;
}
