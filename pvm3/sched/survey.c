/* survey.c - how a picture of the virtual machine is made. */
#include "sched/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "sched/clock.h"
#include "sched/estimate.h"
#include "sched/facts.h"
#include "sched/memory.h"

/* That of a host of which the host file says nothing. */
static const double usual_speed = 1000;

/* Agents. -------------------------------------------------------------------------------------- */

static struct survey_agent *agent_of(const struct survey *survey, int host)
{
    for (size_t i = 0; i < survey->count; i++)
        if (survey->agents[i].host == host)
            return &survey->agents[i];
    return NULL;
}

static void agent_start(struct survey_agent *agent, const struct pvmhostinfo *host)
{
    char *words[] = {"--agent", NULL};
    agent->host = host->hi_tid;
    if (pvm_spawn("pvmsched", words, PvmTaskHost, host->hi_name, 1, &agent->tid) == 1)
        pvm_notify(PvmTaskExit, TAG_ENDED, 1, &agent->tid);
    else
        fprintf(stderr, "pvmsched: there is no pvmsched on %s, which is left alone\n",
                host->hi_name);
}

void survey_hosts(struct survey *survey)
{
    int count;
    struct pvmhostinfo *hosts;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return;
    struct survey before = *survey;
    survey->agents = memory_take((size_t)count, sizeof *survey->agents);
    survey->count = 0;
    for (int i = 0; i < count; i++) {
        const struct survey_agent *old = agent_of(&before, hosts[i].hi_tid);
        struct survey_agent *agent = &survey->agents[survey->count++];
        if (old)
            *agent = *old;
        else
            agent_start(agent, &hosts[i]);
    }
    free(before.agents);
}

void survey_ended(struct survey *survey, int tid)
{
    for (size_t i = 0; i < survey->count; i++)
        if (survey->agents[i].tid == tid)
            survey->agents[i] = survey->agents[--survey->count];
}

void survey_free(struct survey *survey)
{
    free(survey->agents);
    survey->agents = NULL;
}

/* What the daemon knows. ----------------------------------------------------------------------- */

static bool hosts_take(struct picture *picture)
{
    int count;
    struct pvmhostinfo *hosts;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return false;
    picture->hosts = memory_take((size_t)count, sizeof *picture->hosts);
    picture->host_count = (size_t)count;
    for (int i = 0; i < count; i++) {
        picture->hosts[i].tid = hosts[i].hi_tid;
        picture->hosts[i].speed = hosts[i].hi_speed / usual_speed;
        snprintf(picture->hosts[i].name, sizeof picture->hosts[i].name, "%s", hosts[i].hi_name);
    }
    return true;
}

static bool is_holder(const struct pvmtaskinfo *task)
{
    const char *slash = strrchr(task->ti_a_out, '/');
    return strcmp(slash ? slash + 1 : task->ti_a_out, "pvmulp") == 0;
}

static void holders_take(struct picture *picture, const struct pvmtaskinfo *tasks, int count)
{
    picture->holders = memory_take((size_t)count, sizeof *picture->holders);
    for (int i = 0; i < count; i++)
        if (is_holder(&tasks[i]))
            picture->holders[picture->holder_count++] =
                (struct holder){.host = tasks[i].ti_host, .pid = tasks[i].ti_pid};
}

static struct holder *holder_of(const struct picture *picture, const struct pvmtaskinfo *task)
{
    for (size_t i = 0; i < picture->holder_count; i++)
        if (picture->holders[i].host == task->ti_host && picture->holders[i].pid == task->ti_pid)
            return &picture->holders[i];
    return NULL;
}

/* Tasks of a host that came after the hosts were asked for are left for the next picture. */
static void tasks_take(struct picture *picture, const struct pvmtaskinfo *tasks, int count)
{
    picture->tasks = memory_take((size_t)count, sizeof *picture->tasks);
    picture->fixed = memory_take((size_t)count, sizeof *picture->fixed);
    for (int i = 0; i < count; i++) {
        struct holder *holder = holder_of(picture, &tasks[i]);
        if (!holder || is_holder(&tasks[i])) {
            picture->fixed[picture->fixed_count++] =
                (struct fixed){tasks[i].ti_tid, tasks[i].ti_host};
            continue;
        }
        if (!picture_host(picture, tasks[i].ti_host))
            continue;
        struct task *task = &picture->tasks[picture->task_count++];
        task->tid = tasks[i].ti_tid;
        task->host = tasks[i].ti_host;
        task->holder = (size_t)(holder - picture->holders);
        snprintf(task->program, sizeof task->program, "%s", tasks[i].ti_a_out);
        holder->count++;
    }
}

