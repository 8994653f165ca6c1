/*
 * doorbell.h - wakes a thread that sleeps on an epoll set, of this process or another one.
 *
 * It is an eventfd whose count is above zero from the beginning and never asked for: a ring adds
 * nothing, and an edge-triggered watch tells of it each time. So a ring costs the thread that rings
 * one system call and the thread that is woken none, and neither can block, whatever another
 * process that has the descriptor does: flags of an open file are shared by all who have it,
 * O_NONBLOCK too, but nothing is ever added, for which a full count would have to be waited for.
 * And since a read of a semaphore takes one, nobody gets the count down to zero, where a ring would
 * not be heard.
 *
 * A set is rung until epoll_wait has told of it there; poll and select leave it as it is.
 *
 * Threads: any, without a lock.
 */
#ifndef CK_BASE_DOORBELL_H
#define CK_BASE_DOORBELL_H

#include <stdbool.h>

/* The caller's descriptor; -1 and errno when the system has none left. */
int doorbell_make(void);

/*
 * Whether a descriptor that another process says is its doorbell may be rung: one of nothing that
 * has a name or a type, so none that a write could block at.
 */
bool doorbell_is_one(int descriptor);

/* Has `set`, which is empty, tell of each ring from now on, by NULL. False without memory. */
bool doorbell_watch(int doorbell, int set);

void doorbell_ring(int doorbell);

#endif
