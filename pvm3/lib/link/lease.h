/*
 * lease.h - tids that the pvmd has lent to this process, for tasks that are its threads.
 *
 * Such a task has no connection: it shares that of the first one, and begins and ends without an
 * answer of the pvmd. What it sends stands behind word of its birth, and word of its end behind
 * what it has sent. A pvmd of 3.4.6 lends nothing: then each task has a connection of its own.
 *
 * Threads: one at a time between lease_begin and lease_end, any thread otherwise.
 */
#ifndef LIB_LINK_LEASE_H
#define LIB_LINK_LEASE_H

#include <stdbool.h>

#include "lib/task/process.h"

/* There is none yet; and in a child of fork, which has none of its parent's. */
void lease_start(struct lease *lease);
void lease_abandon(struct lease *lease);

/* Waits until the calling thread alone starts tasks. */
void lease_begin(struct process *process);
void lease_end(struct process *process);

/* The next tid that is left; zeros without one. */
struct lent lease_next(struct process *process);

/* How many there are. */
int lease_left(const struct process *process);

/* The connection to which the tids belonged is gone: they are nobody's. */
void lease_forget(struct process *process);

/*
 * Asks for at least `needed` more tids, as `task`: one that has a tid of the lease, or the first,
 * enrolled by a connection of its own, which tasks share from then on. Without success there are
 * none.
 */
void lease_ask(struct task *task, int needed);

/* Tells the pvmd of the births of up to `count` tasks, NULL being none. 0 or PvmNoMem. */
int lease_tell_births(struct task *const *tasks, int count);

/* Tells it once that `task` is over, if it has a tid of the lease. */
void lease_tell_death(struct task *task);

#endif
