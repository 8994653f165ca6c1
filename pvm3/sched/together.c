/*
 * together.c - a policy that brings tasks to the host of those with which they talk much.
 *
 * A move wins the frames that the task exchanges with tasks of the new host, and loses those with
 * tasks of the old one. The move that wins most is wished, and so on until none wins enough. It is
 * no reason to wait for a processor: a task goes only where all get what they want, or where it
 * meets less load than it leaves.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sched/memory.h"
#include "sched/policies.h"

struct choice {
    struct task *task;
    struct host *to;
    double win;
};

/* The other task of a talk, or 0 if the task has no part in it. */
static int other_of(const struct talk *talk, int tid)
{
    if (talk->one == tid)
        return talk->other;
    return talk->other == tid ? talk->one : 0;
}

/* For each host, frames a second that would not leave their host any more if the task moved there. */
static void find_wins(const struct picture *picture, const struct task *task, double *wins)
{
    for (size_t i = 0; i < picture->host_count; i++)
        wins[i] = 0;
    for (size_t i = 0; i < picture->talk_count; i++) {
        int other = other_of(&picture->talks[i], task->tid);
        const struct host *host =
            other ? picture_host(picture, picture_whereabouts(picture, other)) : NULL;
        if (host)
            wins[host - picture->hosts] += picture->talks[i].rate;
    }
    double lost = wins[picture_host(picture, task->host) - picture->hosts];
    for (size_t i = 0; i < picture->host_count; i++)
        wins[i] -= lost;
}

static bool has_room(const struct host *from, const struct host *to, double load)
{
    double there = host_load(to, load);
    return there <= 1 || there < host_load(from, 0);
}

static void look_for_host(const struct picture *picture, struct task *task, double *wins,
                          struct choice *best)
{
    const struct host *from = picture_host(picture, task->host);
    if (task->resting || task->refused || !host_is_open(from))
        return;
    find_wins(picture, task, wins);
    for (size_t i = 0; i < picture->host_count; i++) {
        struct host *to = &picture->hosts[i];
        if (wins[i] > best->win && to != from && host_is_open(to) && has_room(from, to, task->load))
            *best = (struct choice){task, to, wins[i]};
    }
}

static struct choice choose(const struct picture *picture, double *wins)
{
    struct choice best = {.task = NULL};
    for (size_t i = 0; i < picture->task_count; i++)
        look_for_host(picture, &picture->tasks[i], wins, &best);
    return best;
}

static void together_wish(const struct settings *settings, struct picture *picture,
                          struct plan *plan)
{
    double *wins = memory_take(picture->host_count, sizeof *wins);
    struct choice best;
    while ((best = choose(picture, wins)).task && best.win >= settings->talk) {
        char *reason = plan_add(plan, picture, together_policy.name, best.task, best.to);
        snprintf(reason, sizeof plan->moves->reason,
                 "%.0f frames a second more go between tasks of %s then", best.win, best.to->name);
    }
    free(wins);
}

const struct policy together_policy = {
    .name = "together",
    .about = "keep together what talks much",
    .wish = together_wish,
};
