/*
 * children.h - what daemons start: remote shells, behind which the daemon of another machine
 * begins, and tasks. One thread.
 */
#ifndef SIMULATION_CHILDREN_H
#define SIMULATION_CHILDREN_H

#include <stdint.h>

struct child;
struct process;

/*
 * The next child of the process that runs is a remote shell to that address, for the command; a
 * task again if they are NULL.
 */
void children_note_order(const char *address, const char *command);
/* A process has forked. Begins what the child is. */
void children_begin(struct process *process, struct child *child);
/* A signal for a process of the machine of `process`. */
void children_signal(struct process *process, int pid, int number);

#endif
