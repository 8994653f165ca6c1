/*
 * neighbors.c - collective operations along the edges of a topology.
 *
 * In a periodic grid of one or two ranks in a dimension both neighbours are the same rank. What is
 * sent down there comes from above, so that the receives of a dimension are in the other order.
 */
#include "mpi/collectives/collectives.h"
#include "mpi/communicators/topology.h"

/* The edge that is received from in the turn `index`. */
static int turn(const struct communicator *communicator, int index)
{
    return communicator->topology->kind == MPI_CART ? index ^ 1 : index;
}

static void receive_all(struct schedule *schedule, const struct blocks *receive)
{
    struct communicator *communicator = schedule->communicator;
    int count = neighbors_in(communicator);
    for (int i = 0; i < count; i++) {
        int index = turn(communicator, i);
        int rank = neighbor_in(communicator, index);
        struct items block = blocks_at(receive, index);
        if (rank != MPI_PROC_NULL)
            schedule_receive_items(schedule, rank, &block);
    }
}

void build_neighbor_allgather(struct schedule *schedule, const struct items *send,
                              const struct blocks *receive)
{
    struct communicator *communicator = schedule->communicator;
    receive_all(schedule, receive);
    int count = neighbors_out(communicator);
    for (int i = 0; i < count; i++) {
        int rank = neighbor_out(communicator, i);
        if (rank != MPI_PROC_NULL)
            schedule_send_items(schedule, rank, send);
    }
}

void build_neighbor_alltoall(struct schedule *schedule, const struct blocks *send,
                             const struct blocks *receive)
{
    struct communicator *communicator = schedule->communicator;
    receive_all(schedule, receive);
    int count = neighbors_out(communicator);
    for (int i = 0; i < count; i++) {
        int rank = neighbor_out(communicator, i);
        struct items block = blocks_at(send, i);
        if (rank != MPI_PROC_NULL)
            schedule_send_items(schedule, rank, &block);
    }
}
