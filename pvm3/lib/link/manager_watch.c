/* manager_watch.c - asking for word of the resource manager's end, and what follows from it. */
#include "lib/link/manager_watch.h"

#include <pvm3.h>

#include "core/tid.h"
#include "lib/link/pvmd_link.h"

/*
 * First no new call asks the resource manager, then the calls that wait for it are let go: so no
 * call is left waiting.
 */
static bool manager_watch_forget(struct task *task, int tid)
{
    int manager = tid;
    if (tid == 0 || !atomic_compare_exchange_strong(&task->manager, &manager, 0))
        return false;
    endpoint_give_up(&task->endpoint, (uint32_t)tid);
    return true;
}

void manager_watch_begin(struct task *task)
{
    int tid = atomic_load(&task->manager);
    if (tid == 0)
        return;
    if (pvmd_link_state(task, tid) != PvmOk) {
        manager_watch_forget(task, tid);
        return;
    }
    if (pvmd_link_watch(task, PvmTaskExit, TC_TASKEXIT, (uint32_t)tid) < 0)
        manager_watch_forget(task, tid);
}

void manager_watch_take_exit(struct task *task, const struct message *notice)
{
    struct control_reader reader;
    control_read(&reader, notice);
    int tid = control_get_int(&reader);
    if (notice->header.source == TID_OWN_DAEMON && manager_watch_forget(task, tid) &&
        atomic_load(&task->auto_error) >= 1)
        task_print(task, "the resource manager t%x is gone: asking the pvmd from now on",
                   (unsigned)tid);
}
