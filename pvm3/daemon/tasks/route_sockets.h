/*
 * route_sockets.h - the sockets of direct routes that tasks leave behind.
 *
 * A task offers a direct route on a socket in the temporary folder, and removes the name of the
 * socket when the route is there. A task that is killed before leaves the name behind. So the
 * daemon notes each socket of which a message between tasks tells, and removes its name at the end
 * of the task. Anything of this name that is not the socket that was noted stays. One thread.
 */
#ifndef DAEMON_TASKS_ROUTE_SOCKETS_H
#define DAEMON_TASKS_ROUTE_SOCKETS_H

#include "core/frame_reader.h"

struct task;

/* Notes the socket of which `received`, a frame of the task to another task, tells, if any. */
void route_sockets_note(struct task *task, const struct received_frame *received);

/* Removes the names that are still there. */
void route_sockets_task_end(struct task *task);

#endif
