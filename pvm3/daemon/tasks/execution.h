/*
 * execution.h - an order to start tasks on this host: what the message says, before anything is
 * done.
 */
#ifndef DAEMON_TASKS_EXECUTION_H
#define DAEMON_TASKS_EXECUTION_H

#include "core/control.h"
#include "daemon/post/tasks.h"

/* Strings behind each other, with a NULL behind the last. */
struct strings {
    char **items;
    int32_t count;
};

struct execution {
    int32_t parent; /* tid, or PvmParentNotSet */
    char *file;
    int32_t flags;
    char *where;     /* host or architecture; NULL in an order that has reached its host */
    char *directory; /* where to start, NULL for the usual place */
    int32_t count;
    struct strings arguments;
    struct sink output;
    struct sink trace;
    struct strings environment; /* NAME=value */
    uint32_t first; /* number of the first task within all that were asked for at once */
    uint32_t total; /* how many tasks were asked for at once */
};

/* More tasks cannot be on a host. */
#define EXECUTION_COUNT_MAX ((int32_t)TID_LOCAL_MASK)

/* Reads what a task asks for (TM_SPAWN). False when it makes no sense; free it either way. */
bool execution_read_spawn(struct execution *execution, struct control_reader *body,
                          uint32_t requester);
/* Reads what a daemon or a resource manager orders (DM_EXEC, SM_EXEC). */
bool execution_read_order(struct execution *execution, struct control_reader *body);
/* Writes an order for `count` tasks from number `first` on. */
void execution_put_order(struct message *message, const struct execution *execution, uint32_t first,
                         int32_t count);

void execution_free(struct execution *execution);

/* Appends a copy of `string`. False when memory is short. */
bool strings_add(struct strings *strings, const char *string);
/* The value of NAME in a list of NAME=value, the first one counts; NULL when it is not there. */
const char *strings_value(const struct strings *strings, const char *name);

#endif
