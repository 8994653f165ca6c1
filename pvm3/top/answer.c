/* answer.c - questions to agents and their answers. */
#include "top/answer.h"

#include <stdlib.h>

#include <pvm3.h>

#include "sched/memory.h"

/* More processes than that are not asked about: the message is broken. */
enum { MOST = 1 << 22 };

void question_pack(const struct question *question)
{
    int head[] = {question->look, question->count};
    pvm_pkint(head, 2, 1);
    pvm_pkint(question->pids, question->count, 1);
}

bool question_unpack(struct question *question)
{
    int head[2];
    if (pvm_upkint(head, 2, 1) < 0 || head[1] < 0 || head[1] > MOST)
        return false;
    *question = (struct question){head[0], head[1], memory_take((size_t)head[1], sizeof(int))};
    return pvm_upkint(question->pids, question->count, 1) == 0;
}

static void usage_pack(const struct usage *usage)
{
    int counts[] = {usage->pid, usage->threads, (int)usage->activity};
    double amounts[] = {usage->processor, usage->age, usage->memory};
    pvm_pkint(counts, 3, 1);
    pvm_pkdouble(amounts, 3, 1);
    pvm_pkbyte((char *)usage->name, USAGE_NAME, 1);
}

static bool usage_unpack(struct usage *usage)
{
    int counts[3];
    double amounts[3];
    if (pvm_upkint(counts, 3, 1) < 0 || pvm_upkdouble(amounts, 3, 1) < 0 ||
        pvm_upkbyte(usage->name, USAGE_NAME, 1) < 0 || counts[2] < 0 || counts[2] >= ACTIVITY_COUNT)
        return false;
    usage->name[USAGE_NAME - 1] = '\0';
    usage->pid = counts[0];
    usage->threads = counts[1];
    usage->activity = (enum activity)counts[2];
    usage->processor = amounts[0];
    usage->age = amounts[1];
    usage->memory = amounts[2];
    return true;
}

void answer_pack(const struct answer *answer)
{
    int head[] = {answer->look, answer->count};
    double amounts[] = {answer->load, answer->memory, answer->available};
    pvm_pkint(head, 2, 1);
    pvm_pkdouble(amounts, 3, 1);
    for (int i = 0; i < answer->count; i++)
        usage_pack(&answer->usages[i]);
}

bool answer_unpack(struct answer *answer)
{
    int head[2];
    double amounts[3];
    if (pvm_upkint(head, 2, 1) < 0 || pvm_upkdouble(amounts, 3, 1) < 0 || head[1] < 0 ||
        head[1] > MOST)
        return false;
    *answer = (struct answer){.look = head[0],
                              .count = head[1],
                              .usages = memory_take((size_t)head[1], sizeof *answer->usages),
                              .load = amounts[0],
                              .memory = amounts[1],
                              .available = amounts[2]};
    bool whole = true;
    for (int i = 0; whole && i < answer->count; i++)
        whole = usage_unpack(&answer->usages[i]);
    if (!whole)
        free(answer->usages);
    return whole;
}
