/*
 * gather.c - gather and scatter: the root speaks with each rank.
 *
 * There is no tree: in MPI_Gatherv and MPI_Scatterv only the root knows how long the blocks are.
 */
#include "mpi/collectives/collectives.h"

static void pass(struct schedule *schedule, bool sends, int rank, const struct items *items)
{
    if (sends)
        schedule_send_items(schedule, rank, items);
    else
        schedule_receive_items(schedule, rank, items);
}

/* `items` of each rank, and `blocks` of the root: to the root, or from it. */
static void between(struct schedule *schedule, bool to_root, const struct items *items,
                    const struct blocks *blocks, int root)
{
    struct communicator *communicator = schedule->communicator;
    bool inter = communicator->remote != NULL;
    int own = inter ? MPI_PROC_NULL : communicator->rank;
    if (root == MPI_PROC_NULL)
        return;
    if (inter ? root != MPI_ROOT : root != own) {
        pass(schedule, to_root, root, items);
        return;
    }
    for (int rank = 0; rank < communicator_peers(communicator)->size; rank++) {
        struct items block = blocks_at(blocks, rank);
        if (rank != own)
            pass(schedule, !to_root, rank, &block);
        else if (items->buffer != MPI_IN_PLACE)
            schedule_copy_items(schedule, to_root ? items : &block, to_root ? &block : items);
    }
}

void build_gather(struct schedule *schedule, const struct items *send, const struct blocks *receive,
                  int root)
{
    between(schedule, true, send, receive, root);
}

void build_scatter(struct schedule *schedule, const struct blocks *send,
                   const struct items *receive, int root)
{
    between(schedule, false, receive, send, root);
}
