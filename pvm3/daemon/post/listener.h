/*
 * listener.h - the socket that tasks connect to, and all links that came from it.
 */
#ifndef DAEMON_POST_LISTENER_H
#define DAEMON_POST_LISTENER_H

#include "core/environment.h"
#include "daemon/base/list.h"
#include "daemon/base/loop.h"
#include "daemon/post/strangers.h"

struct daemon;
struct task_link;

struct listener {
    struct daemon *daemon;
    struct loop_source source;
    struct list links; /* of struct task_link */
    struct strangers strangers;
    char path[ENVIRONMENT_PATH_SIZE];
    int reserve; /* a descriptor kept for telling a client that there are no more */
};

/*
 * Makes the socket TMP/pvmtmpPPPPPP.0, or with the next number that nobody has taken, for its user
 * alone, and accepts from it. 0, or -1 after saying on the log why not.
 */
int listener_start(struct listener *listener, struct daemon *daemon);

/* Closes all links and removes the socket. */
void listener_finish(struct listener *listener);

#endif
