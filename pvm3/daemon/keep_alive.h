/*
 * keep_alive.h - asks hosts from which nothing comes whether they are still there, so that the end
 * of one is known though nobody sends to it.
 *
 * The master asks all, the others ask the master: they hear of each other from it. A question is a
 * DM_NULL, whose acknowledgement is the answer. One thread.
 */
#ifndef DAEMON_KEEP_ALIVE_H
#define DAEMON_KEEP_ALIVE_H

#include "daemon/loop.h"

struct daemon;

struct keep_alive {
    struct daemon *daemon;
    struct loop_timer timer;
};

void keep_alive_start(struct keep_alive *keep_alive, struct daemon *daemon);

/* A host was added: from now on there is somebody to ask. */
void keep_alive_begin(struct keep_alive *keep_alive);

#endif
