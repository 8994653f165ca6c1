/*
 * acts.h - what tasks do: each function is one act of one program. One thread.
 */
#ifndef SIMULATION_ACTS_H
#define SIMULATION_ACTS_H

#include <stddef.h>
#include <stdint.h>

struct machine;
struct program;

/* Asks for so many machines, from the first on, as hosts. */
void act_add(struct program *program, const struct machine *first, size_t count);
/* Asks that the machine is no host any more. */
void act_delete(struct program *program, const struct machine *machine);
/* Spawns so many tasks, on hosts that the daemon chooses. */
void act_spawn(struct program *program, int32_t count);
/* Puts or gets an entry of the mailbox. */
void act_put(struct program *program);
void act_get(struct program *program);
/* Asks for all hosts, or for the state of all tasks. */
void act_list_hosts(struct program *program);
void act_list_tasks(struct program *program);
/* Leaves the virtual machine, as pvm_exit does, and ends. */
void act_leave(struct program *program);
/* Ends the virtual machine. */
void act_halt(struct program *program);

#endif
