/*
 * trees.c - binomial trees.
 */
#include "mpi/schedules/trees.h"

#include "mpi/schedules/items.h"

/* The lowest bit of a rank counted from the root, or for the root the first that no rank has. */
static int lowest_bit(int relative, int size)
{
    int bit = 1;
    while (bit < size && !(relative & bit))
        bit <<= 1;
    return bit;
}

void tree_bcast(struct schedule *schedule, struct communicator *on, const struct items *items,
                int root)
{
    int size = on->group->size;
    int relative = (on->rank - root + size) % size;
    int bit = lowest_bit(relative, size);
    if (relative != 0) {
        schedule_receive(schedule, on, (relative - bit + root) % size, items->buffer, items->count,
                         items->datatype);
        schedule_wait(schedule);
    }
    for (bit >>= 1; bit > 0; bit >>= 1) {
        if (relative + bit < size)
            schedule_send(schedule, on, (relative + bit + root) % size, items->buffer, items->count,
                          items->datatype);
    }
    schedule_wait(schedule);
}

/* To rank 0. A rank sends its own records and those of the ranks behind it that are below it. */
static void gather(struct schedule *schedule, struct communicator *on, char *records, size_t size)
{
    int ranks = on->group->size;
    int end = lowest_bit(on->rank, ranks);
    for (int bit = 1; bit < end && on->rank + bit < ranks; bit <<= 1) {
        int child = on->rank + bit;
        int count = child + bit <= ranks ? bit : ranks - child;
        schedule_receive(schedule, on, child, records + (size_t)child * size,
                         (MPI_Count)((size_t)count * size), NULL);
    }
    schedule_wait(schedule);
    if (on->rank == 0)
        return;
    int count = on->rank + end <= ranks ? end : ranks - on->rank;
    schedule_send(schedule, on, on->rank - end, records + (size_t)on->rank * size,
                  (MPI_Count)((size_t)count * size), NULL);
    schedule_wait(schedule);
}

void tree_exchange(struct schedule *schedule, struct communicator *on, void *records, size_t size)
{
    gather(schedule, on, records, size);
    struct items all = {records, (MPI_Count)((size_t)on->group->size * size), NULL};
    tree_bcast(schedule, on, &all, 0);
}
