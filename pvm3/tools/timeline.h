/*
 * timeline.h - a trace as what happened on each task: its calls, with begin and end, and moments.
 *
 * Times are nanoseconds of the tracer's clock. The times of one task rise strictly, though records
 * have microseconds, so that every call takes some time, and two calls are nested or follow each
 * other.
 */
#ifndef TOOLS_TIMELINE_H
#define TOOLS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "tracing/record.h"

struct call {
    struct record *entry;
    struct record *exit; /* NULL: it did not return before the trace ended */
    int64_t begin;
    int64_t end;
    int lane;
};

/* What takes no time: the begin and end of a task, a line of output, a message for a handler. */
struct moment {
    struct record *record;
    int64_t time;
};

struct timeline_host {
    struct timeline_host *next;
    int dtid;
    const char *name;
    int number;    /* 1, 2, ... in the order of the trace */
    int64_t shift; /* to be added to all of its times, see messages.h */
};

/* A task. */
struct timeline_task {
    struct timeline_task *next;
    struct timeline_host *host;
    int tid;
    const char *name;
    struct call *calls; /* in the order of their begin, once the timeline is made */
    size_t call_count;
    struct moment *moments;
    size_t moment_count;
    int64_t last; /* time of its latest record */
    int lanes;
    int lane_number; /* of its second lane, for those who write it */
};

struct timeline {
    struct timeline_host *hosts;
    struct timeline_task *tasks;
    int64_t first; /* the earliest of all times */
    int host_count;
};

/* From all records in order, whose clocks have been corrected; they must outlive it. */
void timeline_make(struct timeline *timeline, struct record *first);
void timeline_free(struct timeline *timeline);

struct timeline_task *timeline_task(struct timeline *timeline, int tid);

#endif
