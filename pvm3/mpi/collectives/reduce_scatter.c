/*
 * reduce_scatter.c - each rank gets a part of a reduction.
 *
 * Each rank sends each other one the values of its part, and reduces what comes in the order of the
 * ranks.
 */
#include "mpi/collectives/reduce.h"
#include "mpi/schedules/items.h"

/* Items of the part of a rank, and the sum of those of the ranks before. */
static MPI_Count part_count(const struct reduction *reduction, struct numbers counts, int rank)
{
    return counts.array ? numbers_at(counts, rank) : reduction->count;
}

static MPI_Count part_start(const struct reduction *reduction, struct numbers counts, int rank)
{
    if (!counts.array)
        return rank * reduction->count;
    MPI_Count start = 0;
    for (int i = 0; i < rank; i++)
        start += numbers_at(counts, i);
    return start;
}

/* The values of all ranks for the own part, in an array by rank; NULL without memory. */
static void **values(struct schedule *schedule, const struct reduction *reduction, MPI_Count count)
{
    int size = schedule->communicator->group->size;
    void **buffers = schedule_memory(schedule, (size_t)size * sizeof *buffers);
    for (int rank = 0; buffers && rank < size; rank++)
        buffers[rank] = schedule_items(schedule, count, reduction->datatype);
    return buffers;
}

static void within(struct schedule *schedule, const struct reduction *reduction,
                   struct numbers counts)
{
    struct communicator *on = schedule->communicator;
    struct datatype *datatype = reduction->datatype;
    const void *own = reduction->send == MPI_IN_PLACE ? reduction->receive : reduction->send;
    MPI_Count count = part_count(reduction, counts, on->rank);
    void **buffers = values(schedule, reduction, count);
    for (int rank = 0; buffers && rank < on->group->size; rank++) {
        struct items coming = {buffers[rank], count, datatype};
        if (rank != on->rank)
            schedule_receive_items(schedule, rank, &coming);
    }
    MPI_Count start = 0;
    for (int rank = 0; buffers && rank < on->group->size; rank++) {
        struct items going = {items_at(own, start, datatype), part_count(reduction, counts, rank),
                              datatype};
        struct items kept = {buffers[rank], count, datatype};
        if (rank != on->rank)
            schedule_send_items(schedule, rank, &going);
        else
            schedule_copy_items(schedule, &going, &kept);
        start += going.count;
    }
    schedule_wait(schedule);
    for (int rank = 1; buffers && count > 0 && rank < on->group->size; rank++)
        schedule_reduce(schedule, reduction->operation, buffers[rank - 1], buffers[rank], count,
                        datatype);
    struct items result = {buffers ? buffers[on->group->size - 1] : NULL, count, datatype};
    struct items place = {reduction->receive, count, datatype};
    schedule_copy_items(schedule, &result, &place);
}

/* The first rank of each group gets all of the other group's reduction, and gives out the parts. */
static void between_groups(struct schedule *schedule, const struct reduction *reduction,
                           struct numbers counts)
{
    struct communicator *communicator = schedule->communicator;
    struct communicator *local = communicator->local;
    struct datatype *datatype = reduction->datatype;
    int size = local->group->size;
    MPI_Count all = part_start(reduction, counts, size);
    struct reduction whole = *reduction;
    whole.count = all;
    whole.receive = NULL;
    void *others = NULL;
    if (communicator->rank == 0) {
        whole.receive = schedule_items(schedule, all, datatype);
        others = schedule_items(schedule, all, datatype);
    }
    reduce_within(schedule, local, &whole, 0);
    if (communicator->rank == 0) {
        schedule_receive(schedule, communicator, 0, others, all, datatype);
        schedule_send(schedule, communicator, 0, whole.receive, all, datatype);
        schedule_wait(schedule);
    }
    MPI_Count count = part_count(reduction, counts, communicator->rank);
    if (communicator->rank > 0)
        schedule_receive(schedule, local, 0, reduction->receive, count, datatype);
    else
        schedule_copy(schedule, others, count, datatype, reduction->receive, count, datatype);
    MPI_Count start = count;
    for (int rank = 1; communicator->rank == 0 && rank < size; rank++) {
        count = part_count(reduction, counts, rank);
        schedule_send(schedule, local, rank, items_at(others, start, datatype), count, datatype);
        start += count;
    }
}

void build_reduce_scatter(struct schedule *schedule, const struct reduction *reduction,
                          struct numbers counts)
{
    if (schedule->communicator->remote)
        between_groups(schedule, reduction, counts);
    else
        within(schedule, reduction, counts);
}
