/*
 * scan.c - scan and exscan: the reduction of the ranks up to each.
 *
 * In round k each rank gets what 2^k ranks that end 2^k before it have, so that log n rounds do.
 */
#include "mpi/collectives/accumulator.h"

static void inclusive_scan(struct accumulator *accumulator, struct communicator *on)
{
    const struct reduction *reduction = accumulator->reduction;
    struct schedule *schedule = accumulator->schedule;
    for (int distance = 1; distance < on->group->size; distance *= 2) {
        bool receives = on->rank >= distance;
        if (receives)
            schedule_receive(schedule, on, on->rank - distance,
                             accumulator_free_buffer(accumulator), reduction->count,
                             reduction->datatype);
        if (on->rank + distance < on->group->size)
            schedule_send(schedule, on, on->rank + distance, accumulator->value, reduction->count,
                          reduction->datatype);
        schedule_wait(schedule);
        if (receives)
            accumulator_take(accumulator, true);
    }
}

void build_scan(struct schedule *schedule, const struct reduction *reduction, bool inclusive)
{
    struct communicator *on = schedule->communicator;
    struct accumulator accumulator;
    accumulator_begin(&accumulator, schedule, reduction, inclusive ? reduction->receive : NULL);
    inclusive_scan(&accumulator, on);
    if (inclusive) {
        accumulator_end(&accumulator, reduction->receive);
        return;
    }
    /* In place the value may still be where the result comes. */
    const void *value = accumulator.value;
    if (value == reduction->receive && on->rank + 1 < on->group->size) {
        schedule_send(schedule, on, on->rank + 1, value, reduction->count, reduction->datatype);
        schedule_wait(schedule);
    }
    if (on->rank > 0)
        schedule_receive(schedule, on, on->rank - 1, reduction->receive, reduction->count,
                         reduction->datatype);
    if (value != reduction->receive && on->rank + 1 < on->group->size)
        schedule_send(schedule, on, on->rank + 1, value, reduction->count, reduction->datatype);
}
