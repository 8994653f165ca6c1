/*
 * tickle.h - TM_TICKLE: look into the daemon, and a few knobs.
 */
#ifndef DAEMON_REQUESTS_TICKLE_H
#define DAEMON_REQUESTS_TICKLE_H

#include "daemon/post/request.h"

enum request_result tickle_request(struct request *request);

#endif
