/*
 * lease_requests.h - what a process says of its lease (daemon/post/lease.h): how many tids it needs,
 * which tasks are born, and which tasks are over.
 */
#ifndef DAEMON_REQUESTS_LEASE_REQUESTS_H
#define DAEMON_REQUESTS_LEASE_REQUESTS_H

#include "daemon/post/request.h"

enum request_result lease_request(struct request *request);     /* CONTROL_LEASE */
enum request_result lease_take_births(struct request *request); /* CONTROL_BIRTHS */
enum request_result lease_take_deaths(struct request *request); /* CONTROL_DEATHS */

#endif
