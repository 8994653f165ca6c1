/*
 * spawn.h - requests to start tasks, and which hosts are to start them.
 */
#ifndef DAEMON_TASKS_SPAWN_H
#define DAEMON_TASKS_SPAWN_H

#include "daemon/post/request.h"

enum request_result spawn_request(struct request *request); /* TM_SPAWN */
enum request_result spawn_order(struct request *request);   /* SM_EXEC, from the resource manager */

/*
 * At start-up: starts what PVM_TASKER, PVM_TRACER, PVM_HOSTER and PVM_RM name. Says on the log when
 * that cannot be done.
 */
void spawn_plug_ins(struct daemon *daemon);

#endif
