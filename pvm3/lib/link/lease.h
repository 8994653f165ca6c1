/*
 * lease.h - tids that the pvmd has lent to this process, for tasks that are threads.
 *
 * Thread tasks share the connection of the task that spawned the first of them. The process tells
 * the pvmd of births and deaths on this connection, and waits for no answer. Word of a birth goes
 * before the first message of the task, and word of its death behind the last one. A pvmd of 3.4.6
 * lends no tids: then each thread task has a connection of its own.
 *
 * Threads: any thread may call lease_begin and lease_tell_death. The other functions are for the
 * thread that is between lease_begin and lease_end.
 */
#ifndef LIB_LINK_LEASE_H
#define LIB_LINK_LEASE_H

#include <stdbool.h>

#include "lib/task/process.h"

/* Makes an empty lease. lease_abandon does so in a child of fork, which got none of its parent's. */
void lease_start(struct lease *lease);
void lease_abandon(struct lease *lease);

/* Waits until no other thread starts thread tasks, and keeps others from it until lease_end. */
void lease_begin(struct process *process);
void lease_end(struct process *process);

/*
 * Takes the next tid of the lease. If none is left, `task` asks the pvmd for at least `needed` of
 * them first. The tid is 0 if there is none: the pvmd lends none, or `task` cannot ask, as it has
 * enrolled by another connection than that which thread tasks share.
 */
struct lent lease_next(struct task *task, int needed);

/*
 * Whether there is a connection that tasks can share; if there is none yet, `task` asks the pvmd for
 * tids, so that its own becomes one.
 */
bool lease_is_there(struct task *task);

/* Drops all tids: their connection has ended, and the pvmd has taken them back. */
void lease_forget(struct process *process);

/* Tells the pvmd of births. Of the `count` entries of `tasks` some may be NULL. 0 or PvmNoMem. */
int lease_tell_births(struct task *const *tasks, int count);

/* Tells the pvmd that `task` is over if it has a tid of the lease. Only the first call tells. */
void lease_tell_death(struct task *task);

#endif
