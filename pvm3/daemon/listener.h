/*
 * listener.h - the socket that tasks connect to, and all links that came from it.
 */
#ifndef DAEMON_LISTENER_H
#define DAEMON_LISTENER_H

#include "core/environment.h"
#include "daemon/list.h"
#include "daemon/loop.h"

struct daemon;
struct task_link;

struct listener {
    struct daemon *daemon;
    struct loop_source source;
    struct list links;     /* of struct task_link */
    struct list strangers; /* those of them that are no task yet, the oldest first */
    size_t stranger_count;
    char path[ENVIRONMENT_PATH_SIZE];
    int reserve; /* a descriptor kept for telling a client that there are no more */
};

/*
 * Makes the socket TMP/pvmtmpPPPPPP.0, or with the next number that nobody has taken, for its user
 * alone, and accepts from it. 0, or -1 after saying on the log why not.
 */
int listener_start(struct listener *listener, struct daemon *daemon);

/*
 * Counts a link that is no task yet. When there are many no more are accepted, and the oldest that
 * has said nothing has little time left: it keeps nobody else out.
 */
void listener_take_stranger(struct listener *listener, struct task_link *link);
/* The link is a task now, or is closed; it may have been lost before. */
void listener_lose_stranger(struct listener *listener, struct task_link *link);

/* Closes all links and removes the socket. */
void listener_finish(struct listener *listener);

#endif
