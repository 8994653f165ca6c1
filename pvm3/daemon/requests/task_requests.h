/*
 * task_requests.h - what tasks ask of their daemon (the TM messages).
 */
#ifndef DAEMON_REQUESTS_TASK_REQUESTS_H
#define DAEMON_REQUESTS_TASK_REQUESTS_H

#include "core/message.h"

struct task;

/* Handles a whole message from a task to its daemon. The task may be gone afterwards. */
void task_request_take(struct task *task, struct message *message);

/* Refuses a message from a task to its daemon of which only the header counts. */
void task_request_drop(struct task *task, const struct message *message);

#endif
