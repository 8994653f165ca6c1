/*
 * handler.h - message handlers: what happens to a message that a program has a function for.
 *
 * The thread that takes messages in only claims them (handler_intercept); a thread inside a call that moves messages
 * then runs the functions (handler_run), one after the other in order of arrival, so that they may send, receive and
 * change handlers themselves.
 */
#ifndef LIB_HANDLER_H
#define LIB_HANDLER_H

#include <stdbool.h>

#include "core/match.h"
#include "lib/task.h"

struct handler {
    struct pattern pattern;
    int (*function)(int bufid); /* NULL: a free entry */
};

/* For the endpoint: claims `message` if a handler is there for it, or if the library itself answers it. */
bool handler_intercept(void *owner, struct message *message);

/* For the endpoint: runs the handlers of what was claimed. */
void handler_run(void *owner);

void handler_remove_all(struct task *task);

#endif
