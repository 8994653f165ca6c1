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

/* Starts the thread with the words of own_program_knock. 0 or an error. */
int guest_start(struct caller *caller, const struct guest *guest, char *const *words);

#endif
