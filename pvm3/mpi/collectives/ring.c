/*
 * ring.c - reductions in a ring.
 *
 * The items are divided into a part for each rank. A part begins with the rank behind its own, and
 * each rank that it comes to adds what it has. So each rank sends and receives each part once.
 */
#include "mpi/collectives/ring.h"

#include "mpi/schedules/items.h"

struct ring {
    struct schedule *schedule;
    struct communicator *on;
    const struct reduction *reduction;
    const void *own; /* the values of this rank */
    void *result;    /* all parts */
    void *coming;    /* a part, if the own values lie where the result does; otherwise NULL */
};

/* The first item of a part; `size` parts. */
static MPI_Count part_start(const struct ring *ring, int part)
{
    return ring->reduction->count * part / ring->on->group->size;
}

static struct items part_of(const struct ring *ring, const void *buffer, int part)
{
    int size = ring->on->group->size;
    int index = (part % size + size) % size;
    MPI_Count start = part_start(ring, index);
    struct datatype *datatype = ring->reduction->datatype;
    return (struct items){items_at(buffer, start, datatype), part_start(ring, index + 1) - start,
                          datatype};
}

static void exchange(const struct ring *ring, const struct items *coming, const struct items *going)
{
    int size = ring->on->group->size;
    schedule_receive(ring->schedule, ring->on, (ring->on->rank - 1 + size) % size, coming->buffer,
                     coming->count, coming->datatype);
    schedule_send(ring->schedule, ring->on, (ring->on->rank + 1) % size, going->buffer,
                  going->count, going->datatype);
    schedule_wait(ring->schedule);
}

/* Adds what the own rank has to what comes. */
static void round_of_reduction(const struct ring *ring, int round)
{
    int rank = ring->on->rank;
    struct items going = part_of(ring, round == 0 ? ring->own : ring->result, rank - round);
    struct items place = part_of(ring, ring->result, rank - round - 1);
    struct items own = part_of(ring, ring->own, rank - round - 1);
    struct items coming = place;
    if (ring->coming)
        coming.buffer = ring->coming;
    exchange(ring, &coming, &going);
    schedule_reduce(ring->schedule, ring->reduction->operation,
                    ring->coming ? coming.buffer : own.buffer, place.buffer, place.count,
                    place.datatype);
}

/* In the end this rank has the part behind its own in the result. */
static void reduce_parts(struct ring *ring)
{
    int size = ring->on->group->size;
    if (ring->own == ring->result)
        ring->coming = schedule_items(ring->schedule, ring->reduction->count / size + 1,
                                      ring->reduction->datatype);
    for (int round = 0; round + 1 < size; round++)
        round_of_reduction(ring, round);
}

static struct ring ring_of(struct schedule *schedule, struct communicator *on,
                           const struct reduction *reduction)
{
    return (struct ring){.schedule = schedule,
                         .on = on,
                         .reduction = reduction,
                         .own = reduction->send == MPI_IN_PLACE ? reduction->receive
                                                                : reduction->send};
}

void ring_allreduce(struct schedule *schedule, struct communicator *on,
                    const struct reduction *reduction)
{
    struct ring ring = ring_of(schedule, on, reduction);
    ring.result = reduction->receive;
    reduce_parts(&ring);
    for (int round = 0; round + 1 < on->group->size; round++) {
        struct items coming = part_of(&ring, ring.result, on->rank - round);
        struct items going = part_of(&ring, ring.result, on->rank + 1 - round);
        exchange(&ring, &coming, &going);
    }
}

void ring_reduce(struct schedule *schedule, struct communicator *on,
                 const struct reduction *reduction, int root)
{
    int size = on->group->size;
    struct ring ring = ring_of(schedule, on, reduction);
    ring.result = on->rank == root
                      ? reduction->receive
                      : schedule_items(schedule, reduction->count, reduction->datatype);
    reduce_parts(&ring);
    for (int rank = 0; rank < size; rank++) {
        struct items part = part_of(&ring, ring.result, rank + 1);
        if (on->rank == root && rank != root)
            schedule_receive(schedule, on, rank, part.buffer, part.count, part.datatype);
        else if (on->rank == rank && rank != root)
            schedule_send(schedule, on, root, part.buffer, part.count, part.datatype);
    }
    schedule_wait(schedule);
}
