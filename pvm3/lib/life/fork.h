/*
 * fork.h - what a child of fork finds of its parent's tasks.
 *
 * The child succeeds the task of the thread that forked; of others it only closes the descriptors.
 * It is no task: the connection, the tid, and the messages that have arrived stay the
 * parent's, which notices nothing. The first call that needs the pvmd enrols the child as one of
 * its own, without a parent. It keeps what is memory alone: options, the matcher, buffers and their
 * ids but for those of messages that wait in the parent, and the caller's active buffers and
 * context. Handlers, roles, caught output and lists that calls returned are gone. (In 3.4.6 both
 * share the connection and take each other's messages.)
 *
 * Threads: any thread may fork at any time. The locks of what the child keeps are taken before, so
 * that the child finds all of this whole. The child leaves the rest as it was and starts anew. What
 * the child's copy of the parent's stack still waits for, if it forked within a message handler or
 * a matcher, fails with PvmSysErr.
 */
#ifndef LIB_LIFE_FORK_H
#define LIB_LIFE_FORK_H

#include "lib/task/task.h"

struct process;

/* Takes the locks that are held over a fork, of all tasks, after process.lives. */
void fork_begin(struct process *process);

/* In the parent: gives them back. */
void fork_end(struct process *process);

/*
 * In the child: returns the task that the process has from now on, with the calling thread for its
 * only one. That succeeds `old`, the thread's; NULL when the thread has none. The parent's tasks
 * stay where they are: the stack may still refer to one.
 */
struct task *fork_succeed(struct process *process, struct task *old);

#endif
