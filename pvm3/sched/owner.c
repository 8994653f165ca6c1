/* owner.c - a policy that leaves hosts to their owners while these use them. */
#include <stdio.h>

#include "sched/leave.h"
#include "sched/policies.h"

static bool owner_closes(const struct settings *settings, struct host *host)
{
    if (host->idle < settings->idle)
        snprintf(host->why, sizeof host->why, "its owner typed %.0f s ago", host->idle);
    else if (host->others > settings->owner_load * host->processors)
        snprintf(host->why, sizeof host->why, "its owner wants %.1f of %.0f processors",
                 host->others, host->processors);
    else
        return false;
    return true;
}

static void owner_wish(const struct settings *settings, struct picture *picture, struct plan *plan)
{
    (void)settings;
    leave_closed(picture, plan, owner_policy.name, false);
}

const struct policy owner_policy = {
    .name = "owner",
    .about = "leave hosts whose owner is active",
    .closes = owner_closes,
    .wish = owner_wish,
};
