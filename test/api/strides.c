/* What packing and unpacking of each type gives with each stride and count in each encoding. */
#include "observe.h"

#define TYPES(TYPE)                                                                                \
    TYPE(byte, char, 1)                                                                            \
    TYPE(short, short, 1)                                                                          \
    TYPE(ushort, unsigned short, 1)                                                                \
    TYPE(int, int, 1)                                                                              \
    TYPE(uint, unsigned int, 1)                                                                    \
    TYPE(long, long, 1)                                                                            \
    TYPE(ulong, unsigned long, 1)                                                                  \
    TYPE(float, float, 1)                                                                          \
    TYPE(double, double, 1)                                                                        \
    TYPE(cplx, float, 2)                                                                           \
    TYPE(dcplx, double, 2)

enum { CELLS = 64, MIDDLE = 24 };

static int me;

/*
 * Packs `count` items with one stride and unpacks them with another, and prints the results, the
 * length, and what has come where.
 */
#define DEFINE(name, type, parts)                                                                  \
    static void name##_see(int encoding, int count, int stride, int back)                          \
    {                                                                                              \
        type out[CELLS], in[CELLS];                                                                \
        for (int i = 0; i < CELLS; i++) {                                                          \
            out[i] = (type)(i + 1);                                                                \
            in[i] = 0;                                                                             \
        }                                                                                          \
        pvm_initsend(encoding);                                                                    \
        int packed = pvm_pk##name(out + MIDDLE, count, stride), length = length_of(pvm_getsbuf()); \
        pvm_send(me, 1);                                                                           \
        pvm_recv(me, 1);                                                                           \
        int arrived = length_of(pvm_getrbuf());                                                    \
        int unpacked = pvm_upk##name(in + MIDDLE, count, back);                                    \
        printf("%s, encoding %d, %d items, stride %d to %d: packed %d (%d bytes), sent %d bytes, " \
               "unpacked %d:",                                                                     \
               #name, encoding, count, stride, back, packed, length, arrived, unpacked);           \
        for (int i = 0; i < CELLS; i++)                                                            \
            if (in[i] != 0)                                                                        \
                printf(" %d=%g", i - MIDDLE, (double)in[i]);                                       \
        printf("\n");                                                                              \
    }

TYPES(DEFINE)

#define RUN(name, type, parts) name##_see(encoding, count, stride, back);

static void all_see(int encoding, int count, int stride, int back)
{
    TYPES(RUN)
}

int main(void)
{
    static const int encodings[] = {PvmDataDefault, PvmDataRaw, PvmDataInPlace};

    observe();
    pvm_setopt(PvmAutoErr, 0);
    me = pvm_mytid();
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        all_see(encodings[i], 3, 1, 2);
        all_see(encodings[i], 3, 3, 1);
        all_see(encodings[i], 4, -2, 1);
        all_see(encodings[i], 3, 1, -3);
        all_see(encodings[i], 2, 0, 1);
        all_see(encodings[i], 2, 1, 0);
        all_see(encodings[i], 0, 1, 1);
        all_see(encodings[i], -1, 1, 1);
    }
    pvm_exit();
    return 0;
}
