/*
 * recording.h - runs a program as a traced task and gathers the trace of it and of the tasks that
 * it spawns.
 */
#ifndef TOOLS_RECORDING_H
#define TOOLS_RECORDING_H

#include <pvmtev.h>

#include "tracing/clock.h"
#include "tracing/decode.h"
#include "tracing/record.h"

struct recording {
    /* What is wanted. */
    Pvmtmask mask;
    int buffer;     /* bytes that tasks gather before they tell */
    bool live;      /* events are printed at once (live.h), and not kept; output is one of them */
    char **program; /* with its arguments, ends with NULL */
    /* What was found. */
    struct decoder decoder; /* owns the layouts */
    struct record *first;
    struct record **last;
    int status; /* of the program, as wait gives it; -1: not known */
    /* Meanwhile. */
    struct host_clock *clocks; /* of a live recording */
    int tid;
    int *tids; /* tasks that live */
    int count;
    bool started; /* the virtual machine is ours, to be halted in the end */
};

/*
 * Runs the program until it and all tasks of it have ended, or a signal says that it is enough.
 * What they print goes to stdout. False, and a line on stderr says why, if there is nothing to
 * show.
 */
bool recording_run(struct recording *recording);

/* Ends the virtual machine if this program has started it. Gives the records back. */
void recording_finish(struct recording *recording);

#endif
