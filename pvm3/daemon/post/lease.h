/*
 * lease.h - a process's tasks beside its first share one connection, and get their tids in advance.
 *
 * So a task that is a thread costs no connection and no answer: its process tells of its birth and
 * of its death, and others see a task like any other. A tid that is leased and has no task yet is a
 * record of the link; what is sent to it goes there. Births are written before anybody can know the
 * tid, but other connections may be read first: whoever is asked about a task hears the lease
 * before. One thread.
 */
#ifndef DAEMON_POST_LEASE_H
#define DAEMON_POST_LEASE_H

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct task;
struct task_link;

/*
 * Leases `needed` tids to the link, and up to `wished` when there are plenty. How many, and their
 * tids, or PvmOutOfRes. From now on the link carries frames of many tasks.
 */
int32_t lease_extend(struct task_link *link, int32_t needed, int32_t wished, uint32_t *tids);

/* The task of the lease with this tid; a record that is no task yet if `unborn`. NULL: none. */
struct task *lease_find(const struct task_link *link, uint32_t tid, bool unborn);

/*
 * Takes what the process of `tid` has said, if that is leased. A link that is held is heard only
 * when it may tell of the birth. The tasks that were known before may be gone then.
 */
void lease_hear(struct daemon *daemon, uint32_t tid);
/* The same of all processes. */
void lease_hear_all(struct daemon *daemon);

#endif
