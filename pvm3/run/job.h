/*
 * job.h - what the command line asks for.
 */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include <stdbool.h>

#include "run/memory.h"

enum { INPUT_NONE = -1, INPUT_ALL = -2 };

/* What a task is. */
enum tasks { TASKS_PROCESSES, TASKS_THREADS, TASKS_ULPS };

/* A program and how many of it: a command line has several, with colons between them. */
struct part {
    struct words words;
    struct words settings; /* -x */
    struct words hosts;    /* HOST[:SLOTS], and behind a blank options of pvmd */
    char *folder;          /* NULL: that of the caller */
    char *search;          /* folders in which the program is looked for; NULL: PATH */
    int count;             /* 0: not given */
    int each;              /* tasks on each host; 0: not given */
    char *binding;         /* what each task is bound to; NULL: nothing */
};

struct job {
    struct part *parts;
    int part_count;
    int input;             /* a rank, or INPUT_... */
    struct words hosts;    /* of parts that name none */
    struct words settings; /* of all parts */
    bool labels;
    bool hides_parent; /* tasks do not learn that pvmrun has spawned them */
    enum tasks tasks;
    bool uses_slurm; /* if there is a job of it */
    bool check;      /* nothing is run */
    bool recovers;   /* ranks live on when another one was killed */
    double timeout; /* seconds; 0: none */
};

#endif
