/*
 * signature.h - the data signature: how this machine lays out numbers, in 27 bits.
 *
 * Bits 0-2 log2 of the size of short, 3-4 its byte order; 5-7 and 8-9 the same of int; 10-12 and
 * 13-14 of long; 15-18 the format of float, 19-20 its byte order; 21-24 and 25-26 the same of
 * double. Byte order 0 is little endian, 3 big endian; format 1 is IEEE single, 2 IEEE double.
 */
#ifndef CORE_SIGNATURE_H
#define CORE_SIGNATURE_H

#include <stdint.h>

/*
 * The signature of the machine that this code is compiled for; 0x00408c41 on 64-bit little-endian
 * Linux.
 */
uint32_t signature_native(void);

#endif
