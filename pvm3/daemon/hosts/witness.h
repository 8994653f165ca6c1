/*
 * witness.h - what this daemon answers when another one does not hear from a host and asks this one
 * to ask that host (CONTROL_PROBE). The answer says whether the host has said anything here since
 * the question came. Of a host that is not known here nothing is said. One thread.
 */
#ifndef DAEMON_HOSTS_WITNESS_H
#define DAEMON_HOSTS_WITNESS_H

#include "daemon/base/list.h"
#include "daemon/post/request.h"

struct daemon;

struct witness {
    struct list probes; /* questions that are not answered yet */
};

void witness_start(struct witness *witness);
void witness_finish(struct witness *witness);

/* Another daemon asks. */
enum request_result witness_take_probe(struct request *request);

/*
 * A tick has passed (keep_alive.h), and all hosts have been looked at. `stretch`: for how many
 * times as long a host is waited for as in good health.
 */
void witness_tick(struct daemon *daemon, unsigned stretch);

#endif
