/*
 * alltoall.c - allgather and alltoall.
 *
 * Few ranks send to all others at once; more of them pass the blocks of an allgather around in a
 * ring.
 */
#include "mpi/collectives/collectives.h"

enum { FEW_RANKS = 8 };

/*
 * With all ranks, from the one behind on, so that not all send to the same one first. `send` NULL:
 * the own items go to all.
 */
static void direct(struct schedule *schedule, const struct items *own, const struct blocks *send,
                   const struct blocks *receive)
{
    struct communicator *communicator = schedule->communicator;
    int size = communicator_peers(communicator)->size;
    int start = communicator->remote ? 0 : 1;
    int rank = communicator->rank % size;
    for (int i = start; i < size; i++) {
        int from = (rank - i + size) % size;
        struct items block = blocks_at(receive, from);
        schedule_receive_items(schedule, from, &block);
    }
    for (int i = start; i < size; i++) {
        int to = (rank + i) % size;
        struct items block = send ? blocks_at(send, to) : *own;
        schedule_send_items(schedule, to, &block);
    }
}

static void ring(struct schedule *schedule, const struct blocks *receive)
{
    struct communicator *communicator = schedule->communicator;
    int size = communicator->group->size;
    int rank = communicator->rank;
    for (int i = 0; i + 1 < size; i++) {
        struct items coming = blocks_at(receive, (rank - i - 1 + size) % size);
        struct items going = blocks_at(receive, (rank - i + size) % size);
        schedule_receive_items(schedule, (rank - 1 + size) % size, &coming);
        schedule_send_items(schedule, (rank + 1) % size, &going);
        schedule_wait(schedule);
    }
}

void build_allgather(struct schedule *schedule, const struct items *send,
                     const struct blocks *receive)
{
    struct communicator *communicator = schedule->communicator;
    if (communicator->remote) {
        direct(schedule, send, NULL, receive);
        return;
    }
    struct items own = blocks_at(receive, communicator->rank);
    if (send->buffer != MPI_IN_PLACE)
        schedule_copy_items(schedule, send, &own);
    if (communicator->group->size > FEW_RANKS) {
        schedule_wait(schedule);
        ring(schedule, receive);
    } else {
        direct(schedule, send->buffer == MPI_IN_PLACE ? &own : send, NULL, receive);
    }
}

/* What goes out is put aside first, since what comes takes its place. */
static void alltoall_in_place(struct schedule *schedule, const struct blocks *receive)
{
    struct communicator *communicator = schedule->communicator;
    int size = communicator->group->size;
    struct items *aside = schedule_memory(schedule, (size_t)size * sizeof *aside);
    for (int rank = 0; aside && rank < size; rank++) {
        struct items block = blocks_at(receive, rank);
        size_t bytes = items_bytes(&block);
        aside[rank] = (struct items){schedule_memory(schedule, bytes), (MPI_Count)bytes, NULL};
        if (!aside[rank].buffer)
            return;
        if (rank != communicator->rank)
            schedule_copy_items(schedule, &block, &aside[rank]);
    }
    schedule_wait(schedule);
    for (int rank = 0; aside && rank < size; rank++) {
        struct items block = blocks_at(receive, rank);
        if (rank != communicator->rank)
            schedule_receive_items(schedule, rank, &block);
    }
    for (int rank = 0; aside && rank < size; rank++) {
        if (rank != communicator->rank)
            schedule_send_items(schedule, rank, &aside[rank]);
    }
}

void build_alltoall(struct schedule *schedule, const struct blocks *send,
                    const struct blocks *receive)
{
    struct communicator *communicator = schedule->communicator;
    if (send->buffer == MPI_IN_PLACE) {
        alltoall_in_place(schedule, receive);
        return;
    }
    direct(schedule, NULL, send, receive);
    if (communicator->remote)
        return;
    struct items from = blocks_at(send, communicator->rank);
    struct items to = blocks_at(receive, communicator->rank);
    schedule_copy_items(schedule, &from, &to);
}
