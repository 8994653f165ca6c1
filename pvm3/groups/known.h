/*
 * known.h - what a task knows of groups: its server, who is in which group, and the labels in use.
 *
 * A process can have several tasks, and a thread belongs to one at a time. Each thread remembers
 * the knowledge of the task for which it asked last. Knowledge that no thread remembers stays for
 * the next thread of its task, but goes when a task of another tid begins to ask. The task may have
 * been in another process meanwhile: then its handlers and the notices that it awaits are others.
 *
 * A thread may end amid a call: its task is killed, or it is cancelled. So the memory of its calls
 * and what it waits for belong to the thread, and go with it.
 *
 * Threads: any thread may call anything. The mutex guards the knowledge of all tasks; it is held
 * for look-ups alone. The memory of a thread's calls is that thread's.
 */
#ifndef GROUPS_KNOWN_H
#define GROUPS_KNOWN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "groups/changes.h"
#include "groups/known_groups.h"
#include "groups/protocol.h"

#define KNOWN_LABELS 64

struct known_server {
    int tid;                       /* 0: not known */
    bool labels;                   /* it answers under the tag that it is asked to */
    const struct changes *changes; /* used with the mutex; NULL: the server has to be asked */
};

/* A call that waits for a message of a member, and is told if one of some members ends. */
struct known_wait {
    struct known_wait *next;
    const struct known_thread *thread;
    int number; /* no other wait of the task has it */
    int source;
    int tag;
    const int *watched;
    int count;
    bool due; /* one of them has ended, and the call is to be told */
};

struct known {
    struct known *next;
    int tid;                /* of the task */
    int threads;            /* that remember this */
    pthread_cond_t changed; /* a server was found or not, or a label became free */
    struct known_server server;
    bool finding;     /* a thread looks for the server */
    bool found_again; /* by a thread after no thread had remembered it: handlers may be gone */
    bool watching;    /* the task has a handler for the server's end */
    bool asked[GROUPS_QUESTIONS];
    bool used[KNOWN_LABELS];
    int late[KNOWN_LABELS]; /* answers with this label that may still come: it is not used again */
    struct known_group *groups;
    struct known_wait *waits;
    int wait_number; /* that was used last */
    bool noticing;   /* the task has a handler for the ends of members */
    int *noticed;    /* members of whose end the pvmd will tell, by rising tid */
    int noticed_count;
};

struct known_thread {
    struct known *known;      /* what its task knows */
    struct known_room *rooms; /* memory of its calls, the latest first */
};

/* The calling thread and what its task, which is `tid`, knows. NULL without memory. */
struct known_thread *known_begin(int tid);

/* Memory until known_free_rooms(thread, mark), for a mark that was thread->rooms before. Or NULL. */
void *known_room(struct known_thread *thread, size_t size);
void known_free_rooms(struct known_thread *thread, const struct known_room *mark);

/* With the mutex. A wait that is added lies in memory of the thread's calls. */
void known_add_wait(struct known_thread *thread, struct known_wait *wait);
void known_remove_wait(struct known_thread *thread, const struct known_wait *wait);

/* With the mutex: the server is not known any more, nor what can change without its word. */
void known_drop_server(struct known *known);

/* The server is looked for anew, and the pvmd is asked anew for word of ends; without the mutex. */
void known_begin_anew(struct known *known);

/* What the task `tid` knows, or NULL; with the mutex, for as long as it is held. */
struct known *known_find(int tid);

void known_lock(void);
void known_unlock(void);

/* Gives the mutex back until what the task knows has changed. */
void known_wait_for_change(struct known *known);

#endif
