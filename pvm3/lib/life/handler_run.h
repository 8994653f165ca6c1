/*
 * handler_run.h - running message handlers, those of the program and the library's own.
 *
 * A thread inside a call that moves messages runs the functions, one after the other in order of
 * arrival, so that they may send, receive and change handlers themselves.
 */
#ifndef LIB_LIFE_HANDLER_RUN_H
#define LIB_LIFE_HANDLER_RUN_H

#include "lib/task/task.h"

/* For the endpoint: runs the handlers of what was claimed. */
void handler_run(void *owner);

/*
 * For a task that is about to leave: runs the handlers of all messages that have come, and of
 * notices of the task's own end. Messages without a handler are freed.
 */
void handler_run_last(struct task *task);

#endif
