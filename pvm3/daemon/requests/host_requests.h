/*
 * host_requests.h - requests about hosts: which there are, are they alive, what time is it there,
 * take them away.
 */
#ifndef DAEMON_REQUESTS_HOST_REQUESTS_H
#define DAEMON_REQUESTS_HOST_REQUESTS_H

#include "daemon/post/request.h"

enum request_result host_requests_list(struct request *request);   /* TM_CONFIG */
enum request_result host_requests_state(struct request *request);  /* TM_MSTAT */
enum request_result host_requests_clock(struct request *request);  /* TM_HOSTSYNC, DM_HOSTSYNC */
enum request_result host_requests_delete(struct request *request); /* TM_DELHOST, DM_DELHOST */

#endif
