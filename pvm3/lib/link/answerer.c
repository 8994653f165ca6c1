/* answerer.c - which requests a resource manager takes over. */
#include "lib/link/answerer.h"

#include <pvm3.h>

#include "core/control.h"
#include "core/tid.h"

/* Each request that both know, as the pvmd calls it and as the resource manager calls it. */
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
