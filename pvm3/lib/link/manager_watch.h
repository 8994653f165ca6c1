/*
 * manager_watch.h - the end of the resource manager that a task asks (lib/link/answerer.h).
 *
 * When the resource manager is over, the calls that wait for it fail and the task asks its pvmd
 * from then on; in 3.4.6 both wait for ever.
 *
 * Threads: any thread may call anything.
 */
#ifndef LIB_LINK_MANAGER_WATCH_H
#define LIB_LINK_MANAGER_WATCH_H

#include "lib/task/task.h"

/*
 * Has the pvmd tell of the end of the resource manager that it named, if it named one. A resource
 * manager that is over already, which the pvmd of 3.4.6 may name, is not asked. The task has just
 * enrolled.
 */
void manager_watch_begin(struct task *task);

/* A task is over, says a message of the pvmd: if that was the resource manager, it is given up. */
void manager_watch_take_exit(struct task *task, const struct message *notice);

#endif
