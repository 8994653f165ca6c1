/* dialect.h - what 3.4.6 says where the kernel has words of its own. */
#ifndef LIB_LINK_DIALECT_H
#define LIB_LINK_DIALECT_H

#include "ck/peers/dialect.h"
#include "ck/base/result.h"

extern const struct dialect dialect_3_4_6;

/* The error of PVM for a failure of the kernel (ck/base/result.h); any other result as it is. */
int dialect_error(enum ck_result failure);

static inline int dialect_result(int result)
{
    return result < CK_RESULTS ? dialect_error((enum ck_result)result) : result;
}

#endif
