/*
 * collective_data_calls.c - collective operations that move data.
 */
#include "mpi/calls/collective_call.h"

#include <stdint.h>

/* The ranks that data is for or from. */
static int peers(const struct collective_call *call)
{
    return call->communicator ? communicator_peers(call->communicator)->size : 0;
}

static void *writable(const void *buffer)
{
    return (void *)(uintptr_t)buffer;
}

static const struct items in_place = {.buffer = MPI_IN_PLACE};

int collective_barrier(const struct form *form)
{
    struct collective_call call;
    call_begin(&call, form);
    if (call_ready(&call))
        build_barrier(call.schedule);
    return call_end(&call);
}

int collective_bcast(const struct form *form, void *buffer, MPI_Count count, MPI_Datatype datatype,
                     int root)
{
    struct collective_call call;
    call_begin(&call, form);
    check_root(&call, root);
    check_in_place(&call, buffer, false);
    struct items items = {0};
    if (root != MPI_PROC_NULL)
        items = check_items(&call, buffer, count, datatype);
    if (call_ready(&call))
        build_bcast(call.schedule, &items, root);
    return call_end(&call);
}

/* What the caller sends in a gather, whose receive buffer has been checked at the root. */
static int gather(struct collective_call *call, const void *send, MPI_Count send_count,
                  MPI_Datatype send_type, const struct blocks *receive, int root)
{
    bool at_root = is_root(call, root);
    struct items items = {0};
    bool sends = root != MPI_PROC_NULL && root != MPI_ROOT;
    if (sends && check_in_place(call, send, at_root))
        items = in_place;
    else if (sends)
        items = check_items(call, send, send_count, send_type);
    if (sends && at_root)
        check_alias_own(call, &items, receive);
    if (call_ready(call))
        build_gather(call->schedule, &items, receive, root);
    return call_end(call);
}

int collective_gather(const struct form *form, const void *send, MPI_Count send_count,
                      MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                      MPI_Datatype receive_type, int root)
{
    struct collective_call call;
    call_begin(&call, form);
    check_root(&call, root);
    struct blocks blocks = {0};
    if (is_root(&call, root)) {
        check_in_place(&call, receive, false);
        blocks = check_blocks(&call, receive, receive_count, receive_type);
    }
    return gather(&call, send, send_count, send_type, &blocks, root);
}

int collective_gatherv(const struct form *form, const void *send, MPI_Count send_count,
                       MPI_Datatype send_type, void *receive, struct numbers counts,
                       struct numbers displacements, MPI_Datatype receive_type, int root)
{
    struct collective_call call;
    call_begin(&call, form);
    check_root(&call, root);
    struct blocks blocks = {0};
    if (is_root(&call, root)) {
        check_in_place(&call, receive, false);
        blocks = check_vector(&call, receive, counts, displacements, receive_type, peers(&call));
    }
    return gather(&call, send, send_count, send_type, &blocks, root);
}

/* What the caller receives in a scatter, whose send buffer has been checked at the root. */
static int scatter(struct collective_call *call, const struct blocks *send, void *receive,
                   MPI_Count receive_count, MPI_Datatype receive_type, int root)
{
    bool at_root = is_root(call, root);
    struct items items = {0};
    bool receives = root != MPI_PROC_NULL && root != MPI_ROOT;
    if (receives && check_in_place(call, receive, at_root))
        items = in_place;
    else if (receives)
        items = check_items(call, receive, receive_count, receive_type);
    if (receives && at_root)
        check_alias_own(call, &items, send);
    if (call_ready(call))
        build_scatter(call->schedule, send, &items, root);
    return call_end(call);
}

int collective_scatter(const struct form *form, const void *send, MPI_Count send_count,
                       MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                       MPI_Datatype receive_type, int root)
{
    struct collective_call call;
    call_begin(&call, form);
    check_root(&call, root);
    struct blocks blocks = {0};
    if (is_root(&call, root)) {
        check_in_place(&call, send, false);
        blocks = check_blocks(&call, writable(send), send_count, send_type);
    }
    return scatter(&call, &blocks, receive, receive_count, receive_type, root);
}

