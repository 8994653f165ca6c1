/*
 * ranks.h - a run of a program: its tasks, and how far each of them is.
 */
#ifndef RUN_RANKS_H
#define RUN_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/hosts.h"
#include "run/job.h"
#include "run/machine.h"
#include "run/outlet.h"

enum rank_state {
    RANK_PLACED,  /* it is not spawned */
    RANK_SPAWNED, /* its supervisor has not said a word */
    RANK_READY,   /* the program may start */
    RANK_RUNS,
    RANK_OVER
};

/* The part of a line that has come of an output of a task. */
struct line {
    char *text;
    size_t length, room;
};

struct rank {
    enum rank_state state;
    int part;
    const struct host *host;
    int tid;
    int pid; /* by which its supervisor names it */
    int supervisor;
    int status;        /* with which it has ended */
    bool tells_status; /* it will say so before it ends, or else was killed */
    struct line lines[2];
    size_t owed;     /* bytes of output that it has not been told of as written */
    size_t underway; /* bytes of input that it has not taken */
};

struct run {
    struct job job;
    struct words variables; /* the environment of pvmrun as it was */
    struct machine machine;
    struct hosts hosts;
    struct rank *ranks;
    int size;
    int ready, over; /* how many ranks have come so far */
    int context;
    int status; /* with which it is to end */
    bool has_status;
    struct outlet outlets[2];
    int *holders; /* processes that hold tasks which are none */
    int holder_count;
    bool lacks_holder; /* one had gone before it was looked for */
};

#endif
