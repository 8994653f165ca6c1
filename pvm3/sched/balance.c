/*
 * balance.c - a policy that spreads the load evenly.
 *
 * The load of a host is how many processors the tasks want there for each that they get. A move
 * relieves: the more loaded of its two hosts has a lower load afterwards than the one that the task
 * left had before. The move that relieves most is wished, and so on until no move is worth it.
 */
#include <stdio.h>

#include "sched/policies.h"

/* Where nobody waits for a processor, there is nothing to win. */
static const double full = 1;

struct choice {
    struct task *task;
    struct host *from, *to;
    double relief;
    double
        there; /* the load that the task meets; of moves that relieve alike, the lowest is best */
};

/* A task is moved only where it gets noticeably more of a processor than it does now. */
static bool is_worth_it(const struct settings *settings, double before, double there)
{
    return before >= (there > full ? there : full) * (1 + settings->gain);
}

static bool is_better(const struct choice *one, const struct choice *other)
{
    if (!other->task || one->relief > other->relief)
        return true;
    return one->relief == other->relief && one->there < other->there;
}

static void look_at(const struct settings *settings, struct choice move, struct choice *best)
{
    double before = host_load(move.from, 0), here = host_load(move.from, -move.task->load);
    move.there = host_load(move.to, move.task->load);
    move.relief = before - (move.there > here ? move.there : here);
    if (is_worth_it(settings, before, move.there) && is_better(&move, best))
        *best = move;
}

static void look_for_host(const struct settings *settings, const struct picture *picture,
                          struct task *task, struct choice *best)
{
    struct host *from = picture_host(picture, task->host);
    if (!host_is_open(from) || host_load(from, 0) <= full)
        return;
    for (size_t i = 0; i < picture->host_count; i++) {
        struct host *to = &picture->hosts[i];
        if (to != from && host_is_open(to))
            look_at(settings, (struct choice){.task = task, .from = from, .to = to}, best);
    }
}

static struct choice choose(const struct settings *settings, const struct picture *picture)
{
    struct choice best = {.task = NULL};
    for (size_t i = 0; i < picture->task_count; i++) {
        struct task *task = &picture->tasks[i];
        if (!task->resting && !task->refused && task->load > 0)
            look_for_host(settings, picture, task, &best);
    }
    return best;
}

static void balance_wish(const struct settings *settings, struct picture *picture,
                         struct plan *plan)
{
    struct choice choice;
    while ((choice = choose(settings, picture)).task) {
        double before = host_load(choice.from, 0);
        char *reason = plan_add(plan, picture, balance_policy.name, choice.task, choice.to);
        snprintf(reason, sizeof plan->moves->reason, "load %.2f on %s, %.2f on %s with it", before,
                 choice.from->name, choice.there, choice.to->name);
    }
}

const struct policy balance_policy = {
    .name = "balance",
    .about = "spread the load evenly over the processors",
    .wish = balance_wish,
};
