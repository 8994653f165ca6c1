/* agent.c - answers the questions of the scheduler, and sleeps between them. */
#include "sched/agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pvm3.h>

#include "sched/clock.h"
#include "sched/memory.h"
#include "sched/meter.h"

/* The daemon, which has started this process, is of the virtual machine as well. */
static void question_add_daemon(struct question *question)
{
    int *pids = memory_take((size_t)question->count + 1, sizeof *pids);
    for (int i = 0; i < question->count; i++)
        pids[i] = question->pids[i];
    pids[question->count++] = getppid();
    free(question->pids);
    question->pids = pids;
}

static void answer(struct meter *meter, int scheduler)
{
    struct question question;
    struct facts facts;
    if (!question_unpack(&question))
        return;
    question_add_daemon(&question);
    meter_read(meter, &question, clock_now(), &facts);
    pvm_initsend(PvmDataDefault);
    facts_pack(&facts);
    pvm_send(scheduler, TAG_FACTS);
    free(question.pids);
    free(facts.wanted);
}

int agent_run(void)
{
    struct meter meter;
    int scheduler = pvm_parent(), buffer;
    if (scheduler < 0) {
        fprintf(stderr, "pvmsched: --agent is for agents, which the scheduler starts\n");
        return EXIT_FAILURE;
    }
    pvm_notify(PvmTaskExit, TAG_ENDED, 1, &scheduler);
    meter_start(&meter, "/proc", "/dev", clock_now());
    while ((buffer = pvm_recv(-1, -1)) > 0) {
        int bytes, tag, source;
        pvm_bufinfo(buffer, &bytes, &tag, &source);
        if (tag == TAG_ENDED)
            break;
        if (tag == TAG_QUESTION && source == scheduler)
            answer(&meter, scheduler);
    }
    meter_free(&meter);
    pvm_exit();
    return EXIT_SUCCESS;
}
