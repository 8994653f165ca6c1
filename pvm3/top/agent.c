/* agent.c - answers the questions of its parent, and sleeps between them. */
#include "top/agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pvm3.h>

#include "sched/memory.h"
#include "top/answer.h"

/* Seconds since the system started: processes tell their beginning by that clock. */
static double clock_read(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void answer_send(const struct question *question, int asker)
{
    struct answer answer = {.look = question->look};
    double now = clock_read();
    answer.usages = memory_take((size_t)question->count, sizeof *answer.usages);
    for (int i = 0; i < question->count; i++)
        answer.count += usage_read("/proc", question->pids[i], now, &answer.usages[answer.count]);
    getloadavg(&answer.load, 1);
    usage_read_memory("/proc", &answer.memory, &answer.available);
    pvm_initsend(PvmDataDefault);
    answer_pack(&answer);
    pvm_send(asker, TAG_ANSWER);
    free(answer.usages);
}

static void question_take(int asker)
{
    struct question question = {.pids = NULL};
    if (question_unpack(&question))
        answer_send(&question, asker);
    free(question.pids);
}

int agent_run(void)
{
    int asker = pvm_parent(), buffer;
    if (asker < 0) {
        fprintf(stderr, "pvmtop: --agent is for agents, which pvmtop starts\n");
        return EXIT_FAILURE;
    }
    pvm_notify(PvmTaskExit, TAG_ENDED, 1, &asker);
    while ((buffer = pvm_recv(-1, -1)) > 0) {
        int bytes, tag, source;
        pvm_bufinfo(buffer, &bytes, &tag, &source);
        if (tag == TAG_ENDED)
            break;
        if (tag == TAG_QUESTION && source == asker)
            question_take(asker);
    }
    return EXIT_SUCCESS;
}
