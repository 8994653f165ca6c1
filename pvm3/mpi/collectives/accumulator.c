/*
 * accumulator.c - which buffer is the result of a step.
 */
#include "mpi/collectives/accumulator.h"

#include <stdint.h>

void accumulator_begin(struct accumulator *accumulator, struct schedule *schedule,
                       const struct reduction *reduction, void *result)
{
    accumulator->schedule = schedule;
    accumulator->reduction = reduction;
    accumulator->strict = false;
    accumulator->buffers[0] = result;
    accumulator->buffers[1] = NULL;
    accumulator->value = reduction->send == MPI_IN_PLACE ? reduction->receive : reduction->send;
}

/* The index of the buffer that the value is not in. */
static int other(const struct accumulator *accumulator)
{
    return accumulator->buffers[0] && accumulator->value == accumulator->buffers[0] ? 1 : 0;
}

static void *buffer(struct accumulator *accumulator, int index)
{
    const struct reduction *reduction = accumulator->reduction;
    if (!accumulator->buffers[index])
        accumulator->buffers[index] =
            schedule_items(accumulator->schedule, reduction->count, reduction->datatype);
    return accumulator->buffers[index];
}

void *accumulator_free_buffer(struct accumulator *accumulator)
{
    return buffer(accumulator, other(accumulator));
}

/* Whether the value may be written to. A program's buffer at MPI_BOTTOM is NULL. */
static bool own(const struct accumulator *accumulator)
{
    return accumulator->value && (accumulator->value == accumulator->buffers[0] ||
                                  accumulator->value == accumulator->buffers[1]);
}

static void reduce(struct accumulator *accumulator, const void *in, void *inout)
{
    const struct reduction *reduction = accumulator->reduction;
    schedule_reduce(accumulator->schedule, reduction->operation, in, inout, reduction->count,
                    reduction->datatype);
    accumulator->value = inout;
}

void accumulator_take(struct accumulator *accumulator, bool from_below)
{
    const struct reduction *reduction = accumulator->reduction;
    void *taken = accumulator_free_buffer(accumulator);
    bool either = !accumulator->strict && operation_commutes(reduction->operation);
    if (own(accumulator) && (from_below || either)) {
        reduce(accumulator, taken, (void *)(uintptr_t)accumulator->value);
    } else if (!from_below || either) {
        reduce(accumulator, accumulator->value, taken);
    } else {
        void *copy = buffer(accumulator, 1 - other(accumulator));
        schedule_copy(accumulator->schedule, accumulator->value, reduction->count,
                      reduction->datatype, copy, reduction->count, reduction->datatype);
        reduce(accumulator, taken, copy);
    }
}

void accumulator_end(struct accumulator *accumulator, void *result)
{
    const struct reduction *reduction = accumulator->reduction;
    if (accumulator->value != result)
        schedule_copy(accumulator->schedule, accumulator->value, reduction->count,
                      reduction->datatype, result, reduction->count, reduction->datatype);
}
