/*
 * pvmsched.c - pvmsched: the global scheduler, which decides on which host each user-level process
 * runs, and moves it there.
 *
 * It is a task like any other. A copy of it runs on each host as its agent and finds out the facts
 * (agent.h). From these it makes a picture (survey.h), which it shows to policies (policies.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "sched/agent.h"
#include "sched/clock.h"
#include "sched/decisions.h"
#include "sched/facts.h"
#include "sched/history.h"
#include "sched/options.h"
#include "sched/places.h"
#include "sched/policies.h"
#include "sched/survey.h"
#include "sched/talks.h"

/* Agents that have not answered after so many seconds are not waited for. */
static const double patience = 5;

struct scheduler {
    struct settings settings;
    struct decisions decisions;
    struct survey survey;
    struct history history;
    struct talks talks;
};

/* Takes messages about hosts and agents until a time. False when the virtual machine is gone. */
static bool sleep_until(struct scheduler *scheduler, double until)
{
    for (;;) {
        struct timeval left = clock_left(until);
        int bytes, tag, source, tid, buffer = pvm_trecv(-1, -1, &left);
        if (buffer <= 0)
            return buffer == 0;
        pvm_bufinfo(buffer, &bytes, &tag, &source);
        if (tag == TAG_ENDED && pvm_upkint(&tid, 1, 1) == 0)
            survey_ended(&scheduler->survey, tid);
        if (tag == TAG_HOST_ADDED)
            survey_hosts(&scheduler->survey);
    }
}

/* Returns whether the task has moved. */
static bool move_make(struct scheduler *scheduler, const struct picture *picture,
                      const struct move *move)
{
    int code;
    decisions_move(&scheduler->decisions, picture, move);
    if (scheduler->settings.dry_run || (code = pvm_migrate(move->tid, move->to)) == 0) {
        history_moved(&scheduler->history, &scheduler->settings, move, clock_now());
        return !scheduler->settings.dry_run;
    }
    decisions_refusal(&scheduler->decisions, picture, move, code, pvm_strerror());
    history_refused(&scheduler->history, &scheduler->settings, move, clock_now());
    return false;
}

/* Returns whether a task has moved. */
static bool decide(struct scheduler *scheduler, struct picture *picture)
{
    struct plan plan;
    plan_start(&plan, picture);
    history_mark(&scheduler->history, picture, clock_now());
    if (scheduler->settings.dry_run)
        decisions_hosts(&scheduler->decisions, picture);
    policies_ask(&scheduler->settings, picture, &plan);
    bool moved = false;
    for (size_t i = 0; i < plan.count; i++)
        moved |= move_make(scheduler, picture, &plan.moves[i]);
    plan_free(&plan);
    return moved;
}

/* Tells all where new tasks are best started. A new list has another number than those before. */
static void place_new_tasks(const struct scheduler *scheduler, struct picture *picture)
{
    int tids[PLACES_MOST], head[] = {scheduler->survey.round, PLACES_MOST};
    if (!places_find(picture, tids))
        return;
    int buffer = pvm_initsend(PvmDataDefault);
    pvm_pkint(head, 2, 1);
    pvm_pkint(tids, PLACES_MOST, 1);
    pvm_putinfo("pvm_placement", buffer, PvmMboxOverWritable);
}

/* Looks at the machine, and decides if `decides`. False when the machine is gone. */
static bool look(struct scheduler *scheduler, bool decides)
{
    struct picture picture;
    double every = scheduler->settings.every;
    if (!survey_take(&scheduler->survey, every < patience ? every : patience, &picture))
        return false;
    if (decides)
        talks_keep(&scheduler->talks, &picture);
    bool moved = decides && decide(scheduler, &picture);
    if (decides && !scheduler->settings.dry_run && !scheduler->settings.once)
        place_new_tasks(scheduler, &picture);
    picture_free(&picture);
    /* What was wanted while tasks moved says nothing about the time after it: agents begin anew. */
    return !moved || look(scheduler, false);
}

/* Looks at the machine and decides, again and again. Returns false when the machine is gone. */
static bool schedule(struct scheduler *scheduler)
{
    do {
        survey_hosts(&scheduler->survey);
        if (!sleep_until(scheduler, clock_now() + scheduler->settings.every) ||
            !look(scheduler, true))
            return false;
    } while (!scheduler->settings.once);
    return true;
}

static void scheduler_start(struct scheduler *scheduler)
{
    const struct settings *settings = &scheduler->settings;
    if (!decisions_open(&scheduler->decisions, settings->log, settings->dry_run)) {
        fprintf(stderr, "pvmsched: %s: %s\n", settings->log, strerror(errno));
        exit(EXIT_FAILURE);
    }
    pvm_notify(PvmHostAdd, TAG_HOST_ADDED, -1, NULL);
}

int main(int argc, char **argv)
{
    struct scheduler scheduler = {.survey = {.agents = NULL}};
    options_parse(&scheduler.settings, argc, argv);
    unsetenv("PVM_TASKS"); /* agents are processes, whatever else is spawned from here */
    pvm_setopt(PvmAutoErr, 0);
    if (pvm_mytid() < 0) {
        fprintf(stderr, "pvmsched: there is no virtual machine (pvm starts one)\n");
        return EXIT_FAILURE;
    }
    if (scheduler.settings.is_agent)
        return agent_run();
    scheduler_start(&scheduler);
    bool whole = schedule(&scheduler);
    if (!whole)
        fprintf(stderr, "pvmsched: the virtual machine is gone\n");
    survey_free(&scheduler.survey);
    history_free(&scheduler.history);
    talks_free(&scheduler.talks);
    pvm_exit();
    return whole ? EXIT_SUCCESS : EXIT_FAILURE;
}
