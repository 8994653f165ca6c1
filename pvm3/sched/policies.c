/* policies.c - the table of the policies, and how they work together. */
#include "sched/policies.h"

#include <string.h>

static const struct policy *const table[] = {&balance_policy, &drain_policy, &owner_policy,
                                             &together_policy};

const struct policy *policy_at(size_t index)
{
    return index < sizeof table / sizeof *table ? table[index] : NULL;
}

const struct policy *policy_named(const char *name)
{
    const struct policy *policy;
    for (size_t i = 0; (policy = policy_at(i)); i++)
        if (strcmp(policy->name, name) == 0)
            break;
    return policy;
}

static void hosts_close(const struct settings *settings, const struct policy *policy,
                        struct picture *picture)
{
    for (size_t i = 0; i < picture->host_count; i++) {
        struct host *host = &picture->hosts[i];
        if (host->known && !host->closed && policy->closes(settings, host))
            host->closed = policy->name;
    }
}

void policies_ask(const struct settings *settings, struct picture *picture, struct plan *plan)
{
    for (size_t i = 0; i < settings->policy_count; i++)
        if (settings->policies[i]->closes)
            hosts_close(settings, settings->policies[i], picture);
    for (size_t i = 0; i < settings->policy_count; i++)
        settings->policies[i]->wish(settings, picture, plan);
}
