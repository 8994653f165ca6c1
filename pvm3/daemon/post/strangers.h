/*
 * strangers.h - connections that are no tasks yet: how many may there be, and which has to hurry?
 *
 * When there are many no more are accepted, and the oldest that has said nothing has little time
 * left: it keeps nobody else out.
 */
#ifndef DAEMON_POST_STRANGERS_H
#define DAEMON_POST_STRANGERS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/list.h"

struct daemon;
struct loop_source;
struct task_link;

struct strangers {
    struct daemon *daemon;
    struct loop_source *door; /* where they come from */
    struct list list;         /* the oldest first */
    size_t count;
};

void strangers_start(struct strangers *strangers, struct daemon *daemon, struct loop_source *door);

/* True when no more are to be accepted. */
bool strangers_are_many(const struct strangers *strangers);

void strangers_add(struct strangers *strangers, struct task_link *link);
/* The link is a task now, or is closed; it may have been removed before. */
void strangers_remove(struct strangers *strangers, struct task_link *link);

#endif
