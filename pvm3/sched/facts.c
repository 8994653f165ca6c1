/* facts.c - questions to agents and their answers, as messages. */
#include "sched/facts.h"

#include <stdlib.h>

#include <pvm3.h>

#include "sched/memory.h"

/* More processes than that are not asked about: the message is broken. */
enum { MOST = 1 << 22, SENT_SIZE = sizeof(struct sent) / sizeof(int) };

void question_pack(const struct question *question)
{
    int head[] = {question->round, question->holder_count, question->count};
    pvm_pkint(head, 3, 1);
    pvm_pkint(question->pids, question->count, 1);
}

bool question_unpack(struct question *question)
{
    int head[3];
    if (pvm_upkint(head, 3, 1) < 0 || head[1] < 0 || head[2] < head[1] || head[2] > MOST)
        return false;
    *question = (struct question){head[0], head[1], head[2], NULL};
    question->pids = memory_take((size_t)head[2], sizeof *question->pids);
    return pvm_upkint(question->pids, head[2], 1) == 0;
}

void facts_pack(const struct facts *facts)
{
    int head[] = {facts->round, facts->holder_count, facts->sent_count};
    double values[] = {facts->seconds, facts->processors, facts->others, facts->fixed, facts->idle};
    pvm_pkint(head, 3, 1);
    pvm_pkdouble(values, 5, 1);
    pvm_pkdouble(facts->wanted, facts->holder_count, 1);
    pvm_pkint((int *)facts->sent, facts->sent_count * SENT_SIZE, 1);
}

bool facts_unpack(struct facts *facts)
{
    int head[3];
    double values[5];
    if (pvm_upkint(head, 3, 1) < 0 || pvm_upkdouble(values, 5, 1) < 0 || head[1] < 0 ||
        head[1] > MOST || head[2] < 0 || head[2] > MOST)
        return false;
    *facts = (struct facts){.round = head[0],
                            .seconds = values[0],
                            .processors = values[1],
                            .others = values[2],
                            .fixed = values[3],
                            .idle = values[4],
                            .holder_count = head[1],
                            .sent_count = head[2]};
    facts->wanted = memory_take((size_t)head[1], sizeof *facts->wanted);
    facts->sent = memory_take((size_t)head[2], sizeof *facts->sent);
    return pvm_upkdouble(facts->wanted, head[1], 1) == 0 &&
           pvm_upkint((int *)facts->sent, head[2] * SENT_SIZE, 1) == 0;
}

void facts_free(struct facts *facts)
{
    free(facts->wanted);
    free(facts->sent);
}
