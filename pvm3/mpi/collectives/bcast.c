/*
 * bcast.c - barrier and broadcast.
 *
 * A short broadcast goes along a binomial tree. A long one goes along a chain of ranks in segments,
 * so that all links are in use at a time.
 */
#include "mpi/collectives/collectives.h"
#include "mpi/schedules/trees.h"

enum { LONG_BCAST = 131072, SEGMENT = 65536 };

/* In round k each rank hears of 2^k ranks before it. */
static void dissemination(struct schedule *schedule, struct communicator *on)
{
    int size = on->group->size;
    for (int distance = 1; distance < size; distance *= 2) {
        schedule_receive(schedule, on, (on->rank - distance + size) % size, NULL, 0, NULL);
        schedule_send(schedule, on, (on->rank + distance) % size, NULL, 0, NULL);
        schedule_wait(schedule);
    }
}

void build_barrier(struct schedule *schedule)
{
    struct communicator *communicator = schedule->communicator;
    if (!communicator->remote) {
        dissemination(schedule, communicator);
        return;
    }
    /* All of a group are there before its first rank says so to the other group. */
    dissemination(schedule, communicator->local);
    if (communicator->rank == 0) {
        schedule_receive(schedule, communicator, 0, NULL, 0, NULL);
        schedule_send(schedule, communicator, 0, NULL, 0, NULL);
        schedule_wait(schedule);
    }
    struct items nothing = {0};
    tree_bcast(schedule, communicator->local, &nothing, 0);
}

/* In the order of the ranks from the root on. While a segment goes on, the next one comes. */
static void chain(struct schedule *schedule, struct communicator *on, char *bytes, size_t size,
                  int root)
{
    int ranks = on->group->size;
    int relative = (on->rank - root + ranks) % ranks;
    int before = (on->rank - 1 + ranks) % ranks;
    int behind = (on->rank + 1) % ranks;
    size_t done = 0; /* bytes that came in phases that are over */
    for (size_t coming = 0; done < size; done = coming) {
        size_t sent = done;
        coming = done + SEGMENT < size ? done + SEGMENT : size;
        if (relative > 0)
            schedule_receive(schedule, on, before, bytes + done, (MPI_Count)(coming - done), NULL);
        if (relative > 0 && sent > 0 && relative + 1 < ranks)
            schedule_send(schedule, on, behind, bytes + sent - SEGMENT, SEGMENT, NULL);
        if (relative == 0)
            schedule_send(schedule, on, behind, bytes + done, (MPI_Count)(coming - done), NULL);
        schedule_wait(schedule);
    }
    size_t last = (size - 1) / SEGMENT * SEGMENT;
    if (relative > 0 && relative + 1 < ranks)
        schedule_send(schedule, on, behind, bytes + last, (MPI_Count)(size - last), NULL);
    schedule_wait(schedule);
}

static void bcast(struct schedule *schedule, struct communicator *on, const struct items *items,
                  int root)
{
    size_t size = items_bytes(items);
    if (size < LONG_BCAST || on->group->size < 3) {
        tree_bcast(schedule, on, items, root);
        return;
    }
    struct datatype *datatype = items->datatype;
    if (!datatype || datatype_is_block(datatype)) {
        MPI_Count first = datatype ? datatype->true_lb : 0;
        chain(schedule, on, items_at(items->buffer, first, NULL), size, root);
        return;
    }
    char *packed = schedule_memory(schedule, size);
    if (!packed)
        return;
    if (on->rank == root)
        schedule_copy(schedule, items->buffer, items->count, datatype, packed, (MPI_Count)size,
                      NULL);
    schedule_wait(schedule);
    chain(schedule, on, packed, size, root);
    if (on->rank != root)
        schedule_copy(schedule, packed, (MPI_Count)size, NULL, items->buffer, items->count,
                      datatype);
}

void build_bcast(struct schedule *schedule, const struct items *items, int root)
{
    struct communicator *communicator = schedule->communicator;
    if (!communicator->remote) {
        bcast(schedule, communicator, items, root);
    } else if (root == MPI_ROOT) {
        schedule_send(schedule, communicator, 0, items->buffer, items->count, items->datatype);
    } else if (root != MPI_PROC_NULL) {
        if (communicator->rank == 0)
            schedule_receive(schedule, communicator, root, items->buffer, items->count,
                             items->datatype);
        schedule_wait(schedule);
        bcast(schedule, communicator->local, items, 0);
    }
}
