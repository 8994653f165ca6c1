/*
 * tasker.h - starting tasks through the tasker, in place of a fork of the daemon.
 *
 * A task that the tasker is to start has a record at once. Its process claims it by a made-up
 * number, since nobody knows the process's id beforehand. The task is over when its connection
 * ends, when the tasker says so, or when the tasker is gone before it was started.
 */
#ifndef DAEMON_TASKS_TASKER_H
#define DAEMON_TASKS_TASKER_H

#include "daemon/post/tasks.h"
#include "daemon/tasks/execution.h"

/*
 * Has the tasker, which there is, start a task; `number` counts within the order. 0, or
 * PvmOutOfRes.
 */
int tasker_start(struct task *task, const struct execution *execution, const char *path,
                 uint32_t number);

#endif
