/*
 * reduce.c - reduce and allreduce.
 *
 * Few bytes are reduced along a binomial tree, or by recursive doubling, where the operands of each
 * rank are neighbours. Many bytes of an operation that commutes are reduced in a ring: each rank
 * has a part of the result in the end, which it passes on.
 */
#include "mpi/collectives/accumulator.h"
#include "mpi/collectives/reduce.h"
#include "mpi/collectives/ring.h"
#include "mpi/schedules/items.h"
#include "mpi/schedules/trees.h"

enum { LONG_REDUCE = 65536 };

static bool in_ring(const struct communicator *on, const struct reduction *reduction)
{
    MPI_Count bytes = reduction->count * reduction->datatype->size;
    return on->group->size > 1 && bytes >= LONG_REDUCE && reduction->count >= on->group->size &&
           operation_commutes(reduction->operation);
}

static void receive(struct accumulator *accumulator, struct communicator *on, int rank)
{
    const struct reduction *reduction = accumulator->reduction;
    schedule_receive(accumulator->schedule, on, rank, accumulator_free_buffer(accumulator),
                     reduction->count, reduction->datatype);
}

static void send(struct accumulator *accumulator, struct communicator *on, int rank)
{
    const struct reduction *reduction = accumulator->reduction;
    schedule_send(accumulator->schedule, on, rank, accumulator->value, reduction->count,
                  reduction->datatype);
}

/* To `root`, whose relative rank is 0. Each rank takes in those right behind what it has. */
static void tree(struct accumulator *accumulator, struct communicator *on, int root)
{
    int size = on->group->size;
    int relative = (on->rank - root + size) % size;
    for (int bit = 1; bit < size; bit *= 2) {
        if (relative & bit) {
            send(accumulator, on, (relative - bit + root) % size);
            schedule_wait(accumulator->schedule);
            return;
        }
        if (relative + bit >= size)
            continue;
        receive(accumulator, on, (relative + bit + root) % size);
        schedule_wait(accumulator->schedule);
        accumulator_take(accumulator, false);
    }
}

void reduce_within(struct schedule *schedule, struct communicator *on,
                   const struct reduction *reduction, int root)
{
    if (in_ring(on, reduction)) {
        ring_reduce(schedule, on, reduction, root);
        return;
    }
    /* The order of the ranks begins with 0. */
    int top = operation_commutes(reduction->operation) ? root : 0;
    void *result = on->rank == root ? reduction->receive : NULL;
    struct accumulator accumulator;
    accumulator_begin(&accumulator, schedule, reduction, on->rank == top ? result : NULL);
    tree(&accumulator, on, top);
    if (on->rank == top && top != root)
        send(&accumulator, on, root);
    else if (on->rank == root && top != root)
        schedule_receive(schedule, on, top, result, reduction->count, reduction->datatype);
    else if (on->rank == root)
        accumulator_end(&accumulator, result);
    schedule_wait(schedule);
}

void build_reduce(struct schedule *schedule, const struct reduction *reduction, int root)
{
    struct communicator *communicator = schedule->communicator;
    if (!communicator->remote) {
        reduce_within(schedule, communicator, reduction, root);
        return;
    }
    if (root == MPI_ROOT)
        schedule_receive(schedule, communicator, 0, reduction->receive, reduction->count,
                         reduction->datatype);
    if (root == MPI_ROOT || root == MPI_PROC_NULL)
        return;
    struct reduction first = *reduction;
    if (communicator->rank == 0)
        first.receive = schedule_items(schedule, reduction->count, reduction->datatype);
    reduce_within(schedule, communicator->local, &first, 0);
    if (communicator->rank == 0)
        schedule_send(schedule, communicator, root, first.receive, reduction->count,
                      reduction->datatype);
}

/*
 * Recursive doubling over the greatest power of 2 of ranks. Of the first ranks each pair has one
 * representative, the upper one, if there are more.
 */
static void doubling(struct accumulator *accumulator, struct communicator *on, void *result)
{
    struct schedule *schedule = accumulator->schedule;
    const struct reduction *reduction = accumulator->reduction;
    int size = on->group->size;
    int power = 1;
    while (power * 2 <= size)
        power *= 2;
    int pairs = size - power;
    bool paired = on->rank < 2 * pairs;
    if (paired && on->rank % 2 == 0) {
        send(accumulator, on, on->rank + 1);
        schedule_wait(schedule);
        schedule_receive(schedule, on, on->rank + 1, result, reduction->count, reduction->datatype);
        schedule_wait(schedule);
        return;
    }
    if (paired) {
        receive(accumulator, on, on->rank - 1);
        schedule_wait(schedule);
        accumulator_take(accumulator, true);
    }
    int place = paired ? on->rank / 2 : on->rank - pairs;
    for (int bit = 1; bit < power; bit *= 2) {
        int partner = place ^ bit;
        int rank = partner < pairs ? 2 * partner + 1 : partner + pairs;
        receive(accumulator, on, rank);
        send(accumulator, on, rank);
        schedule_wait(schedule);
        accumulator_take(accumulator, partner < place);
    }
    accumulator_end(accumulator, result);
    if (paired)
        schedule_send(schedule, on, on->rank - 1, result, reduction->count, reduction->datatype);
    schedule_wait(schedule);
}

/* Both first ranks reduce what their groups have, exchange the results and spread them. */
static void between_groups(struct schedule *schedule, const struct reduction *reduction)
{
    struct communicator *communicator = schedule->communicator;
    struct reduction own = *reduction;
    if (communicator->rank == 0)
        own.receive = schedule_items(schedule, reduction->count, reduction->datatype);
    reduce_within(schedule, communicator->local, &own, 0);
    if (communicator->rank == 0) {
        schedule_receive(schedule, communicator, 0, reduction->receive, reduction->count,
                         reduction->datatype);
        schedule_send(schedule, communicator, 0, own.receive, reduction->count,
                      reduction->datatype);
        schedule_wait(schedule);
    }
    struct items result = {reduction->receive, reduction->count, reduction->datatype};
    tree_bcast(schedule, communicator->local, &result, 0);
}

void build_allreduce(struct schedule *schedule, const struct reduction *reduction)
{
    struct communicator *communicator = schedule->communicator;
    if (communicator->remote) {
        between_groups(schedule, reduction);
    } else if (in_ring(communicator, reduction)) {
        ring_allreduce(schedule, communicator, reduction);
    } else {
        struct accumulator accumulator;
        accumulator_begin(&accumulator, schedule, reduction, reduction->receive);
        /* So all ranks compute the very same. */
        accumulator.strict = true;
        doubling(&accumulator, communicator, reduction->receive);
    }
}
