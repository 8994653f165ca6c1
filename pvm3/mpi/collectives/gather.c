/*
 * gather.c - gather and scatter: the root speaks with each rank.
 */
#include "mpi/collectives/collectives.h"

void build_gather(struct schedule *schedule, const struct items *send, const struct blocks *receive,
                  int root)
{
    struct communicator *communicator = schedule->communicator;
    bool inter = communicator->remote != NULL;
    int own = inter ? MPI_PROC_NULL : communicator->rank;
    if (root == MPI_PROC_NULL)
        return;
    if (inter ? root != MPI_ROOT : root != own) {
        schedule_send_items(schedule, root, send);
        return;
    }
    for (int rank = 0; rank < communicator_peers(communicator)->size; rank++) {
        struct items block = blocks_at(receive, rank);
        if (rank != own)
            schedule_receive_items(schedule, rank, &block);
        else if (send->buffer != MPI_IN_PLACE)
            schedule_copy_items(schedule, send, &block);
    }
}

void build_scatter(struct schedule *schedule, const struct blocks *send,
                   const struct items *receive, int root)
{
    struct communicator *communicator = schedule->communicator;
    bool inter = communicator->remote != NULL;
    int own = inter ? MPI_PROC_NULL : communicator->rank;
    if (root == MPI_PROC_NULL)
        return;
    if (inter ? root != MPI_ROOT : root != own) {
        schedule_receive_items(schedule, root, receive);
        return;
    }
    for (int rank = 0; rank < communicator_peers(communicator)->size; rank++) {
        struct items block = blocks_at(send, rank);
        if (rank != own)
            schedule_send_items(schedule, rank, &block);
        else if (receive->buffer != MPI_IN_PLACE)
            schedule_copy_items(schedule, &block, receive);
    }
}
