/* operation.h - the operations of reductions. */
#ifndef MPI_OPERATIONS_OPERATION_H
#define MPI_OPERATIONS_OPERATION_H

#include <stdbool.h>

#include "mpi/objects/object.h"

struct operation;

/* The operation of a handle; NULL: there is none. MPI_OP_NULL is none. */
struct operation *operation_of(MPI_Op handle);
MPI_Op operation_handle(struct operation *operation);

/* One of the user; NULL: no memory. It has one reference. */
struct operation *operation_make(MPI_User_function *function, bool commutes);
struct operation *operation_make_large(MPI_User_function_c *function, bool commutes);

void operation_keep(struct operation *operation);
void operation_drop(struct operation *operation);

bool operation_is_predefined(const struct operation *operation);
bool operation_commutes(const struct operation *operation);

/* MPI_SUCCESS, MPI_ERR_OP: it is not for this datatype, or MPI_ERR_TYPE: there is no such
 * datatype. */
int operation_check(const struct operation *operation, MPI_Datatype datatype);

/* inout = in OP inout, element by element. Both were checked. */
void operation_apply(const struct operation *operation, const void *in, void *inout,
                     MPI_Count count, MPI_Datatype datatype);

#endif
