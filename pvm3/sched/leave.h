/* leave.h - for policies that close hosts: how the tasks get away from there. */
#ifndef SCHED_LEAVE_H
#define SCHED_LEAVE_H

#include "sched/plan.h"

/* The open host on which a task would have the lowest load, or NULL if no host is open. */
struct host *leave_for(const struct picture *picture, const struct task *task);

/*
 * Wishes all tasks away from the hosts that the policy has closed. Tasks that have moved a short
 * time ago stay, unless `at_once`.
 */
void leave_closed(struct picture *picture, struct plan *plan, const char *policy, bool at_once);

#endif
