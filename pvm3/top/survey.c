/* survey.c - how a picture is made. */
#include "top/survey.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "sched/clock.h"
#include "sched/memory.h"
#include "top/answer.h"

/* What a pvmd of ours is asked about its host (pvm_tickle): those of 3.4.6 answer nothing. */
enum { TICKLE_FACTS = 30, FACTS = 4 };

/* Hosts. --------------------------------------------------------------------------------------- */

static int host_processors(int host)
{
    int question[] = {TICKLE_FACTS, host}, said[10], count = 0;
    return pvm_tickle(2, question, &count, said) == 0 && count == FACTS ? said[1] : 0;
}

/* Processes alone can be agents, whatever kind of tasks is spawned otherwise. */
static void agent_start(struct host *host)
{
    char *words[] = {"--agent", NULL};
    int count = pvm_spawn("pvmtop", words, PvmTaskHost, host->name, 1, &host->agent);
    if (count == 1)
        pvm_notify(PvmTaskExit, TAG_ENDED, 1, &host->agent);
    else
        host->agent = PvmNoFile;
}

static void host_begin(struct host *host)
{
    host->processors = host_processors(host->tid);
    if (host->processors > 0)
        agent_start(host);
    else
        host->agent = PvmNotImpl;
}

/* What is kept of a host from the look before. */
static void host_go_on(struct host *host, const struct host *before)
{
    host->processors = before->processors;
    host->agent = before->agent;
    if (host->agent == 0)
        agent_start(host);
}

static bool hosts_take(struct picture *picture, const struct picture *before)
{
    int count;
    struct pvmhostinfo *found;
    if (pvm_config(&count, NULL, &found) < 0)
        return false;
    picture->hosts = memory_take((size_t)count, sizeof *picture->hosts);
    for (int i = 0; i < count; i++) {
        struct host *host = &picture->hosts[picture->host_count++];
        host->tid = found[i].hi_tid;
        snprintf(host->name, sizeof host->name, "%s", found[i].hi_name);
        snprintf(host->arch, sizeof host->arch, "%s", found[i].hi_arch);
    }
    for (size_t i = 0; i < picture->host_count; i++) {
        const struct host *old = picture_host(before, picture->hosts[i].tid);
        if (old)
            host_go_on(&picture->hosts[i], old);
        else
            host_begin(&picture->hosts[i]);
    }
    return true;
}

/* Tasks. --------------------------------------------------------------------------------------- */

static bool is_own(const struct picture *picture, int tid)
{
    for (size_t i = 0; i < picture->host_count; i++)
        if (picture->hosts[i].agent == tid)
            return true;
    return tid == pvm_mytid();
}

static void task_enter(struct picture *picture, const struct pvmtaskinfo *found)
{
    struct task *task = &picture->tasks[picture->task_count++];
    task->tid = found->ti_tid;
    task->parent = found->ti_ptid;
    task->pid = found->ti_pid;
    task->host = picture_host(picture, found->ti_host);
    snprintf(task->program, sizeof task->program, "%s", found->ti_a_out);
}

/* A host that came after the hosts were asked for is left for the next look, with its tasks. */
static bool tasks_take(struct picture *picture)
{
    int count;
    struct pvmtaskinfo *found;
    if (pvm_tasks(0, &count, &found) < 0)
        return false;
    picture->tasks = memory_take((size_t)count, sizeof *picture->tasks);
    for (int i = 0; i < count; i++)
        if (picture_host(picture, found[i].ti_host) && !is_own(picture, found[i].ti_tid))
            task_enter(picture, &found[i]);
    return true;
}

static bool is_holder(const struct task *task)
{
    return strcmp(task->program, "pvmulp") == 0;
}

/* The tasks of a process stand together. In front is pvmulp, or the task that came first. */
static int compare_processes(const void *one, const void *other)
{
    const struct task *left = one, *right = other;
    if (left->host != right->host)
        return left->host < right->host ? -1 : 1;
    if (left->pid != right->pid)
        return left->pid < right->pid ? -1 : 1;
    if (is_holder(left) != is_holder(right))
        return is_holder(left) ? -1 : 1;
    return (left->tid > right->tid) - (left->tid < right->tid);
}

static void kinds_find(struct picture *picture)
{
    const struct task *first = NULL;
    if (picture->task_count)
        qsort(picture->tasks, picture->task_count, sizeof *picture->tasks, compare_processes);
    for (size_t i = 0; i < picture->task_count; i++) {
        struct task *task = &picture->tasks[i];
        if (!first || task->pid <= 0 || task->host != first->host || task->pid != first->pid)
            first = task;
        task->kind = first == task ? KIND_PROCESS : is_holder(first) ? KIND_ULP : KIND_THREAD;
    }
}

/* Agents. -------------------------------------------------------------------------------------- */

