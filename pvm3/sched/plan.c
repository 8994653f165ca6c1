/* plan.c - the moves that policies wish. */
#include "sched/plan.h"

#include <stdlib.h>

#include "sched/memory.h"

void plan_start(struct plan *plan, const struct picture *picture)
{
    plan->moves = memory_take(picture->task_count, sizeof *plan->moves);
    plan->count = 0;
}

void plan_free(struct plan *plan)
{
    free(plan->moves);
    plan->moves = NULL;
}

char *plan_add(struct plan *plan, struct picture *picture, const char *policy, struct task *task,
               struct host *to)
{
    struct move *move = &plan->moves[plan->count++];
    move->tid = task->tid;
    move->from = task->host;
    move->to = to->tid;
    move->policy = policy;
    picture_move(picture, task, to);
    return move->reason;
}
