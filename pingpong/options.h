/*
 * What was asked for on the command line?
 */
#ifndef PINGPONG_OPTIONS_H
#define PINGPONG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "version.h"

/* What one of the programs can do. */
struct options_offer {
    const struct version *const *versions; /* ends with NULL */
    bool pvm; /* the library is PVM: there is a choice of routes, and P1 spawns P2 */
};

struct options {
    const struct version *version;
    bool serve;  /* compute and serve instead of pingpong */
    bool direct; /* route: task to task instead of through the daemon */
    bool answer; /* be P2 */
    bool one_core;
    long count;
    long size;
    long window;
    long repetitions;
    long period_us;
    long steps;
};

/* Ends the process: with status 0 after --help, with status 2 and a line that says what is wrong
 * when the command line is not understood. */
void options_parse(struct options *options, const struct options_offer *offer, int argc,
                   char **argv);

/* P1, before it has further threads: with --one-core, run all of them on the core that this thread
 * runs on, as if the other cores were computing too. */
void options_confine(const struct options *options);

#endif
