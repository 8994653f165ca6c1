/*
 * Each of the pairs of calls that pack and unpack a type: strides, counts, extremes, and its
 * errors.
 */
#include "observe.h"
#include <float.h>
#include <limits.h>
#include <string.h>

#define ITEMS 6

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

/* The observations of one type; `units` numbers make an item, `format` prints one. */
#define TYPE_SEE(name, type, units, format, ...)                                                   \
    static void name##_print(const char *what, const type *values, int count)                      \
    {                                                                                              \
        printf("%s:", what);                                                                       \
        for (int i = 0; i < count * (units); i++)                                                  \
            printf(" " format, values[i]);                                                         \
        printf("\n");                                                                              \
    }                                                                                              \
                                                                                                   \
    static void name##_see(int encoding)                                                           \
    {                                                                                              \
        type source[ITEMS * (units)] = {__VA_ARGS__}, target[ITEMS * (units)];                     \
                                                                                                   \
        AREA(#name);                                                                               \
        SEE(pvm_initsend(encoding) > 0);                                                           \
        SEE((pvm_pk##name(source, ITEMS, 1), packed()));                                           \
        SEE((pvm_pk##name(source, 3, 2), packed()));                                               \
        SEE((pvm_pk##name(source + (ITEMS - 1) * (units), 3, -2), packed()));                      \
        SEE((pvm_pk##name(source + (units), 2, 0), packed()));                                     \
        SEE((pvm_pk##name(NULL, 0, 1), packed()));                                                 \
        SEE(pvm_pk##name(source, -1, 1));                                                          \
        loop();                                                                                    \
        memset(target, 0, sizeof target);                                                          \
        SEE(pvm_upk##name(target, ITEMS, 1));                                                      \
        name##_print("whole", target, ITEMS);                                                      \
        memset(target, 0, sizeof target);                                                          \
        SEE(pvm_upk##name(target + (ITEMS - 1) * (units), 3, -2));                                 \
        name##_print("backwards", target, ITEMS);                                                  \
        memset(target, 0, sizeof target);                                                          \
        SEE(pvm_upk##name(target, 3, 2));                                                          \
        name##_print("every second", target, ITEMS);                                               \
        SEE(pvm_upk##name(target, 2, 0));                                                          \
        name##_print("the last", target, 1);                                                       \
        SEE(pvm_upk##name(NULL, 0, 1));                                                            \
        SEE(pvm_upk##name(target, -1, 1));                                                         \
        SEE(pvm_upk##name(target, 1, 1));                                                          \
        SEE((pvm_setsbuf(0), pvm_pk##name(source, 1, 1)));                                         \
        SEE((pvm_setrbuf(0), pvm_upk##name(source, 1, 1)));                                        \
        SEE((pvm_initsend(PvmDataInPlace), pvm_pk##name(source, 2, 1)));                           \
        SEE(pvm_pk##name(source, 2, 2));                                                           \
        SEE(pvm_pk##name(source, 2, -1));                                                          \
        SEE(pvm_pk##name(source, 2, 0));                                                           \
        loop();                                                                                    \
        memset(target, 0, sizeof target);                                                          \
        SEE(pvm_upk##name(target, 3, 1));                                                          \
        name##_print("in place", target, 3);                                                       \
    }

TYPE_SEE(byte, char, 1, "%d", 1, -2, 3, CHAR_MIN, CHAR_MAX, 6)
TYPE_SEE(cplx, float, 2, "%g", 1, -1, 2, -2, 3, -3, FLT_MIN, FLT_MAX, 5, -5, 6, -6)
TYPE_SEE(dcplx, double, 2, "%g", 1, -1, 2, -2, 3, -3, DBL_MIN, DBL_MAX, 5, -5, 6, -6)
TYPE_SEE(double, double, 1, "%g", 1, -2, 3, DBL_MIN, -DBL_MAX, 6e-320)
TYPE_SEE(float, float, 1, "%g", 1, -2, 3, FLT_MIN, -FLT_MAX, 6e-42f)
TYPE_SEE(int, int, 1, "%d", 1, -2, 3, INT_MIN, INT_MAX, 6)
TYPE_SEE(uint, unsigned, 1, "%u", 1, 2, 3, INT_MAX, UINT_MAX, 6)
TYPE_SEE(long, long, 1, "%ld", 1, 2, 3, INT_MAX, 0, 6)
TYPE_SEE(ulong, unsigned long, 1, "%lu", 1, 2, 3, INT_MAX, UINT_MAX, 6)
TYPE_SEE(short, short, 1, "%d", 1, -2, 3, SHRT_MIN, SHRT_MAX, 6)
TYPE_SEE(ushort, unsigned short, 1, "%d", 1, 2, 3, SHRT_MAX, USHRT_MAX, 6)

static void all_see(int encoding)
{
    printf("encoding: %d\n", encoding);
    byte_see(encoding);
    cplx_see(encoding);
    dcplx_see(encoding);
    double_see(encoding);
    float_see(encoding);
    int_see(encoding);
    uint_see(encoding);
    long_see(encoding);
    ulong_see(encoding);
    short_see(encoding);
    ushort_see(encoding);
}

static void strings_see(int encoding)
{
    char text[16] = "unchanged";

    AREA("strings");
    SEE(encoding);
    SEE(pvm_initsend(encoding) > 0);
    SEE(pvm_pkstr(""));
    SEE(pvm_pkstr("three"));
    SEE(pvm_pkstr("\xff\x01"));
    SEE(packed());
    loop();
    SEE(pvm_upkstr(text));
    SEE_TEXT("empty", text);
    SEE(pvm_upkstr(text));
    SEE_TEXT("text", text);
    SEE(pvm_upkstr(text));
    SEE((unsigned char)text[0] * 256 + text[1]);
    SEE(pvm_upkstr(text));
    SEE((pvm_setrbuf(0), pvm_upkstr(text)));
    SEE((pvm_setsbuf(0), pvm_pkstr(text)));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    all_see(PvmDataDefault);
    all_see(PvmDataRaw);
    strings_see(PvmDataDefault);
    strings_see(PvmDataRaw);
    pvm_exit();
    return 0;
}
