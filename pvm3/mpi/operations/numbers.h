/* numbers.h - what the predefined operations do to arrays of numbers. */
#ifndef MPI_OPERATIONS_NUMBERS_H
#define MPI_OPERATIONS_NUMBERS_H

#include <stddef.h>

#include "mpi/datatypes/basic.h"

enum number_operation {
    NUMBER_SUM,
    NUMBER_PROD,
    NUMBER_MIN,
    NUMBER_MAX,
    NUMBER_LAND,
    NUMBER_LOR,
    NUMBER_LXOR,
    NUMBER_BAND,
    NUMBER_BOR,
    NUMBER_BXOR,
    NUMBER_OPERATIONS
};

/* inout = in OP inout, count times. */
typedef void number_function(const void *in, void *inout, size_t count);

/* NULL: the operation is not for such numbers, or this processor has none. */
number_function *number_function_of(enum number_operation operation, enum number_type number);

/* MPI_MINLOC and MPI_MAXLOC of a pair, or NULL. */
number_function *pair_function_of(const struct basic *pair, int greatest);

#endif
