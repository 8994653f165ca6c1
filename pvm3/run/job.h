/*
 * job.h - what the command line asks for.
 */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include <stdbool.h>

#include "run/memory.h"

enum { INPUT_NONE = -1, INPUT_ALL = -2 };

/* A program and how many of it: a command line has several, with colons between them. */
struct part {
    struct words words;
    struct words settings; /* -x */
    struct words hosts;    /* HOST or HOST:SLOTS */
    char *folder;          /* NULL: that of the caller */
    int count;             /* 0: not given */
    int each;              /* tasks on each host; 0: not given */
};

struct job {
    struct part *parts;
    int part_count;
    int input; /* a rank, or INPUT_... */
    bool labels;
    double timeout; /* seconds; 0: none */
};

#endif
