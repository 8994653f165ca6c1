/*
 * policies.h - the policies, of which there is one table.
 *
 * A policy depends on the picture and the settings alone. To add one, write a file for it and name
 * it in policies.c.
 */
#ifndef SCHED_POLICIES_H
#define SCHED_POLICIES_H

#include "sched/picture.h"
#include "sched/plan.h"
#include "sched/settings.h"

struct policy {
    const char *name;
    const char *about; /* what it does, for --help */

    /* Whether tasks are to leave the host, and why. NULL: the policy closes no hosts. */
    bool (*closes)(const struct settings *settings, struct host *host);

    /* Adds the moves that it wishes, and shows them in the picture. */
    void (*wish)(const struct settings *settings, struct picture *picture, struct plan *plan);
};

extern const struct policy balance_policy, drain_policy, owner_policy, together_policy;

/* The policy of a name, or NULL; and all of them, until NULL. */
const struct policy *policy_named(const char *name);
const struct policy *policy_at(size_t index);

/*
 * Asks the policies of the settings, first which hosts are closed, then each for the moves that it
 * wishes after those of the policies before it.
 */
void policies_ask(const struct settings *settings, struct picture *picture, struct plan *plan);

#endif
