/* leave.c - all tasks of a closed host go where they have the lowest load. */
#include "sched/leave.h"

#include <stdio.h>

struct host *leave_for(const struct picture *picture, const struct task *task)
{
    struct host *best = NULL;
    for (size_t i = 0; i < picture->host_count; i++) {
        struct host *host = &picture->hosts[i];
        if (!host_is_open(host) || host->tid == task->host)
            continue;
        if (!best || host_load(host, task->load) < host_load(best, task->load))
            best = host;
    }
    return best;
}

void leave_closed(struct picture *picture, struct plan *plan, const char *policy, bool at_once)
{
    for (size_t i = 0; i < picture->task_count; i++) {
        struct task *task = &picture->tasks[i];
        const struct host *from = picture_host(picture, task->host);
        if (from->closed != policy || task->refused || (task->resting && !at_once))
            continue;
        struct host *to = leave_for(picture, task);
        if (!to)
            continue;
        char *reason = plan_add(plan, picture, policy, task, to);
        snprintf(reason, sizeof plan->moves->reason, "%s", from->why);
    }
}
