/* make.h - the constructors of datatypes. */
#ifndef MPI_DATATYPES_MAKE_H
#define MPI_DATATYPES_MAKE_H

#include <stdbool.h>

#include "mpi/datatypes/datatype.h"

/* Makes a datatype of others, as a combiner says. values: the arguments in the order of
 * MPI_Type_get_contents. large: a function for large counts was called. Returns MPI_SUCCESS or
 * the class of an error. The new one has one reference, and none of its own to the caller's
 * types. */
int datatype_make(int combiner, bool large, const MPI_Count *values, MPI_Count values_count,
                  struct datatype *const *types, MPI_Count types_count, struct datatype **made);

#endif