/* What the agents know. ------------------------------------------------------------------------ */

static void agent_ask(const struct survey *survey, const struct survey_agent *agent,
                      const struct picture *picture, const struct pvmtaskinfo *tasks, int count)
{
    struct question question = {.round = survey->round};
    question.pids = memory_take((size_t)count, sizeof *question.pids);
    for (size_t i = 0; i < picture->holder_count; i++)
        if (picture->holders[i].host == agent->host)
            question.pids[question.count++] = picture->holders[i].pid;
    question.holder_count = question.count;
    for (int i = 0; i < count; i++)
        if (tasks[i].ti_host == agent->host && !holder_of(picture, &tasks[i]))
            question.pids[question.count++] = tasks[i].ti_pid;
    pvm_initsend(PvmDataDefault);
    question_pack(&question);
    pvm_send(agent->tid, TAG_QUESTION);
    free(question.pids);
}

static void talks_add(struct picture *picture, const struct facts *facts)
{
    size_t count = picture->talk_count + (size_t)facts->sent_count;
    struct talk *talks = memory_take(count, sizeof *talks);
    for (size_t i = 0; i < picture->talk_count; i++)
        talks[i] = picture->talks[i];
    for (int i = 0; i < facts->sent_count && facts->seconds > 0; i++) {
        const struct sent *sent = &facts->sent[i];
        talks[picture->talk_count++] =
            (struct talk){sent->source, sent->destination, sent->frames / facts->seconds};
    }
    free(picture->talks);
    picture->talks = talks;
}

static void facts_enter(struct picture *picture, int tid, const struct facts *facts)
{
    struct host *host = picture_host(picture, tid);
    if (!host)
        return;
    host->known = facts->processors > 0;
    host->processors = facts->processors;
    host->others = facts->others;
    host->fixed = facts->fixed;
    host->idle = facts->idle;
    int next = 0;
    for (size_t i = 0; i < picture->holder_count; i++)
        if (picture->holders[i].host == tid && next < facts->holder_count)
            picture->holders[i].wanted = facts->wanted[next++];
    talks_add(picture, facts);
}

/* Takes an answer. False: it belongs to a round before, or to none. */
static bool answer_take(const struct survey *survey, int source, struct picture *picture)
{
    struct facts facts = {.wanted = NULL};
    bool taken = facts_unpack(&facts) && facts.round == survey->round;
    for (size_t i = 0; taken && i < survey->count; i++)
        if (survey->agents[i].tid == source)
            facts_enter(picture, survey->agents[i].host, &facts);
    facts_free(&facts);
    return taken;
}

static void answers_take(const struct survey *survey, double patience, size_t asked,
                         struct picture *picture)
{
    double until = clock_now() + patience;
    while (asked > 0) {
        struct timeval left = clock_left(until);
        int bytes, tag, source, buffer = pvm_trecv(-1, TAG_FACTS, &left);
        if (buffer <= 0)
            return;
        pvm_bufinfo(buffer, &bytes, &tag, &source);
        asked -= answer_take(survey, source, picture);
    }
}

bool survey_take(struct survey *survey, double patience, struct picture *picture)
{
    int count;
    size_t asked = 0;
    struct pvmtaskinfo *tasks;
    *picture = (struct picture){.hosts = NULL};
    if (!hosts_take(picture) || pvm_tasks(0, &count, &tasks) < 0) {
        picture_free(picture);
        return false;
    }
    holders_take(picture, tasks, count);
    tasks_take(picture, tasks, count);
    survey->round++;
    for (size_t i = 0; i < survey->count; i++)
        if (survey->agents[i].tid > 0) {
            agent_ask(survey, &survey->agents[i], picture, tasks, count);
            asked++;
        }
    answers_take(survey, patience, asked, picture);
    estimate_loads(picture);
    picture_sum(picture);
    return true;
}
