/*
 * status.h - requests about tasks: do they exist, what are they, send them a signal.
 */
#ifndef DAEMON_REQUESTS_STATUS_H
#define DAEMON_REQUESTS_STATUS_H

#include "daemon/post/request.h"

enum request_result status_tell(struct request *request);   /* TM_PSTAT */
enum request_result status_list(struct request *request);   /* TM_TASK */
enum request_result status_signal(struct request *request); /* TM_SENDSIG */

#endif
