/*
 * known.h - what a task knows of groups: its server, static groups, and the labels in use.
 *
 * A process can have several tasks, and a thread belongs to one at a time. Each thread remembers
 * the knowledge of the task for which it asked last. Knowledge that no thread remembers stays for
 * the next thread of its task, but goes when a task of another tid begins to ask.
 *
 * Threads: any thread may call anything. The mutex guards the knowledge of all tasks; it is held
 * for look-ups alone.
 */
#ifndef GROUPS_KNOWN_H
#define GROUPS_KNOWN_H

#include <pthread.h>
#include <stdbool.h>

#include "groups/protocol.h"
#include "groups/static_groups.h"

#define KNOWN_LABELS 64

struct known_server {
    int tid;     /* 0: not known */
    bool labels; /* it answers under the tag that it is asked to */
};

struct known {
    struct known *next;
    int tid;                /* of the task */
    int threads;            /* that remember this */
    pthread_cond_t changed; /* a server was found or not, or a label became free */
    struct known_server server;
    bool finding;  /* a thread looks for the server */
    bool watching; /* the task has a handler for the server's end */
    bool asked[GROUPS_QUESTIONS];
    bool used[KNOWN_LABELS];
    int late[KNOWN_LABELS]; /* answers with this label that may still come: it is not used again */
    struct static_group *static_groups;
};

/* What the calling thread's task, which is `tid`, knows. NULL without memory. */
struct known *known_begin(int tid);

/* What the task `tid` knows, or NULL; with the mutex, for as long as it is held. */
struct known *known_find(int tid);

void known_lock(void);
void known_unlock(void);

/* Gives the mutex back until what the task knows has changed. */
void known_wait(struct known *known);

#endif
