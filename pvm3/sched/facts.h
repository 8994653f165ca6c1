/*
 * facts.h - what an agent finds out about its host, and how it tells the scheduler.
 *
 * A question has the number of the round, and the processes of the virtual machine on the host. The
 * answer has the facts since the question before.
 */
#ifndef SCHED_FACTS_H
#define SCHED_FACTS_H

#include <stdbool.h>

enum { TAG_QUESTION = 1, TAG_FACTS, TAG_ENDED, TAG_HOST_ADDED };

/* The processes of the virtual machine on one host: pids. Those in front are holders. */
struct question {
    int round;
    int holder_count;
    int count; /* of all */
    int *pids;
};

/* What one task has sent to another one, on another host. Its members are integers alone. */
struct sent {
    int source, destination; /* tids */
    int frames;
};

struct facts {
    int round;
    double seconds;    /* since the question before */
    double processors; /* 0: the system does not tell what processes want */
    double others;     /* processors that are wanted by processes of nobody below */
    double fixed;      /* by the processes of the question, but for holders */
    double idle;       /* seconds since an input device was used */
    int holder_count;
    double *wanted; /* of each holder */
    int sent_count;
    struct sent *sent;
};

/* Each packs into the active send buffer, or unpacks from the active receive buffer. */
void question_pack(const struct question *question);
bool question_unpack(struct question *question);
void facts_pack(const struct facts *facts);
bool facts_unpack(struct facts *facts);
void facts_free(struct facts *facts);

#endif
