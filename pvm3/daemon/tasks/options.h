/*
 * options.h - what a task is told of itself when it enrols (TM_CONN2, TM_GETOPT), and what of it it
 * may change.
 */
#ifndef DAEMON_TASKS_OPTIONS_H
#define DAEMON_TASKS_OPTIONS_H

#include "daemon/post/request.h"

/* Appends the twelve fields that describe the task and its daemon. */
void options_put(struct message *answer, const struct task *task);

enum request_result options_tell(struct request *request); /* TM_GETOPT */
enum request_result options_set(struct request *request);  /* TM_SETOPT */

#endif
