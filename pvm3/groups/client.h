/*
 * client.h - how a task asks the group server.
 *
 * Threads: the collision class "groups". What the task knows (known.h) is behind one mutex, which is
 * never held while a message is sent or awaited. Any number of threads may ask at once. A server of
 * ours labels its answers, so they all wait side by side. A 3.4.6 server does not: there, two threads of one task that ask the
 * same kind of question take turns, for as long as a barrier lasts.
 */
#ifndef GROUPS_CLIENT_H
#define GROUPS_CLIENT_H

#include <stdbool.h>

#include "groups/known.h"

/*
 * Labels that a task makes begin here, and the tags of the pvmd's notices that the server or a member
 * is gone are in front of them.
 */
#define GROUPS_LABEL_FIRST 0x67000000
#define TAG_SERVER_GONE    (GROUPS_LABEL_FIRST - 1)
#define TAG_MEMBER_GONE    (GROUPS_LABEL_FIRST - 2)

/* The code of the last error, of libpvm3; no header of 3.4.6 declares it. */
extern int pvm_errno;

/* One call of the application: who calls, and what of the calling thread is put back afterwards. */
struct groups_call {
    bool begun;
    int tid;
    struct known_thread *thread;
    struct known *known;           /* by the task */
    const struct known_room *mark; /* memory of the thread's calls that are around this one */
    struct known_wait *wait;       /* of awaited.c, or NULL */
    int send_buffer;
    int receive_buffer;
    int context;
};

/*
 * Enrols if need be and takes the thread into the context of groups, without active buffers.
 * Returns 0, PvmNullGroup, PvmNoMem, or what pvm_mytid returns. In any case groups_call_end follows.
 */
int groups_call_begin(struct groups_call *call, const char *group);

/* Puts the thread's buffers and context back and frees the buffers of the call; safe to repeat. */
void groups_call_restore(struct groups_call *call);

/* Memory until groups_call_end, also if the thread ends before. NULL: there is none. */
void *groups_call_room(struct groups_call *call, size_t size);

/* Like groups_call_restore, and notes an error in pvm_errno. Returns `result`. */
int groups_call_end(struct groups_call *call, int result);

/*
 * Sends one question and waits for the answer. `argument` NULL: the question has none. Returns the
 * first word of the answer, which may be an error, and leaves the answer the active receive buffer
 * for the words that follow. PvmSysErr when there is no server, when it does not answer within
 * pvmgs_tmout, and, with a server that labels its answers, when it comes to its end meanwhile.
 */
int groups_ask(const struct groups_call *call, enum groups_question question, const char *group,
               const int *argument);

/* Lets the end of the server be known, if word of it has come: its groups are gone with it. */
void groups_look(void);

/* What a server has counted of a group. */
struct groups_count {
    int server; /* its tid; 0: it tells nothing */
    unsigned changes;
};

/* Looks for the server if need be. 0 or an error, as of groups_ask. */
int groups_count(const struct groups_call *call, const char *group, struct groups_count *count);

#endif
