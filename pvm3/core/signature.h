/*
 * signature.h - the data signature: how this machine lays out numbers, in 27 bits.
 *
 * Bits 0-2 log2 of the size of short, 3-4 its byte order; 5-7 and 8-9 the same of int; 10-12 and
 * 13-14 of long; 15-18 the format of float, 19-20 its byte order; 21-24 and 25-26 the same of
 * double. Byte order 0 is little endian, 3 big endian; format 1 is IEEE single, 2 IEEE double.
 */
#ifndef CORE_SIGNATURE_H
#define CORE_SIGNATURE_H

#include <float.h>
#include <stdint.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SIGNATURE_BYTE_ORDER 0u
#elif __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SIGNATURE_BYTE_ORDER 3u
#else
#error "mixed-endian machines are not supported"
#endif

#define SIGNATURE_LOG2(size)  ((size) == 1 ? 0u : (size) == 2 ? 1u : (size) == 4 ? 2u : 3u)
#define SIGNATURE_IEEE_SINGLE 1u
#define SIGNATURE_IEEE_DOUBLE 2u

_Static_assert(FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53,
               "float and double must be IEEE single and double");

/*
 * The signature of the machine that this code is compiled for; 0x00408c41 on 64-bit little-endian
 * Linux.
 */
static inline uint32_t signature_native(void)
{
    return SIGNATURE_LOG2(sizeof(short)) | SIGNATURE_BYTE_ORDER << 3 |
           SIGNATURE_LOG2(sizeof(int)) << 5 | SIGNATURE_BYTE_ORDER << 8 |
           SIGNATURE_LOG2(sizeof(long)) << 10 | SIGNATURE_BYTE_ORDER << 13 |
           SIGNATURE_IEEE_SINGLE << 15 | SIGNATURE_BYTE_ORDER << 19 | SIGNATURE_IEEE_DOUBLE << 21 |
           SIGNATURE_BYTE_ORDER << 25;
}

#endif
