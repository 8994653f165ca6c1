/*
 * answerer.h - who answers a request: the pvmd, or the resource manager in its place.
 *
 * A task that enrols while a resource manager is registered with its pvmd (pvm_reg_rm) asks that
 * one for hosts, tasks, spawning and notification, in messages of its own. This is
 * the only place that knows which requests those are. When the resource manager is over, the calls
 * that wait for it fail and the task asks its pvmd from then on; in 3.4.6 both wait for ever.
 *
 * Threads: any thread may call anything.
 */
#ifndef LIB_ANSWERER_H
#define LIB_ANSWERER_H

#include "lib/task.h"

/* Where a request goes, and what it is called there. */
struct answerer {
    uint32_t tid;
    int32_t tag;
    int32_t context;
};

/* For a request with `tag` and `context`, as it would go to the pvmd. */
struct answerer answerer_for(const struct task *task, int32_t tag, int32_t context);

/*
 * Has the pvmd tell of the end of the resource manager that it named, if it named one. One that is
 * over already, as the pvmd of 3.4.6 may name, counts for none. The task has just enrolled.
 */
void answerer_watch(struct task *task);

/* A task is over, says a message of the pvmd: if that was the resource manager, it is given up. */
void answerer_take_exit(struct task *task, const struct message *notice);

#endif