static void agent_ask(const struct picture *picture, const struct host *host, int look)
{
    struct question question = {.look = look};
    question.pids = memory_take(picture->task_count, sizeof *question.pids);
    for (size_t i = 0; i < picture->task_count; i++)
        if (picture->tasks[i].host == host && picture->tasks[i].kind == KIND_PROCESS)
            question.pids[question.count++] = picture->tasks[i].pid;
    pvm_initsend(PvmDataDefault);
    question_pack(&question);
    pvm_send(host->agent, TAG_QUESTION);
    free(question.pids);
}

/* The share of a processor since the look before; of a process that is new, since it began. */
static double share_of(const struct task *task, const struct picture *before)
{
    const struct usage *usage = &task->usage;
    const struct task *old = picture_task(before, task->tid);
    double ran = usage->processor, time = usage->age;
    if (old && old->known && old->pid == task->pid && old->usage.age < usage->age) {
        ran -= old->usage.processor;
        time -= old->usage.age;
    }
    return time > 0 ? ran / time : 0;
}

static void usage_enter(struct picture *picture, const struct host *host, const struct usage *usage,
                        const struct picture *before)
{
    for (size_t i = 0; i < picture->task_count; i++) {
        struct task *task = &picture->tasks[i];
        if (task->host != host || task->kind != KIND_PROCESS || task->pid != usage->pid)
            continue;
        task->known = true;
        task->usage = *usage;
        if (!*task->program)
            snprintf(task->program, sizeof task->program, "%s", usage->name);
        task->share = share_of(task, before);
    }
}

static struct host *host_of_agent(const struct picture *picture, int agent)
{
    for (size_t i = 0; i < picture->host_count; i++)
        if (picture->hosts[i].agent == agent)
            return &picture->hosts[i];
    return NULL;
}

/* Takes an answer. False: it belongs to a look before, or to no host of the picture. */
static bool answer_take(struct survey *survey, int source, const struct picture *before)
{
    struct answer answer;
    struct host *host = host_of_agent(&survey->picture, source);
    if (!host || !answer_unpack(&answer))
        return false;
    bool current = answer.look == survey->look;
    if (current) {
        host->answered = true;
        host->load = answer.load;
        host->memory = answer.memory;
        host->available = answer.available;
    }
    for (int i = 0; current && i < answer.count; i++)
        usage_enter(&survey->picture, host, &answer.usages[i], before);
    free(answer.usages);
    return current;
}

/* An agent is over, and with it what it was asked. True if that was in this look. */
static bool end_take(struct picture *picture)
{
    int tid;
    struct host *host = pvm_upkint(&tid, 1, 1) == 0 ? host_of_agent(picture, tid) : NULL;
    if (!host)
        return false;
    host->agent = 0;
    return !host->answered;
}

/* Takes a message. True if nothing more comes of one agent that was asked. */
static bool message_take(struct survey *survey, int buffer, const struct picture *before)
{
    int bytes, tag, source;
    pvm_bufinfo(buffer, &bytes, &tag, &source);
    if (tag == TAG_ENDED)
        return end_take(&survey->picture);
    return tag == TAG_ANSWER && answer_take(survey, source, before);
}

static void answers_take(struct survey *survey, const struct picture *before, size_t asked,
                         double patience)
{
    double until = clock_now() + patience;
    while (asked > 0) {
        struct timeval left = clock_left(until);
        int buffer = pvm_trecv(-1, -1, &left);
        if (buffer <= 0)
            return;
        asked -= message_take(survey, buffer, before);
    }
}

/* Looks. --------------------------------------------------------------------------------------- */

bool survey_take(struct survey *survey, double patience)
{
    struct picture before = survey->picture, *picture = &survey->picture;
    size_t asked = 0;
    *picture = (struct picture){.hosts = NULL};
    bool there = hosts_take(picture, &before) && tasks_take(picture);
    if (there) {
        kinds_find(picture);
        survey->look++;
        for (size_t i = 0; i < picture->host_count; i++)
            if (picture->hosts[i].agent > 0) {
                agent_ask(picture, &picture->hosts[i], survey->look);
                asked++;
            }
        answers_take(survey, &before, asked, patience);
    }
    picture_free(&before);
    return there;
}

bool survey_wait(struct survey *survey, int descriptor, double until)
{
    static const struct picture none;
    int *descriptors, count = pvm_getfds(&descriptors);
    if (count < 0)
        return false;
    struct pollfd polled[2] = {{.fd = descriptor, .events = POLLIN},
                               {.fd = descriptors[0], .events = POLLIN}};
    double left = until - clock_now();
    if (poll(polled, 2, left > 0 ? (int)(left * 1000) + 1 : 0) <= 0 || !polled[1].revents)
        return true;
    int buffer;
    while ((buffer = pvm_nrecv(-1, -1)) > 0)
        message_take(survey, buffer, &none);
    return buffer == 0;
}

void survey_free(struct survey *survey)
{
    picture_free(&survey->picture);
}
