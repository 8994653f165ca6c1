/* signature.c - the signature follows from the compiler's own facts. */
#include "core/signature.h"

#include <float.h>

_Static_assert(FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53,
               "float and double must be IEEE single and double");

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_CODE 0u
#elif __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE_ORDER_CODE 3u
#else
#error "mixed-endian machines are not supported"
#endif

#define FORMAT_IEEE_SINGLE 1u
#define FORMAT_IEEE_DOUBLE 2u

static uint32_t signature_log2(uint32_t size)
{
    uint32_t log = 0;
    while (size > 1) {
        size >>= 1;
        log++;
    }
    return log;
}

uint32_t signature_native(void)
{
    return signature_log2(sizeof(short)) | BYTE_ORDER_CODE << 3 | signature_log2(sizeof(int)) << 5 |
           BYTE_ORDER_CODE << 8 | signature_log2(sizeof(long)) << 10 | BYTE_ORDER_CODE << 13 |
           FORMAT_IEEE_SINGLE << 15 | BYTE_ORDER_CODE << 19 | FORMAT_IEEE_DOUBLE << 21 |
           BYTE_ORDER_CODE << 25;
}
