/* xdr.c - plain loops over fixed-size copies, which compilers turn into vector byte swaps. */
#include "core/xdr.h"

#include <endian.h>
#include <string.h>

void xdr_store(unsigned char *wire, uint32_t value)
{
    value = htobe32(value);
    memcpy(wire, &value, 4);
}

uint32_t xdr_load(const unsigned char *wire)
{
    uint32_t value;
    memcpy(&value, wire, 4);
    return be32toh(value);
}

void xdr_put_word(unsigned char *wire, const void *items, size_t count)
{
    const unsigned char *from = items;
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, from + 4 * i, 4);
        value = htobe32(value);
        memcpy(wire + 4 * i, &value, 4);
    }
}

void xdr_get_word(void *items, const unsigned char *wire, size_t count)
{
    xdr_put_word(items, wire, count);
}

void xdr_put_double(unsigned char *wire, const void *items, size_t count)
{
    const unsigned char *from = items;
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, from + 8 * i, 8);
        value = htobe64(value);
        memcpy(wire + 8 * i, &value, 8);
    }
}

void xdr_get_double(void *items, const unsigned char *wire, size_t count)
{
    xdr_put_double(items, wire, count);
}

void xdr_put_short(unsigned char *wire, const void *items, size_t count)
{
    const short *from = items;
    for (size_t i = 0; i < count; i++)
        xdr_store(wire + 4 * i, (uint32_t)(int32_t)from[i]);
}

void xdr_get_short(void *items, const unsigned char *wire, size_t count)
{
    unsigned short *to = items;
    for (size_t i = 0; i < count; i++)
        to[i] = (unsigned short)xdr_load(wire + 4 * i);
}

void xdr_put_long(unsigned char *wire, const void *items, size_t count)
{
    const unsigned long *from = items;
    for (size_t i = 0; i < count; i++)
        xdr_store(wire + 4 * i, (uint32_t)from[i]);
}

void xdr_get_signed_long(void *items, const unsigned char *wire, size_t count)
{
    long *to = items;
    for (size_t i = 0; i < count; i++)
        to[i] = (int32_t)xdr_load(wire + 4 * i);
}

void xdr_get_long(void *items, const unsigned char *wire, size_t count)
{
    unsigned long *to = items;
    for (size_t i = 0; i < count; i++)
        to[i] = xdr_load(wire + 4 * i);
}
