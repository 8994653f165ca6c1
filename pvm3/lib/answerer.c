/* answerer.c - which requests a resource manager takes over. */
#include "lib/answerer.h"

#include <pvm3.h>

#include "core/control.h"
#include "core/tid.h"
#include "lib/pvmd_link.h"

/* What the pvmd and what the resource manager calls the same request. */
static const struct {
    int32_t pvmd;
    int32_t manager;
} taken_over[] = {
    {TM_SPAWN, SM_SPAWN},     {TM_TASK, SM_TASK},       {TM_CONFIG, SM_CONFIG},
    {TM_ADDHOST, SM_ADDHOST}, {TM_DELHOST, SM_DELHOST}, {TM_NOTIFY, SM_NOTIFY},
    {TM_SCHED, SM_SCHED},
};

struct answerer answerer_for(const struct task *task, int32_t tag, int32_t context)
{
    int manager = atomic_load(&task->manager);
    for (size_t i = 0; manager != 0 && i < sizeof taken_over / sizeof *taken_over; i++)
        if (taken_over[i].pvmd == tag)
            return (struct answerer){(uint32_t)manager, taken_over[i].manager, PvmBaseContext};
    return (struct answerer){TID_OWN_DAEMON, tag, context};
}

/* First nobody new asks it, then those who did are let go: nobody slips in between the two. */
static bool answerer_forget(struct task *task, int tid)
{
    int manager = tid;
    if (tid == 0 || !atomic_compare_exchange_strong(&task->manager, &manager, 0))
        return false;
    endpoint_give_up(&task->endpoint, (uint32_t)tid);
    return true;
}

void answerer_watch(struct task *task)
{
    int tid = atomic_load(&task->manager);
    if (tid == 0)
        return;
    struct message *request = pvmd_link_request(TM_PSTAT);
    control_put_int(request, tid);
    if (pvmd_link_ask(task, request) != PvmOk) {
        answerer_forget(task, tid);
        return;
    }
    struct message *watch = pvmd_link_request(TM_NOTIFY);
    control_put_int(watch, PvmTaskExit);
    control_put_int(watch, CONTROL_CONTEXT_TC);
    control_put_int(watch, TC_TASKEXIT);
    control_put_int(watch, 1);
    control_put_int(watch, tid);
    if (pvmd_link_tell(task, watch, TID_OWN_DAEMON) < 0)
        answerer_forget(task, tid);
}

void answerer_take_exit(struct task *task, const struct message *notice)
{
    struct control_reader reader;
    control_read(&reader, notice);
    int tid = control_get_int(&reader);
    if (notice->header.source == TID_OWN_DAEMON && answerer_forget(task, tid) &&
        atomic_load(&task->auto_error) >= 1)
        task_print(task, "the resource manager t%x is gone: asking the pvmd from now on",
                   (unsigned)tid);
}
