/*
 * lifetime.h - when a task is over, and all that ends with it.
 *
 * A task that is a child of the daemon is over when its process is; any other one when its
 * connection is, or when it says so (TM_EXIT), or when the tasker that started it says so. A task
 * beside the first of its process also ends when that process is known to have ended, when it is
 * killed, or when its process says so (lease.h).
 */
#ifndef DAEMON_REQUESTS_LIFETIME_H
#define DAEMON_REQUESTS_LIFETIME_H

#include <stdint.h>

#include "daemon/post/request.h"

struct daemon;
struct task;
struct task_end;

/* Ends the task: tells everyone who waits for its end, and frees its record. */
void task_end(struct task *task, const struct task_end *how);

/* Ends the task while its process goes on. If a signal has ended the task, that is how it ended. */
void task_end_alone(struct task *task);

/*
 * The process of the task, its first, has ended: like task_end, for all tasks of the process, but
 * takes what they sent before. How the process ended is told of the first alone.
 */
void task_end_with_process(struct task *task, const struct task_end *how);

/*
 * Sends a signal to the process of the task. But a signal that kills ends a task beside others
 * alone: its connection is cut, which its library takes for its end. If other tasks share the
 * connection, the library is told instead. Other signals have handlers, which are the process's.
 */
void task_signal(struct task *task, int number);

/* The connection of the task is gone. */
void task_lose_link(struct task *task);

/*
 * When the daemon ends, and nobody can connect any more: waits, not for long, for the end of its
 * children that are no tasks yet. A child that is killed while it enrols leaves a file that nobody
 * else would remove.
 */
void lifetime_await_newcomers(struct daemon *daemon);

/* Ends all tasks, when the daemon ends. */
void lifetime_end_all(struct daemon *daemon);

/* Collects all child processes that have ended. */
void lifetime_reap(struct daemon *daemon);

enum request_result lifetime_exit(struct request *request); /* TM_EXIT */

#endif
