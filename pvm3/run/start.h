/*
 * start.h - spawning the supervisors, telling the tasks of each other, and letting the programs go.
 */
#ifndef RUN_START_H
#define RUN_START_H

#include "run/ranks.h"

/* Lists the ranks of a new world, which has the parts from `first_part` on, with their hosts. */
struct world *start_place(struct run *run, int first_part);

/*
 * Spawns a supervisor for each rank that has none. False when some could not be started: it is told
 * why. The ranks that were started say so in messages.
 */
bool start_spawn(struct run *run);

/* All of a world are ready: puts the mailbox entry that lists them, and starts the programs. */
void start_go(struct run *run, const struct world *world);

#endif
