/*
 * guests.h - tasks that are threads or user-level processes: they have no supervisors, and live in
 * processes that hold them.
 */
#ifndef RUN_GUESTS_H
#define RUN_GUESTS_H

#include "run/ranks.h"

/* Starts them all. False when some could not be started: it is told why. */
bool guests_spawn(struct run *run);

/* Asks a task to end; one that computes does not hear of it. */
void guests_end(const struct rank *rank);

/* Ends the processes, and all that they hold. */
void guests_kill(const struct run *run);

/* Whether a process that held tasks has gone, which it does not while pvmrun runs. */
bool guests_are_lost(const struct run *run);

#endif
