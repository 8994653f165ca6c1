/*
 * service_requests.h - what tasks ask that become a service or stop being one, and what services
 * tell the daemon (the SM messages).
 */
#ifndef DAEMON_REQUESTS_SERVICE_REQUESTS_H
#define DAEMON_REQUESTS_SERVICE_REQUESTS_H

#include <stdbool.h>

#include "daemon/post/request.h"

/* Takes a message that only a service may send to a daemon. False when it is none. */
bool service_request_take(struct request *request);

/* Takes a message of a scheduler on another host. */
void service_request_take_from_host(struct daemon *daemon, struct message *message);

enum request_result service_register_scheduler(struct request *request); /* TM_SCHED */
enum request_result service_register_tasker(struct request *request);    /* TM_TASKER */
enum request_result service_register_hoster(struct request *request);    /* TM_HOSTER */
enum request_result service_register_tracer(struct request *request);    /* TM_TRACER */

#endif
