/*
 * revivals.h - tasks that were put away in a file, with the virtual machine that they lived in, and
 * are brought back to live in this one.
 *
 * A task asks its pvmd to bring others back (lib/calls/restart.h). That pvmd does for each what the
 * host does that a task leaves (moves.h), although the task has never been there: it claims the tid
 * and the number of the region on all hosts, which refuse if they are in use and keep what goes to
 * the task from then on; it has the record of the task expected where the task is to live; and it
 * decides what becomes of the task. When the one who asked says so, or ends, whatever has not arrived
 * is over. One thread.
 */
#ifndef DAEMON_REQUESTS_REVIVALS_H
#define DAEMON_REQUESTS_REVIVALS_H

#include <stdint.h>

#include "daemon/post/request.h"

struct daemon;

enum request_result revival_request_record(struct request *request); /* CONTROL_RECORD */
enum request_result revival_request(struct request *request);        /* CONTROL_REVIVE */
enum request_result revival_request_end(struct request *request);    /* CONTROL_REVIVED */
enum request_result revival_take_wishes(struct request *request);    /* CONTROL_WANT */
enum request_result revival_take_claim(struct request *request);     /* CONTROL_TASK_CLAIM */

/* The task, which may have asked to bring others back, is over. */
void revivals_task_end(struct daemon *daemon, uint32_t tid);
/* The host is gone. */
void revivals_host_end(struct daemon *daemon, uint32_t part);

#endif
