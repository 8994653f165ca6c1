/*
 * Compute and serve: P1's T1 computes a fixed piece of work while P1's T2 answers the requests
 * that P2 sends every millisecond. How much longer does the work take, how long does a request wait,
 * and what CPU time is burnt beside the work? The introduction of the paper argues from that
 * (version.h).
 */
#ifndef PINGPONG_SERVE_H
#define PINGPONG_SERVE_H

#include "options.h"

/* P1: all the repetitions; prints a line for people and a line for programs about each. The
 * latter starts with "@serve" and holds NAME=VALUE words. */
void serve_run(const struct options *options, struct link_pair links);

/* P2: sends requests between LINK_START and LINK_STOP, measures, answers with LINK_STATISTICS. */
void serve_answer(const struct options *options, struct link *link);

#endif
