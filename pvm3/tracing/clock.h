/*
 * clock.h - the clocks of hosts: brings all times of a trace to one clock, that of its tracer.
 *
 * Corrected are the times that a host has told, by the host_sync records of this host. The tool's
 * own records have its own time. Afterwards host_sync records say that there is no difference, so
 * that correcting once more changes nothing.
 */
#ifndef TRACING_CLOCK_H
#define TRACING_CLOCK_H

#include "tracing/record.h"

/* The pvmd of the host that a tid is on, as the files of a trace name it. */
int clock_host(int64_t tid);

/* What the records so far have told of the clocks of hosts. NULL at first. */
struct host_clock;

/* One record of a trace, in order. The clocks are to be freed in the end. */
void clock_correct_next(struct host_clock **clocks, struct record *record);
void clock_free(struct host_clock *clocks);

/* All records of a trace in order, through their `next`. */
void clock_correct(struct record *first);

#endif
