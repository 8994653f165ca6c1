/*
 * watch.h - the end of a task of another host, which its daemon is asked to tell (DM_NOTIFY).
 *
 * A watch is part of a larger structure, which `ended` may free. It ends once: when the task ends,
 * or its host, or at once when there is no such task. One thread.
 */
#ifndef DAEMON_POST_WATCH_H
#define DAEMON_POST_WATCH_H

#include "daemon/post/pending.h"

struct watch {
    struct pending question;
    void (*ended)(struct watch *watch);
};

/* Watches nothing, so that watch_stop is fine. */
void watch_init(struct watch *watch);

/* Begins to watch the task, one of `host`, which is not the own one. */
void watch_start(struct watch *watch, struct daemon *daemon, const struct host *host, uint32_t tid,
                 void (*ended)(struct watch *));

/* Watches no more. */
void watch_stop(struct watch *watch);

#endif
