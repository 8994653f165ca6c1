/*
 * spawn.h - requests to start tasks, and which hosts are to start them.
 */
#ifndef DAEMON_SPAWN_H
#define DAEMON_SPAWN_H

#include "daemon/request.h"

enum request_result spawn_request(struct request *request); /* TM_SPAWN */
enum request_result spawn_order(struct request *request);   /* SM_EXEC, from the resource manager */

/*
 * At start-up: starts a program of the daemon's user, the words of `command`. Says on the log when
 * that cannot be done.
 */
void spawn_plug_in(struct daemon *daemon, const char *command);

#endif
