/* shape.h - what constructors find out of a new datatype: its layout and its bounds. */
#ifndef MPI_DATATYPES_SHAPE_H
#define MPI_DATATYPES_SHAPE_H

#include <stdbool.h>

#include "mpi/datatypes/datatype.h"

struct shape {
    const struct layout *layout; /* with one reference; NULL: no memory */
    bool begun;                  /* something was added to the bounds */
    MPI_Count lb, ub;
    bool lb_marked, ub_marked;
    MPI_Count alignment;
};

/* A row of count elements of a type from a displacement on joins the bounds. */
void shape_add_row(struct shape *shape, const struct datatype *type, MPI_Count at, MPI_Count count);

/* Subarrays and distributed arrays, from their values (recipe.h). Return MPI_SUCCESS or the
 * class of an error. */
int shape_of_subarray(const MPI_Count *values, const struct datatype *type, struct shape *shape);
int shape_of_darray(const MPI_Count *values, const struct datatype *type, struct shape *shape);

#endif
