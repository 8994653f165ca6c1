/*
 * estimate.h - how many processors each task wants.
 *
 * The system knows what the process wants in which user-level processes run, not which of them
 * wants it. So all tasks of a process count alike. If its threads have wanted to run all the time,
 * there may be more tasks that wait for a thread: each is taken to want a processor. Tasks of one
 * program are taken to do the same work, on whatever host: where the others wait for those of a
 * slow host, they seem to want less than they do.
 */
#ifndef SCHED_ESTIMATE_H
#define SCHED_ESTIMATE_H

#include "sched/picture.h"

/* Sets the load of all tasks, from what the holders want. */
void estimate_loads(struct picture *picture);

#endif
