/*
 * trace.h - the events that the daemon itself tells to a trace sink: tasks that begin and end.
 *
 * The first message to a sink is the table of all fields; the first event of each kind describes
 * itself.
 */
#ifndef DAEMON_TASKS_TRACE_H
#define DAEMON_TASKS_TRACE_H

#include "daemon/post/tasks.h"

/*
 * To the sink of the task: it was started; or it came by itself, which has no parent and no flags.
 */
void trace_task_start(struct task *task);
void trace_stranger(struct task *task);
void trace_task_end(struct task *task, const struct task_end *how);

/* To the sink: a spawn of `parent` made the task. */
void trace_spawned(struct daemon *daemon, const struct sink *sink, uint32_t tid, int32_t parent);

/* Sends the events elsewhere; the old and the new sink are told. */
void trace_redirect(struct task *task, const struct sink *sink);

/* The sink `tid` has ended: forgets what it was told. */
void trace_forget(struct daemon *daemon, uint32_t tid);

#endif
