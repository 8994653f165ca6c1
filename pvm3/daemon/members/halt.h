/*
 * halt.h - how the daemon ends, and the request for it.
 */
#ifndef DAEMON_MEMBERS_HALT_H
#define DAEMON_MEMBERS_HALT_H

#include "daemon/post/request.h"

/* Ends the daemon after this round, with this exit status: all tasks get SIGTERM. */
void halt(struct daemon *daemon, int status);

enum request_result halt_request(struct request *request); /* TM_HALT, DM_HALT */

#endif
