/*
 * collective_neighbor_calls.c - collective operations along the edges of a topology.
 */
#include "mpi/calls/collective_call.h"

#include <stdint.h>

#include "mpi/communicators/topology.h"

static void begin(struct collective_call *call, const struct form *form, const void *send,
                  const void *receive)
{
    call_begin(call, form);
    check_topology(call);
    check_in_place(call, send, false);
    check_in_place(call, receive, false);
}

static int in_count(const struct collective_call *call)
{
    return call->code == MPI_SUCCESS ? neighbors_in(call->communicator) : 0;
}

static int out_count(const struct collective_call *call)
{
    return call->code == MPI_SUCCESS ? neighbors_out(call->communicator) : 0;
}

static void *writable(const void *buffer)
{
    return (void *)(uintptr_t)buffer;
}

int collective_neighbor_allgather(const struct form *form, const void *send, MPI_Count send_count,
                                  MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                                  MPI_Datatype receive_type)
{
    struct collective_call call;
    begin(&call, form, send, receive);
    struct items items = check_items(&call, send, send_count, send_type);
    struct blocks blocks = check_blocks(&call, receive, receive_count, receive_type);
    if (call_ready(&call))
        build_neighbor_allgather(call.schedule, &items, &blocks);
    return call_end(&call);
}

int collective_neighbor_allgatherv(const struct form *form, const void *send, MPI_Count send_count,
                                   MPI_Datatype send_type, void *receive, struct numbers counts,
                                   struct numbers displacements, MPI_Datatype receive_type)
{
    struct collective_call call;
    begin(&call, form, send, receive);
    struct items items = check_items(&call, send, send_count, send_type);
    struct blocks blocks =
        check_vector(&call, receive, counts, displacements, receive_type, in_count(&call));
    if (call_ready(&call))
        build_neighbor_allgather(call.schedule, &items, &blocks);
    return call_end(&call);
}

static int alltoall(struct collective_call *call, const struct blocks *send,
                    const struct blocks *receive)
{
    if (call_ready(call))
        build_neighbor_alltoall(call->schedule, send, receive);
    return call_end(call);
}

int collective_neighbor_alltoall(const struct form *form, const void *send, MPI_Count send_count,
                                 MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                                 MPI_Datatype receive_type)
{
    struct collective_call call;
    begin(&call, form, send, receive);
    struct blocks from = check_blocks(&call, writable(send), send_count, send_type);
    struct blocks to = check_blocks(&call, receive, receive_count, receive_type);
    return alltoall(&call, &from, &to);
}

int collective_neighbor_alltoallv(const struct form *form, const void *send,
                                  struct numbers send_counts, struct numbers send_displacements,
                                  MPI_Datatype send_type, void *receive,
                                  struct numbers receive_counts,
                                  struct numbers receive_displacements, MPI_Datatype receive_type)
{
    struct collective_call call;
    begin(&call, form, send, receive);
    struct blocks from = check_vector(&call, writable(send), send_counts, send_displacements,
                                      send_type, out_count(&call));
    struct blocks to = check_vector(&call, receive, receive_counts, receive_displacements,
                                    receive_type, in_count(&call));
    return alltoall(&call, &from, &to);
}

int collective_neighbor_alltoallw(const struct form *form, const void *send,
                                  struct numbers send_counts, struct numbers send_displacements,
                                  const MPI_Datatype send_types[], void *receive,
                                  struct numbers receive_counts,
                                  struct numbers receive_displacements,
                                  const MPI_Datatype receive_types[])
{
    struct collective_call call;
    begin(&call, form, send, receive);
    struct blocks from = check_vector_of(&call, writable(send), send_counts, send_displacements,
                                         send_types, out_count(&call));
    struct blocks to = check_vector_of(&call, receive, receive_counts, receive_displacements,
                                       receive_types, in_count(&call));
    return alltoall(&call, &from, &to);
}
