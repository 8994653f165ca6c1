/* operation_calls.c - the operations of reductions. */
#include <stddef.h>

#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
#include "mpi/operations/operation.h"

static int give(const char *function, struct operation *operation, MPI_Op *op)
{
    if (!operation)
        return call_error(function, MPI_ERR_NO_MEM);
    *op = operation_handle(operation);
    return MPI_SUCCESS;
}

MPI_CALL(int, Op_create)(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
    if (!user_fn || !op)
        return call_error("MPI_Op_create", MPI_ERR_ARG);
    return give("MPI_Op_create", operation_make(user_fn, commute != 0), op);
}

MPI_CALL(int, Op_create_c)(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
    if (!user_fn || !op)
        return call_error("MPI_Op_create_c", MPI_ERR_ARG);
    return give("MPI_Op_create_c", operation_make_large(user_fn, commute != 0), op);
}

MPI_CALL(int, Op_free)(MPI_Op *op)
{
    struct operation *operation = op ? operation_of(*op) : NULL;

    if (!operation || operation_is_predefined(operation))
        return call_error("MPI_Op_free", op ? MPI_ERR_OP : MPI_ERR_ARG);
    operation_drop(operation);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

MPI_CALL(int, Op_commutative)(MPI_Op op, int *commute)
{
    struct operation *operation = operation_of(op);

    if (!operation || !commute)
        return call_error("MPI_Op_commutative", operation ? MPI_ERR_ARG : MPI_ERR_OP);
    *commute = operation_commutes(operation);
    return MPI_SUCCESS;
}

int forms_reduce_local(const struct form *form, const void *in, void *inout, MPI_Count count,
                       MPI_Datatype datatype, MPI_Op op)
{
    struct operation *operation = operation_of(op);
    int error = MPI_SUCCESS;

    if (count < 0)
        error = MPI_ERR_COUNT;
    else if (!operation)
        error = MPI_ERR_OP;
    else
        error = operation_check(operation, datatype);
    if (!error && count > 0 && (in == inout || in == MPI_IN_PLACE || inout == MPI_IN_PLACE))
        error = MPI_ERR_BUFFER;
    if (!error && count > 0)
        operation_apply(operation, in, inout, count, datatype);
    return call_error(form->function, error);
}
