/*
 * keep_alive.h - is a host still there? It is given up when it should have answered and nothing at
 * all has come from it for as long as this daemon's patience (PVM_HOST_PATIENCE) lasts.
 *
 * Patience is counted in ticks of a timer of this daemon, not read from a clock: time in which this
 * daemon itself got no processor, or stood still, is no silence of others. What has come is
 * read before a tick is counted.
 *
 * The master asks all when nothing comes, the others ask the master: they hear of each other from
 * it; and whoever has sent something over a connection (host_stream.h) asks until that has been
 * confirmed. So the end of a host is known though nobody sends to it. A question is a DM_NULL in a
 * packet, whose acknowledgement is the answer. One thread.
 */
#ifndef DAEMON_HOSTS_KEEP_ALIVE_H
#define DAEMON_HOSTS_KEEP_ALIVE_H

#include "daemon/base/loop.h"

struct daemon;

struct keep_alive {
    struct daemon *daemon;
    struct loop_timer timer;
};

void keep_alive_start(struct keep_alive *keep_alive, struct daemon *daemon);

/* A host was added: from now on there is somebody to ask. */
void keep_alive_begin(struct keep_alive *keep_alive);

#endif
