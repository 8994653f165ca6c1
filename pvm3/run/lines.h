/*
 * lines.h - the output of tasks, line by line.
 */
#ifndef RUN_LINES_H
#define RUN_LINES_H

#include "run/ranks.h"

/* Takes what a rank has printed: whole lines go out. stream: 0 standard output, 1 standard error. */
void lines_take(struct run *run, int rank, int stream, const char *text, size_t length);

/* The rank prints no more: what it has left of a line goes out. */
void lines_end(struct run *run, int rank);

#endif
