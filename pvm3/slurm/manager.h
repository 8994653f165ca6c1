/*
 * manager.h - the Slurm manager: a task that gets nodes, starts pvmds there as the hoster of the
 * virtual machine, and gives nodes back.
 *
 * It adds no host itself: it tells who asks which nodes there are, and they add them as any host.
 */
#ifndef SLURM_MANAGER_H
#define SLURM_MANAGER_H

/*
 * Runs until the virtual machine ends. Nodes with a job of their own on which no task has run for
 * `idle` seconds are given back, never if it is 0. Returns the exit status.
 */
int manager_run(double idle);

#endif
