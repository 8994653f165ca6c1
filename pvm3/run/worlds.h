/*
 * worlds.h - worlds that ranks spawn: the requests, and the answers to them.
 */
#ifndef RUN_WORLDS_H
#define RUN_WORLDS_H

#include "run/ranks.h"

/*
 * Takes the request that is in the active receive buffer: places the ranks of a new world, for
 * start_spawn. NULL when the request cannot be met; then the task that asks has its answer.
 */
struct world *worlds_spawn(struct run *run, int asker);

/* Tells the task that has asked that all run, or that none does, for an error of PVM. */
void worlds_answer(const struct run *run, const struct world *world);
void worlds_refuse(struct world *world, int error);

#endif
