/*
 * start.h - spawning the supervisors, telling the tasks of each other, and letting the programs go.
 */
#ifndef RUN_START_H
#define RUN_START_H

#include "run/ranks.h"

/* Lists the ranks with their parts and hosts. */
void start_place(struct run *run);

/*
 * Spawns a supervisor for each rank. False when some could not be started: it is told why. The
 * ranks that were started say so in messages.
 */
bool start_spawn(struct run *run);

/* All are ready: puts the mailbox entry that lists the ranks, and starts the programs. */
void start_go(struct run *run);

#endif
