/*
 * output.h - what spawned tasks write to their standard output and error, and who gets it.
 */
#ifndef DAEMON_TASKS_OUTPUT_H
#define DAEMON_TASKS_OUTPUT_H

#include "daemon/post/request.h"
#include "daemon/post/tasks.h"

/* Reads the pipe `fd` for the task from now on. 0, or -1 with errno. */
int output_start(struct task *task, int fd);

/* Takes what is left in the pipe. */
void output_drain(struct task *task);

/* Tells the sink that no more will come, unless it has been told. */
void output_end(struct task *task);

/* Tells the sink of a task: `what` is one of enum control_output but OUTPUT_END. */
void output_tell_sink(struct task *task, int32_t what);
/* Like output_tell_sink, for a task that may be on another host. */
void output_tell(struct daemon *daemon, const struct sink *sink, uint32_t tid, int32_t what,
                 int32_t parent);

/* Another host has output of one of its tasks that nobody collects, for the log of the master. */
enum request_result output_take(struct request *request); /* DM_TASKOUT */

/* Sends the output elsewhere; the old and the new sink are told. */
void output_redirect(struct task *task, const struct sink *sink);

#endif
