/* drain.c - a policy that empties the hosts which --drain names. */
#include <stdio.h>
#include <string.h>

#include "sched/leave.h"
#include "sched/policies.h"

static bool is_named(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (names) {
        const char *end = strchr(names, ',');
        size_t size = end ? (size_t)(end - names) : strlen(names);
        if (size == length && memcmp(names, name, length) == 0)
            return true;
        names = end ? end + 1 : NULL;
    }
    return false;
}

static bool drain_closes(const struct settings *settings, struct host *host)
{
    snprintf(host->why, sizeof host->why, "it is to be empty");
    return is_named(settings->drain, host->name);
}

static void drain_wish(const struct settings *settings, struct picture *picture, struct plan *plan)
{
    (void)settings;
    leave_closed(picture, plan, drain_policy.name, true);
}

const struct policy drain_policy = {
    .name = "drain",
    .about = "empty the hosts that --drain names",
    .closes = drain_closes,
    .wish = drain_wish,
};
