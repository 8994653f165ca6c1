/* places.c - on which hosts new user-level processes are best started. */
#include "sched/places.h"

#include "sched/leave.h"

bool places_find(struct picture *picture, int tids[PLACES_MOST])
{
    const struct task new_task = {.load = 1};
    for (int i = 0; i < PLACES_MOST; i++) {
        struct host *host = leave_for(picture, &new_task);
        if (!host)
            return false;
        host->moving += new_task.load;
        tids[i] = host->tid;
    }
    return true;
}
