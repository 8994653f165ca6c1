/*
 * meter.h - what the threads of a host want of its processors, from one reading to the next, and
 * how long ago an input device was used.
 *
 * The kernel counts for how long each thread has run, has waited for its turn, and how often
 * (/proc/PID/task/TID/schedstat). If it had never waited, it would have spent the rest of the time
 * alone, and have run for the same share of this: so much of a processor it wants. A thread that
 * computes on and on wants one, however little it gets. So a host where four threads compute on two
 * processors shows four. A host that shares its kernel with others, such as a container with a
 * network of its own, shows what runs in its own network.
 */
#ifndef SCHED_METER_H
#define SCHED_METER_H

#include <stddef.h>
#include <stdint.h>

#include "sched/facts.h"

struct meter_thread {
    int tid, pid;
    uint64_t ran, waited; /* nanoseconds, since it began */
    uint64_t turns;       /* how often it was given a processor */
};

struct meter {
    const char *proc, *dev; /* folders: /proc and /dev, but in tests */
    struct meter_thread *threads;
    size_t count, room;
    double read_at; /* seconds */
};

/* Takes the first reading. */
void meter_start(struct meter *meter, const char *proc, const char *dev, double now);
void meter_free(struct meter *meter);

/* Fills in the facts since the reading before. `now`: seconds of any clock that runs evenly. */
void meter_read(struct meter *meter, const struct question *question, double now,
                struct facts *facts);

#endif
