/*
 * collective_reduce_calls.c - collective operations that reduce.
 */
#include "mpi/calls/collective_call.h"

int collective_reduce(const struct form *form, const void *send, void *receive, MPI_Count count,
                      MPI_Datatype datatype, MPI_Op op, int root)
{
    struct collective_call call;
    call_begin(&call, form);
    check_root(&call, root);
    bool in_place = check_in_place(&call, send, is_root(&call, root));
    bool sends = root != MPI_PROC_NULL && root != MPI_ROOT;
    /* Of those that do not send, the send buffer means nothing; of other than the root, that of
     * the result. With MPI_PROC_NULL no argument but the root means anything. */
    struct reduction reduction = {0};
    if (root != MPI_PROC_NULL)
        reduction =
            check_reduction(&call, sends ? send : MPI_IN_PLACE, receive, count, datatype, op);
    if (is_root(&call, root) && !in_place)
        check_alias(&call, send, receive, count);
    if (is_root(&call, root))
        check_in_place(&call, receive, false);
    if (call_ready(&call))
        build_reduce(call.schedule, &reduction, root);
    return call_end(&call);
}

/* A reduction whose result all ranks get: buffers and their contents are checked. */
static struct reduction begin(struct collective_call *call, const struct form *form,
                              const void *send, void *receive, MPI_Count count,
                              MPI_Datatype datatype, MPI_Op op)
{
    call_begin(call, form);
    check_in_place(call, receive, false);
    if (!check_in_place(call, send, true))
        check_alias(call, send, receive, count);
    return check_reduction(call, send, receive, count, datatype, op);
}

int collective_allreduce(const struct form *form, const void *send, void *receive, MPI_Count count,
                         MPI_Datatype datatype, MPI_Op op)
{
    struct collective_call call;
    struct reduction reduction = begin(&call, form, send, receive, count, datatype, op);
    if (call_ready(&call))
        build_allreduce(call.schedule, &reduction);
    return call_end(&call);
}

int collective_reduce_scatter(const struct form *form, const void *send, void *receive,
                              struct numbers counts, MPI_Datatype datatype, MPI_Op op)
{
    struct collective_call call;
    struct reduction reduction = begin(&call, form, send, receive, 0, datatype, op);
    int size = call.communicator ? call.communicator->group->size : 0;
    MPI_Count sum = 0;
    if (!counts.array)
        call_wrong(&call, MPI_ERR_ARG);
    for (int rank = 0; counts.array && rank < size; rank++) {
        if (numbers_at(counts, rank) < 0)
            call_wrong(&call, MPI_ERR_COUNT);
        sum += numbers_at(counts, rank);
    }
    if (send != MPI_IN_PLACE)
        check_alias(&call, send, receive, sum);
    if (call_ready(&call))
        build_reduce_scatter(call.schedule, &reduction, counts);
    return call_end(&call);
}

int collective_reduce_scatter_block(const struct form *form, const void *send, void *receive,
                                    MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
    struct collective_call call;
    struct reduction reduction = begin(&call, form, send, receive, count, datatype, op);
    if (call_ready(&call))
        build_reduce_scatter(call.schedule, &reduction, (struct numbers){0});
    return call_end(&call);
}

int collective_scan(const struct form *form, const void *send, void *receive, MPI_Count count,
                    MPI_Datatype datatype, MPI_Op op)
{
    struct collective_call call;
    struct reduction reduction = begin(&call, form, send, receive, count, datatype, op);
    check_intra(&call);
    if (call_ready(&call))
        build_scan(call.schedule, &reduction, true);
    return call_end(&call);
}

int collective_exscan(const struct form *form, const void *send, void *receive, MPI_Count count,
                      MPI_Datatype datatype, MPI_Op op)
{
    struct collective_call call;
    struct reduction reduction = begin(&call, form, send, receive, count, datatype, op);
    check_intra(&call);
    if (call_ready(&call))
        build_scan(call.schedule, &reduction, false);
    return call_end(&call);
}
