/*
 * xdr.h - arrays of numbers between the machine's form and XDR (RFC 4506: big endian, units of 4
 * bytes).
 *
 * All functions work on contiguous arrays of `count` items, never overlap, and need no alignment of
 * `wire`.
 */
#ifndef CORE_XDR_H
#define CORE_XDR_H

#include <stddef.h>
#include <stdint.h>

#define XDR_WORD 4 /* bytes; all that is written is a whole number of words */

typedef void xdr_put(unsigned char *wire, const void *items, size_t count);
typedef void xdr_get(void *items, const unsigned char *wire, size_t count);

/* int, unsigned and float: 4 bytes each. */
xdr_put xdr_put_word;
xdr_get xdr_get_word;

/* double: 8 bytes each. */
xdr_put xdr_put_double;
xdr_get xdr_get_double;

/*
 * short and unsigned short: 4 bytes each, always extended by the sign when written (as 3.4.6 does).
 */
xdr_put xdr_put_short;
xdr_get xdr_get_short;

/*
 * long and unsigned long: the low 32 bits, read back without a sign (as 3.4.6 does on 64-bit
 * Linux), or with it.
 */
xdr_put xdr_put_long;
xdr_get xdr_get_long;
xdr_get xdr_get_signed_long;

/* One 32-bit integer. */
void xdr_store(unsigned char *wire, uint32_t value);
uint32_t xdr_load(const unsigned char *wire);

#endif
