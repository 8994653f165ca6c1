/*
 * carried.h - threads of tasks that are fibers (ck/base/fiber.h), in a process that has asked for it
 * (lib/task/own_program.h).
 *
 * Threads: the thread of a task that begins or ends.
 */
#ifndef LIB_SPAWN_CARRIED_H
#define LIB_SPAWN_CARRIED_H

struct fiber;
struct process;

/* The calling thread becomes a fiber, if those of the process do. `fiber` lives until fiber_end. */
void carried_begin(const struct process *process, struct fiber *fiber);

#endif
