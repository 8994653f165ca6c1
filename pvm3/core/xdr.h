/*
 * xdr.h - arrays of numbers between the machine's form and XDR (RFC 4506: big endian, units of 4
 * bytes).
 */
#ifndef CORE_XDR_H
#define CORE_XDR_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define XDR_WORD 4 /* bytes; all that is written is a whole number of words */

/*
 * Converts an array of `count` items; put makes XDR, get makes items, swap does both. The arrays do
 * not overlap, and neither needs any alignment.
 */
typedef void xdr_convert(void *restrict to, const void *restrict from, size_t count);

/* int, unsigned and float: 4 bytes each. */
xdr_convert xdr_swap_words;

/* double: 8 bytes each. */
xdr_convert xdr_swap_doubles;

/*
 * short and unsigned short: 4 bytes each, always extended by the sign when written (as 3.4.6 does).
 */
xdr_convert xdr_put_shorts;
xdr_convert xdr_get_shorts;

/*
 * long and unsigned long: the low 32 bits, read back without a sign (as 3.4.6 does on 64-bit
 * Linux), or with it.
 */
xdr_convert xdr_put_longs;
xdr_convert xdr_get_longs;
xdr_convert xdr_get_signed_longs;

/* What the longs in front of a conversion have in common; all zero before the first one. */
struct xdr_longs {
    unsigned long bits;       /* set in one or more of the longs that are not negative */
    unsigned long complement; /* clear in one or more of the negative longs */
    bool negative;            /* there is a negative long */
};

/* Add `count` longs to what is known of others. */
void xdr_survey_longs(struct xdr_longs *known, const void *items, size_t count);
void xdr_survey_unsigned_longs(struct xdr_longs *known, const void *items, size_t count);

/* One 32-bit integer. */
static inline void xdr_store(void *wire, uint32_t value)
{
    value = htobe32(value);
    memcpy(wire, &value, XDR_WORD);
}

static inline uint32_t xdr_load(const void *wire)
{
    uint32_t value;
    memcpy(&value, wire, XDR_WORD);
    return be32toh(value);
}

/* One short. */
static inline void xdr_store_short(void *wire, const void *item)
{
    short value;
    memcpy(&value, item, sizeof value);
    xdr_store(wire, (uint32_t)(int32_t)value);
}

static inline void xdr_load_short(void *item, const void *wire)
{
    unsigned short value = (unsigned short)xdr_load(wire);
    memcpy(item, &value, sizeof value);
}

#endif
