/*
 * answer.h - what an agent is asked about its host, and what it answers, as messages.
 *
 * A question has the number of the look, and the processes to look at. The answer has the same
 * number.
 */
#ifndef TOP_ANSWER_H
#define TOP_ANSWER_H

#include <stdbool.h>

#include "top/usage.h"

enum { TAG_QUESTION = 1, TAG_ANSWER, TAG_ENDED };

struct question {
    int look;
    int count;
    int *pids;
};

struct answer {
    int look;
    int count; /* of processes that were found */
    struct usage *usages;
    double load;              /* average of a minute */
    double memory, available; /* bytes */
};

/* Each packs into the active send buffer, or unpacks from the active receive buffer. What an
 * unpacking makes is freed by the caller. */
void question_pack(const struct question *question);
bool question_unpack(struct question *question);
void answer_pack(const struct answer *answer);
bool answer_unpack(struct answer *answer);

#endif
