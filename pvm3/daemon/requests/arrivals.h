/*
 * arrivals.h - tasks that are expected on this host (moves.h).
 *
 * Their records are here already, and are told what the tasks want to be told of: that is kept for
 * them with all else. A task is here when its holder says so. If the host that it comes from is gone
 * before that, the task is over when its holder is gone, too, or does not wait for it any more. One
 * thread.
 */
#ifndef DAEMON_REQUESTS_ARRIVALS_H
#define DAEMON_REQUESTS_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/control.h"
#include "daemon/post/request.h"

struct daemon;
struct task_link;

enum request_result arrival_take_record(struct request *request); /* CONTROL_TASK_RECORD */
enum request_result arrival_settle(struct request *request);      /* CONTROL_TASK_SETTLE */
enum request_result arrival_request(struct request *request);     /* CONTROL_ARRIVE */
enum request_result arrival_request_not(struct request *request); /* CONTROL_ARRIVE_NOT */

/* A task is expected that leaves the host `from`: 0 or an error. `body` is a CONTROL_TASK_RECORD. */
int32_t arrival_expect(struct daemon *daemon, uint32_t from, struct control_reader *body);
/* The task is not expected any more. */
void arrival_drop(struct daemon *daemon, uint32_t tid);
/* Whether the task is expected. */
bool arrival_is_expected(struct daemon *daemon, uint32_t tid);
/* No task is expected any more. */
void arrivals_finish(struct daemon *daemon);
/* A connection is gone: ends tasks that nobody can bring any more. */
void arrivals_look(struct daemon *daemon, const struct task_link *closed);
/* A host is gone: so does this, and asks the holders of tasks that came from there for the others. */
void arrivals_host_end(struct daemon *daemon, uint32_t part);

#endif
