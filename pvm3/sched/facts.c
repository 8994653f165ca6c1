/* facts.c - questions to agents and their answers, as messages. */
#include "sched/facts.h"

#include <pvm3.h>

#include "sched/memory.h"

/* More processes than that are not asked about: the message is broken. */
enum { MOST = 1 << 22 };

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
    int head[] = {facts->round, facts->holder_count};
    double values[] = {facts->processors, facts->others, facts->fixed, facts->idle};
    pvm_pkint(head, 2, 1);
    pvm_pkdouble(values, 4, 1);
    pvm_pkdouble(facts->wanted, facts->holder_count, 1);
}

bool facts_unpack(struct facts *facts)
{
    int head[2];
    double values[4];
    if (pvm_upkint(head, 2, 1) < 0 || pvm_upkdouble(values, 4, 1) < 0 || head[1] < 0 ||
        head[1] > MOST)
        return false;
    *facts = (struct facts){head[0], values[0], values[1], values[2], values[3], head[1], NULL};
    facts->wanted = memory_take((size_t)head[1], sizeof *facts->wanted);
    return pvm_upkdouble(facts->wanted, head[1], 1) == 0;
}
