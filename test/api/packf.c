/* Formatted packing: conversions, counts and strides in the text and as arguments, and errors. */
#include "observe.h"
#include <pvm3.h>
#include <string.h>

static int me;

static int packed(void)
{
    int bytes = -1;
    pvm_bufinfo(pvm_getsbuf(), &bytes, NULL, NULL);
    return bytes;
}

static int loop(void)
{
    pvm_send(me, 1);
    return pvm_recv(me, 1) > 0;
}

static void scalars_see(int encoding)
{
    char c = 0, text[16] = "";
    short h = 0;
    int d = 0;
    long l = 0;
    float f = 0, x[2] = {1.5f, -2.5f};
    double g = 0, y[2] = {3.5, -4.5};
    unsigned u = 0;

    AREA("values");
    SEE(pvm_packf("%+ %c %hd %d %ld %f %lf %s", encoding, 'q', -7, 77, 777L, 1.25, 2.5, "word"));
    SEE(packed());
    SEE(pvm_packf("%x %lx %ud", x, y, 12u));
    SEE(packed());
    loop();
    SEE(pvm_unpackf("%c %hd %d %ld %f %lf %s", &c, &h, &d, &l, &f, &g, text));
    printf("%c %d %d %ld %g %g %s\n", c, h, d, l, f, g, text);
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    SEE(pvm_unpackf("%x%lx%ud", x, y, &u));
    printf("%g %g %g %g %u\n", x[0], x[1], y[0], y[1], u);
}

static void arrays_see(void)
{
    int source[6] = {1, 2, 3, 4, 5, 6}, target[6] = {0};

    AREA("arrays");
    SEE(pvm_packf("%+%3d", PvmDataDefault, source));
    SEE(pvm_packf("%*d", 2, source));
    SEE(pvm_packf("%2.3d", source));
    SEE(pvm_packf("%*.*d", 2, 2, source));
    SEE(pvm_packf("%.2d", source));
    SEE(packed());
    loop();
    SEE(pvm_unpackf("%2.2d", target));
    SEE(pvm_unpackf("%*d", 1, target + 1));
    for (int i = 0; i < 6; i++)
        SEE(target[i]);
    SEE(pvm_unpackf("%6.0d", target));
    SEE(target[0]);
    SEE(pvm_unpackf("%2d", target));
}

static void odd_see(void)
{
    int d = 0;

    AREA("text around, nothing, and errors");
    SEE(pvm_packf("%+", PvmDataRaw));
    SEE(packed());
    SEE(pvm_packf("only text, no conversion"));
    SEE(packed());
    SEE(pvm_packf("a=%d, b=%d;", 1, 2));
    SEE(packed());
    SEE(pvm_packf(""));
    SEE(pvm_packf("%q", 1));
    SEE(pvm_packf("%d %q", 3, 1));
    SEE(packed());
    SEE(pvm_packf("%+%d", 99, 1));
    loop();
    SEE(pvm_unpackf("%q", &d));
    SEE(pvm_unpackf("%d%d%d%d", &d, &d, &d, &d));
    SEE(d);
    SEE(pvm_unpackf(""));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    scalars_see(PvmDataDefault);
    scalars_see(PvmDataRaw);
    arrays_see();
    odd_see();
    pvm_exit();
    return 0;
}