int collective_scatterv(const struct form *form, const void *send, struct numbers counts,
                        struct numbers displacements, MPI_Datatype send_type, void *receive,
                        MPI_Count receive_count, MPI_Datatype receive_type, int root)
{
    struct collective_call call;
    call_begin(&call, form);
    check_root(&call, root);
    struct blocks blocks = {0};
    if (is_root(&call, root)) {
        check_in_place(&call, send, false);
        blocks =
            check_vector(&call, writable(send), counts, displacements, send_type, peers(&call));
    }
    return scatter(&call, &blocks, receive, receive_count, receive_type, root);
}

static int allgather(struct collective_call *call, const void *send, MPI_Count send_count,
                     MPI_Datatype send_type, const struct blocks *receive)
{
    struct items items = in_place;
    if (!check_in_place(call, send, true)) {
        items = check_items(call, send, send_count, send_type);
        check_alias_own(call, &items, receive);
    }
    if (call_ready(call))
        build_allgather(call->schedule, &items, receive);
    return call_end(call);
}

int collective_allgather(const struct form *form, const void *send, MPI_Count send_count,
                         MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                         MPI_Datatype receive_type)
{
    struct collective_call call;
    call_begin(&call, form);
    check_in_place(&call, receive, false);
    struct blocks blocks = check_blocks(&call, receive, receive_count, receive_type);
    return allgather(&call, send, send_count, send_type, &blocks);
}

int collective_allgatherv(const struct form *form, const void *send, MPI_Count send_count,
                          MPI_Datatype send_type, void *receive, struct numbers counts,
                          struct numbers displacements, MPI_Datatype receive_type)
{
    struct collective_call call;
    call_begin(&call, form);
    check_in_place(&call, receive, false);
    struct blocks blocks =
        check_vector(&call, receive, counts, displacements, receive_type, peers(&call));
    return allgather(&call, send, send_count, send_type, &blocks);
}

static int alltoall(struct collective_call *call, const struct blocks *send,
                    const struct blocks *receive)
{
    if (call_ready(call))
        build_alltoall(call->schedule, send, receive);
    return call_end(call);
}

static const struct blocks blocks_in_place = {.buffer = MPI_IN_PLACE};

int collective_alltoall(const struct form *form, const void *send, MPI_Count send_count,
                        MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                        MPI_Datatype receive_type)
{
    struct collective_call call;
    call_begin(&call, form);
    check_in_place(&call, receive, false);
    struct blocks to = check_blocks(&call, receive, receive_count, receive_type);
    struct blocks from = blocks_in_place;
    if (!check_in_place(&call, send, true)) {
        from = check_blocks(&call, writable(send), send_count, send_type);
        check_alias(&call, send, receive, send_count);
    }
    return alltoall(&call, &from, &to);
}

int collective_alltoallv(const struct form *form, const void *send, struct numbers send_counts,
                         struct numbers send_displacements, MPI_Datatype send_type, void *receive,
                         struct numbers receive_counts, struct numbers receive_displacements,
                         MPI_Datatype receive_type)
{
    struct collective_call call;
    call_begin(&call, form);
    int size = peers(&call);
    check_in_place(&call, receive, false);
    struct blocks to =
        check_vector(&call, receive, receive_counts, receive_displacements, receive_type, size);
    struct blocks from = blocks_in_place;
    if (!check_in_place(&call, send, true)) {
        from =
            check_vector(&call, writable(send), send_counts, send_displacements, send_type, size);
        check_alias_blocks(&call, &from, &to, size);
    }
    return alltoall(&call, &from, &to);
}

int collective_alltoallw(const struct form *form, const void *send, struct numbers send_counts,
                         struct numbers send_displacements, const MPI_Datatype send_types[],
                         void *receive, struct numbers receive_counts,
                         struct numbers receive_displacements, const MPI_Datatype receive_types[])
{
    struct collective_call call;
    call_begin(&call, form);
    int size = peers(&call);
    check_in_place(&call, receive, false);
    struct blocks to =
        check_vector_of(&call, receive, receive_counts, receive_displacements, receive_types, size);
    struct blocks from = blocks_in_place;
    if (!check_in_place(&call, send, true)) {
        from = check_vector_of(&call, writable(send), send_counts, send_displacements, send_types,
                               size);
        check_alias_blocks(&call, &from, &to, size);
    }
    return alltoall(&call, &from, &to);
}
