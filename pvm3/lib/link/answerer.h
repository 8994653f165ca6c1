/*
 * answerer.h - who answers a request: the pvmd, or the resource manager in its place.
 *
 * A task that enrols while a resource manager is registered with its pvmd (pvm_reg_rm) asks the
 * resource manager for hosts, tasks, spawning and notification, in messages of its own. Only this
 * file knows which requests go to it. lib/link/manager_watch.h says what happens when the resource
 * manager is over.
 *
 * Threads: any thread may call anything.
 */
#ifndef LIB_LINK_ANSWERER_H
#define LIB_LINK_ANSWERER_H

#include "lib/task/task.h"

/* Where a request goes, and what it is called there. */
struct answerer {
    uint32_t tid;
    int32_t tag;
    int32_t context;
};

/* For a request with `tag` and `context`, as it would go to the pvmd. */
struct answerer answerer_for(const struct task *task, int32_t tag, int32_t context);

#endif
