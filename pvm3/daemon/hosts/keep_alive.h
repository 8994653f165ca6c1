/*
 * keep_alive.h - is a host still there? It is given up when it should have answered and neither this
 * daemon nor others hear from it, or this daemon alone hears nothing for as long as its patience
 * (PVM_HOST_PATIENCE) lasts. suspicion.h has the judgement.
 *
 * Patience is counted in ticks of a timer of this daemon, not read from a clock: time in which this
 * daemon itself got no processor, or stood still, is no silence of others. What has come is
 * read before a tick is counted.
 *
 * The master asks all when nothing comes, the others ask the master: they hear of each other from
 * it; and whoever has sent something over a connection (host_stream.h) asks until that has been
 * confirmed. So the end of a host is known though nobody sends to it. A question is a DM_NULL in a
 * packet, whose acknowledgement is the answer. No others are asked of a daemon of 3.4.6, nor of a
 * host that is being added, which they do not know yet. One thread.
 */
#ifndef DAEMON_HOSTS_KEEP_ALIVE_H
#define DAEMON_HOSTS_KEEP_ALIVE_H

#include "daemon/base/loop.h"
#include "daemon/hosts/local_health.h"
#include "daemon/post/request.h"

struct daemon;

struct keep_alive {
    struct daemon *daemon;
    struct loop_timer timer;
    struct local_health health;
    unsigned ticks;
    uint32_t last_witness; /* part of the host that was asked about another one last */
};

void keep_alive_start(struct keep_alive *keep_alive, struct daemon *daemon);

/* A host was added: from now on there is somebody to ask. */
void keep_alive_begin(struct keep_alive *keep_alive);

/* A host says whether it has reached another one. */
enum request_result keep_alive_take_answer(struct request *request);

#endif
