/*
 * What comes of a message that is unpacked as another type than it was packed as, and beyond its
 * end.
 */
#include "observe.h"
#include <string.h>

enum { ITEMS = 3, LARGEST = 16 };

typedef int function(void *values, int count, int stride);

struct type {
    const char *name;
    function *pack, *unpack;
    size_t size;
};

#define TYPE(name, size)                                                                           \
    {                                                                                              \
        #name, (function *)pvm_pk##name, (function *)pvm_upk##name, size                           \
    }

static const struct type types[] = {
    TYPE(byte, 1),  TYPE(short, 2), TYPE(ushort, 2), TYPE(int, 4),  TYPE(uint, 4),  TYPE(long, 8),
    TYPE(ulong, 8), TYPE(float, 4), TYPE(double, 8), TYPE(cplx, 8), TYPE(dcplx, 16)};

enum { TYPES = sizeof types / sizeof *types };

static int me;

static void bytes_see(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
}

/* Three items packed are read one by one as another type, until that fails; then one as a byte. */
static void pair_see(int encoding, const struct type *packed, const struct type *read)
{
    unsigned char values[ITEMS * LARGEST], got[LARGEST];
    char last = 0;
    int result;

    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (unsigned char)(3 * i % 64 + 1);
    if (packed->size == 8 && (packed->name[0] == 'l' || packed->name[1] == 'l'))
        for (int i = 0; i < ITEMS; i++)
            ((long *)values)[i] = 1000000 * (i + 1);
    pvm_initsend(encoding);
    packed->pack(values, ITEMS, 1);
    pvm_send(me, 1);
    pvm_recv(me, 1);
    printf("encoding %d, %s as %s:", encoding, packed->name, read->name);
    for (int i = 0; i < 2 * ITEMS; i++) {
        memset(got, 0, sizeof got);
        result = read->unpack(got, 1, 1);
        printf(" %d ", result);
        if (result < 0)
            break;
        bytes_see(got, read->size);
    }
    printf(" then a byte: %d\n", pvm_upkbyte(&last, 1, 1));
}

static void texts_see(int encoding)
{
    char text[256];

    for (int i = 0; i < TYPES; i++) {
        int small[8] = {5};
        memset(text, 0, sizeof text);
        pvm_initsend(encoding);
        types[i].pack(small, 1, 1);
        pvm_pkbyte("qrstuvwxyz", 10, 1);
        pvm_send(me, 1);
        pvm_recv(me, 1);
        int result = pvm_upkstr(text);
        printf("encoding %d, %s as a string: %d\n", encoding, types[i].name, result);
        pvm_initsend(encoding);
        pvm_pkstr("a string of some letter");
        pvm_send(me, 1);
        pvm_recv(me, 1);
        memset(text, 0, sizeof text);
        result = types[i].unpack(text, 2, 1);
        printf("encoding %d, a string as %s: %d ", encoding, types[i].name, result);
        if (result == 0)
            bytes_see((unsigned char *)text, 2 * types[i].size);
        printf(", then the string %d\n", pvm_upkstr(text));
    }
}

int main(void)
{
    static const int encodings[] = {PvmDataDefault, PvmDataRaw};

    observe();
    pvm_setopt(PvmAutoErr, 0);
    me = pvm_mytid();
    for (int e = 0; e < 2; e++) {
        AREA("as another type");
        for (int i = 0; i < TYPES; i++)
            for (int j = 0; j < TYPES; j++)
                pair_see(encodings[e], types + i, types + j);
        AREA("strings");
        texts_see(encodings[e]);
    }
    pvm_exit();
    return 0;
}
