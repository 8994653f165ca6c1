/*
 * watch.h - the end of a task, of this host or of another one, whose daemon is then asked to tell
 * (DM_NOTIFY).
 *
 * A watch is part of a larger structure, which `ended` may free. It ends once: when the task ends,
 * or its host, or at once when there is no such task. It follows a task that moves. One thread.
 */
#ifndef DAEMON_POST_WATCH_H
#define DAEMON_POST_WATCH_H

#include "daemon/post/pending.h"

struct watch {
    struct list node; /* among those of the daemon; in no list: nothing is watched */
    struct daemon *daemon;
    uint32_t tid;
    struct pending question; /* in no list: the task is of this host, or on its way */
    void (*ended)(struct watch *watch);
};

struct watches {
    struct list asked; /* another daemon is to tell */
    struct list here;  /* others */
};

void watches_start(struct watches *watches);

/* Watches nothing, so that watch_stop is fine. */
void watch_init(struct watch *watch);

/* Begins to watch the task. The host by which it is reached exists (places.h). */
void watch_start(struct watch *watch, struct daemon *daemon, uint32_t tid,
                 void (*ended)(struct watch *));

/* Watches no more. */
void watch_stop(struct watch *watch);

/* The task lives elsewhere now: whoever watches it asks there. */
void watches_follow(struct daemon *daemon, uint32_t tid);
/* The task is over: watches that no other daemon tells end. */
void watches_end_task(struct daemon *daemon, uint32_t tid);

#endif
