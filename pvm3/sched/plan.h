/* plan.h - the moves that policies wish, each with its reason. */
#ifndef SCHED_PLAN_H
#define SCHED_PLAN_H

#include "sched/picture.h"

struct move {
    int tid;
    int from, to; /* tids of hosts */
    const char *policy;
    char reason[192];
};

/* A task moves once at most, so that there is room for one move of each. */
struct plan {
    struct move *moves;
    size_t count;
};

void plan_start(struct plan *plan, const struct picture *picture);
void plan_free(struct plan *plan);

/*
 * Appends a move, and shows in the picture what is to be expected after it. Returns the place for
 * the reason.
 */
char *plan_add(struct plan *plan, struct picture *picture, const char *policy, struct task *task,
               struct host *to);

#endif
