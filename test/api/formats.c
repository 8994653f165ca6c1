/*
 * The grammar of pvm_packf and pvm_unpackf: every conversion, count, stride, modifier and oddity.
 */
#include "observe.h"
#include <stdarg.h>
#include <string.h>

int pvm_vpackf(const char *format, va_list arguments);
int pvm_vunpackf(const char *format, va_list arguments);

static int me;

static int packed(void)
{
    int bytes = -1;

    pvm_bufinfo(pvm_getsbuf(), &bytes, NULL, NULL);
    return bytes;
}

static void loop(void)
{
    pvm_send(me, 1);
    pvm_recv(me, 1);
}

/* What a format packs into a fresh buffer: the result, and the bytes of the body. */
#define BODY_SEE(...) FORM_SEE(PvmDataDefault, __VA_ARGS__)

/* The same without what fills words up. */
#define RAW_SEE(...) FORM_SEE(PvmDataRaw, __VA_ARGS__)

#define FORM_SEE(encoding, ...)                                                                    \
    pvm_initsend(encoding);                                                                        \
    printf("%s: %d, ", #__VA_ARGS__, pvm_packf(__VA_ARGS__));                                      \
    body_print();

static void body_print(void)
{
    unsigned char bytes[64] = {0};
    int length = packed();

    pvm_send(me, 3);
    pvm_precv(me, 3, bytes, length < 64 ? length : 64, PVM_BYTE, NULL, NULL, NULL);
    printf("%d bytes", length);
    for (int i = 0; i < length && i < 64; i++)
        printf("%s%02x", i % 4 ? "" : " ", bytes[i]);
    printf("\n");
}

static void values_see(void)
{
    AREA("single values");
    RAW_SEE("%c", 'A')
    BODY_SEE("%d", -2)
    BODY_SEE("%ud", 4000000000u)
    BODY_SEE("%hd", -3)
    BODY_SEE("%hud", 65535)
    BODY_SEE("%uhd", 65535)
    BODY_SEE("%ld", 77L)
    BODY_SEE("%lud", 4000000000UL)
    BODY_SEE("%uld", 4000000000UL)
    BODY_SEE("%f", 1.5)
    BODY_SEE("%lf", -2.5)
    RAW_SEE("%s", "string")
    RAW_SEE("%s", "")
    BODY_SEE("%hhd", 5)
    BODY_SEE("%lld", 5L)
    BODY_SEE("%hld", 5L)
    BODY_SEE("%lhd", 5L)
    RAW_SEE("%uc", 'B')
    RAW_SEE("%lc", 'C')
    BODY_SEE("%hf", 2.0)
    RAW_SEE("%ls", "long")
}

static void arrays_see(void)
{
    int ints[6] = {1, 2, 3, 4, 5, 6};
    char bytes[] = "abcdef";
    short shorts[4] = {-1, 2, -3, 4};
    float floats[4] = {1, 2, 3, 4};
    double doubles[4] = {1, 2, 3, 4};

    AREA("arrays");
    BODY_SEE("%3d", ints)
    BODY_SEE("%1d", ints)
    BODY_SEE("%0d", ints)
    BODY_SEE("%.1d", ints)
    BODY_SEE("%2.2d", ints)
    BODY_SEE("%3.0d", ints + 4)
    BODY_SEE("%*d", 2, ints)
    BODY_SEE("%*.*d", 2, 3, ints)
    BODY_SEE("%*.*d", 2, -1, ints + 1)
    BODY_SEE("%.*d", 2, ints)
    BODY_SEE("%2.*d", 2, ints)
    RAW_SEE("%5c", bytes)
    RAW_SEE("%3.2c", bytes)
    BODY_SEE("%2hd", shorts)
    BODY_SEE("%2f", floats)
    BODY_SEE("%2lf", doubles)
    BODY_SEE("%x", floats)
    BODY_SEE("%2x", floats)
    BODY_SEE("%lx", doubles)
    BODY_SEE("%2.1lx", doubles)
    RAW_SEE("%2s", "two")
    RAW_SEE("%.2s", "two")
}

static void text_see(void)
{
    AREA("text and order");
    BODY_SEE("")
    BODY_SEE("nothing but text")
    BODY_SEE("%d%d", 1, 2)
    BODY_SEE(" %d, %d;", 1, 2)
    RAW_SEE("a%db%cc", 1, 'q')
    BODY_SEE("%d\n%%", 1)
    BODY_SEE("%d %+", 1, 1)
}

static void refused_see(void)
{
    AREA("what is refused");
    BODY_SEE("%", 1)
    BODY_SEE("%3", 1)
    BODY_SEE("%q", 1)
    BODY_SEE("%i", 1)
    BODY_SEE("%u", 1)
    BODY_SEE("%D", 1)
    BODY_SEE("%-3d", 1)
    BODY_SEE("% d", 1)
    BODY_SEE("%.d", (int[]){1})
    BODY_SEE("%3.d", (int[]){1, 2, 3})
    BODY_SEE("%*d", -1, (int[]){1})
    BODY_SEE("%d %q %d", 1, 2, 3)
    BODY_SEE("%p", 1)
    AREA("encodings");
    for (int encoding = -1; encoding <= 3; encoding++) {
        int value = 5;
        printf("%d: ", encoding);
        printf("%d, ", pvm_packf("%+ %*d", encoding, 1, &value));
        printf("%d bytes\n", packed());
    }
    SEE(pvm_packf("%+", PvmDataDefault));
    SEE(packed());
    SEE(pvm_packf(" %+", PvmDataRaw));
    SEE(pvm_setsbuf(0) > 0);
    SEE(pvm_packf("%d", 1));
    SEE(pvm_packf("text"));
    SEE(pvm_packf("%q"));
}

static int through(int (*call)(const char *, va_list), const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int result = call(format, arguments);
    va_end(arguments);
    return result;
}

static void read_see(void)
{
    char c = 0, text[16] = "";
    short h = 0;
    unsigned short uh = 0;
    int d[4] = {0}, one = 0;
    unsigned u = 0;
    long l = 0;
    unsigned long ul = 0;
    float f = 0, x[2] = {0};
    double g = 0, y[2] = {0};

    AREA("unpacking");
    SEE(through(pvm_vpackf, "%+ %c %hd %hd %d %d %ld %ld %f %lf %s", PvmDataDefault, 'z', -4, 65535,
                -5, 4000000000u, 66L, 4000000000L, 0.5, 0.25, "end"));
    loop();
    SEE(pvm_unpackf("%c %hd %uhd %d", &c, &h, &uh, &one));
    printf("%c %d %d %d\n", c, h, uh, one);
    SEE(through(pvm_vunpackf, "%ud, %ld, %uld, %f", &u, &l, &ul, &f));
    printf("%u %ld %lu %g\n", u, l, ul, f);
    SEE(pvm_unpackf("%lf%s", &g, text));
    printf("%g %s\n", g, text);
    SEE(pvm_unpackf("%d", &one));
    SEE(pvm_packf("%+ %4d %x %lx %3.0d", PvmDataRaw, (int[]){1, 2, 3, 4}, (float[]){1, 2},
                  (double[]){3, 4}, (int[]){7}));
    loop();
    SEE(pvm_unpackf("%*.*d", 2, 2, d));
    printf("%d %d %d %d\n", d[0], d[1], d[2], d[3]);
    SEE(pvm_unpackf("%2.1d", d));
    printf("%d %d\n", d[0], d[1]);
    SEE(pvm_unpackf("%x %lx", x, y));
    printf("%g %g %g %g\n", x[0], x[1], y[0], y[1]);
    SEE(pvm_unpackf("%3.0d", d));
    printf("%d\n", d[0]);
    SEE(pvm_unpackf("%+ %d", &one));
    SEE(pvm_unpackf("%", &one));
    SEE(pvm_unpackf("%q", &one));
    SEE(pvm_unpackf("%*d", -1, d));
    SEE(pvm_unpackf("text"));
    SEE((pvm_setrbuf(0), pvm_unpackf("%d", &one)));
    SEE(pvm_unpackf(""));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    values_see();
    arrays_see();
    text_see();
    refused_see();
    read_see();
    pvm_exit();
    return 0;
}
