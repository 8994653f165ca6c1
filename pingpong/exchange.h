/*
 * The pingpong itself: P1's T1 sends `count` messages, P2 answers each with the same bytes, P1's T2
 * receives the answers. It is the pingpong of section 5 of the paper (version.h).
 */
#ifndef PINGPONG_EXCHANGE_H
#define PINGPONG_EXCHANGE_H

#include "options.h"

/* P1: all the repetitions; prints a line for people and a line for programs about each. The
 * latter starts with "@pingpong" and holds NAME=VALUE words. */
void exchange_run(const struct options *options, struct link_pair links);

/* P2: the other side of the exchange. */
void exchange_answer(const struct options *options, struct link *link);

#endif
