/*
 * allocation.h - the nodes of the Slurm job in which pvmrun runs.
 */
#ifndef RUN_ALLOCATION_H
#define RUN_ALLOCATION_H

#include <stdbool.h>

#include "run/job.h"

/*
 * In a job of Slurm: parts that name no hosts get all nodes of the job, with as many slots as Slurm
 * has tasks for each. From now on pvmds are started on these nodes by srun. False when that cannot
 * be: it is told why.
 */
bool allocation_take(struct job *job);

#endif
