/*
 * guest.h - a thread for a task that comes from another process (own_program_knock).
 *
 * The task that is to move listens, and orders a thread of the holder on the other host, with a stack
 * at the place that its own has. The thread connects to it. What both then say to each other is
 * pvmulp's.
 *
 * Threads: guest_start is called by the thread of the holder that takes orders.
 */
#ifndef LIB_SPAWN_GUEST_H
#define LIB_SPAWN_GUEST_H

#include "lib/spawn/hold_order.h"

struct caller;
struct task;

/* Starts the thread for the task `tid`, with the words of own_program_knock. 0 or an error. */
int guest_start(struct caller *caller, int tid, const struct guest *guest, char *const *words);

/*
 * Tells the pvmd that the task will not arrive, unless it has arrived, or a thread waits for it. A
 * thread that has waited in vain does so, too.
 */
void guest_tell_not(struct task *holder, int tid);

#endif
