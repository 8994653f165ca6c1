/*
 * lease.h - many tasks of a process share one connection: the process leases tids for them.
 *
 * A process whose threads are tasks leases tids in advance. Later it tells the daemon of births and
 * deaths, and waits for no answer. Others see the tasks of a lease like all other tasks. A leased
 * tid whose task is not born yet has a record, and messages for it go to the process.
 *
 * A process writes of a birth before anybody else can know the tid. But the daemon may read the
 * question of another connection first. So a request about a task calls lease_hear before it looks
 * for the task. One thread.
 */
#ifndef DAEMON_POST_LEASE_H
#define DAEMON_POST_LEASE_H

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct task;
struct task_link;

/*
 * Leases tids to the link: at least `needed`, and up to `wished` if many are free. Returns how many,
 * which are in `tids`, or PvmOutOfRes. From now on each frame of the link says which task has sent
 * it.
 */
int32_t lease_extend(struct task_link *link, int32_t needed, int32_t wished, uint32_t *tids);

/*
 * The task of the lease with this tid; if `unborn`, the record of a task that has not begun. NULL if
 * there is none.
 */
struct task *lease_find(const struct task_link *link, uint32_t tid, bool unborn);

/*
 * If `tid` belongs to a lease: takes what its process has said until now (task_link_hear). Any task
 * may be gone afterwards.
 */
void lease_hear(struct daemon *daemon, uint32_t tid);
/* Takes what the processes of all leases have said. */
void lease_hear_all(struct daemon *daemon);

#endif
