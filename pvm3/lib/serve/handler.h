/*
 * handler.h - message handlers: what happens to a message that a program has a function for.
 *
 * The thread that takes messages in only claims them (handler_intercept); a thread inside a call
 * that moves messages then runs the functions (lib/life/handler_run.h).
 */
#ifndef LIB_SERVE_HANDLER_H
#define LIB_SERVE_HANDLER_H

#include <stdbool.h>

#include "core/match.h"
#include "lib/task/luggage.h"
#include "lib/task/task.h"

/* The handlers lie one behind the other in an array; an id finds its handler's place there. */
struct handler {
    int id;
    struct pattern pattern;
    int (*function)(int bufid); /* NULL: the library's own */
};

struct handler_id {
    int link;  /* the id itself, or when it is free the next free one, -1 at the end */
    int place; /* of its handler */
};

/*
 * For the endpoint: whether a handler can be there for a message; claims `message` if a handler is
 * there, or if the library itself answers it.
 */
bool handler_wants(void *owner, const struct message_header *header);
bool handler_intercept(void *owner, struct message *message);

/* While the task is leaving its process no handler runs: what is claimed waits. */
void handler_hold(struct task *task, bool hold);

/*
 * Takes out the first message that was claimed, with its handler now; NULL when there is none left.
 * *handled says whether the message still has a handler.
 */
struct message *handler_next(struct handlers *handlers, bool *handled, struct handler *handler);

/*
 * Adds a handler of the program. Its id, PvmExists when another handler might match the same
 * message, or PvmNoMem.
 */
int handler_add(struct task *task, const struct pattern *pattern, int (*function)(int bufid));

/* Whether there is a handler with exactly this pattern. */
bool handler_is_there(struct task *task, const struct pattern *pattern);

/* Removes the handler of that id. 0 or PvmNotFound. */
int handler_remove(struct task *task, int id);

/*
 * The library's own handlers, which a task has from enrolling to leaving; they have the first ids.
 */
void handler_add_system(struct task *task);

/*
 * Adds the handlers for the output of children, which a task has once it catches output
 * (catchout.h). 0, PvmExists when the program has a handler for the same messages, or PvmNoMem.
 */
int handler_add_output(struct task *task);

/* Removes the handlers that the program has added. */
void handler_remove_added(struct task *task);

void handler_remove_all(struct task *task);

/* For the end of a task, which is apart. */
void handler_finish(struct task *task);

/*
 * Of a task that moves: its handlers, and messages that were claimed and wait for them. The errand
 * is requested anew.
 */
void handler_put(struct task *task, struct luggage *luggage);
void handler_get(struct task *task, struct luggage_reader *reader);

#endif
