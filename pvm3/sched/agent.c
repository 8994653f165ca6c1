/* agent.c - answers the questions of the scheduler, and sleeps between them. */
#include "sched/agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pvm3.h>

#include "sched/clock.h"
#include "sched/memory.h"
#include "sched/meter.h"

/* How the daemon is asked (pvm_tickle): those of 3.4.6 answer nothing. */
enum { TICKLE_TALK = 31 };

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

/* The daemon is asked for one pair after the other. It counts from the first question on. */
static void facts_add_sent(struct facts *facts)
{
    int words[] = {TICKLE_TALK}, said[4], count;
    size_t room = 0;
    while (pvm_tickle(1, words, &count, said) == 0 && count == 3) {
        facts->sent =
            memory_grow(facts->sent, (size_t)facts->sent_count, &room, sizeof *facts->sent);
        facts->sent[facts->sent_count++] = (struct sent){said[0], said[1], said[2]};
    }
}

static void answer(struct meter *meter, int scheduler)
{
    struct question question;
    struct facts facts;
    if (!question_unpack(&question))
        return;
    question_add_daemon(&question);
    meter_read(meter, &question, clock_now(), &facts);
    facts_add_sent(&facts);
    pvm_initsend(PvmDataDefault);
    facts_pack(&facts);
    pvm_send(scheduler, TAG_FACTS);
    free(question.pids);
    facts_free(&facts);
}

int agent_run(void)
{
    struct meter meter;
    struct facts before = {.sent = NULL};
    int scheduler = pvm_parent(), buffer;
    if (scheduler < 0) {
        fprintf(stderr, "pvmsched: --agent is for agents, which the scheduler starts\n");
        return EXIT_FAILURE;
    }
    pvm_notify(PvmTaskExit, TAG_ENDED, 1, &scheduler);
    meter_start(&meter, "/proc", "/dev", clock_now());
    facts_add_sent(&before);
    facts_free(&before);
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
