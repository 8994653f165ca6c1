/*
 * loop.h - the daemon's only place to wait: descriptors, deadlines, and work put off to the end of
 * a round.
 *
 * A round takes what epoll reports, calls the handlers, then the deadlines that have passed, then
 * the work that was put off - so that what many events of a round add to one link is written there
 * once. With no deadline set an idle loop makes no system call at all. One thread.
 *
 * Memory: a handler may close its own or any other source; a structure that holds a source must
 * live until the end of the round, which is what loop_defer is for.
 */
#ifndef DAEMON_BASE_LOOP_H
#define DAEMON_BASE_LOOP_H

#include <stdint.h>

#include "daemon/base/list.h"

struct loop {
    int epoll;
    bool ended;
    struct list work;   /* put off to the end of the round */
    struct list timers; /* by deadline */
};

struct loop_source {
    int fd; /* -1 when it is not watched */
    uint32_t events;
    void (*handle)(struct loop_source *source, uint32_t events);
};

struct loop_work {
    struct list node;
    void (*run)(struct loop_work *work);
};

struct loop_timer {
    struct list node;
    int64_t due; /* milliseconds of the monotonic clock */
    void (*expire)(struct loop_timer *timer);
};

/* Milliseconds of the monotonic clock. */
int64_t loop_now(void);

/* 0, or -1 with errno. */
int loop_start(struct loop *loop);
/* Does what was put off before it lets go. */
void loop_finish(struct loop *loop);

/* Waits once, and does what there is to do then. 0, or -1 with errno when waiting fails. */
int loop_round(struct loop *loop);
/* Rounds until loop_end is called and its round is over. 0, or -1 with errno when waiting fails. */
int loop_run(struct loop *loop);
void loop_end(struct loop *loop);

void loop_source_start(struct loop_source *source, void (*handle)(struct loop_source *, uint32_t));
/* Watches `fd` for epoll events. 0, or -1 with errno. */
int loop_watch(struct loop *loop, struct loop_source *source, int fd, uint32_t events);
void loop_watch_for(struct loop *loop, struct loop_source *source, uint32_t events);
/* Watches no more; the descriptor is the caller's. */
int loop_release(struct loop *loop, struct loop_source *source);
/* Watches no more and closes the descriptor. */
void loop_close(struct loop *loop, struct loop_source *source);

void loop_work_start(struct loop_work *work, void (*run)(struct loop_work *));
/* Runs `work` once at the end of this round; asking again before that changes nothing. */
void loop_defer(struct loop *loop, struct loop_work *work);
void loop_work_cancel(struct loop_work *work);

void loop_timer_start(struct loop_timer *timer, void (*expire)(struct loop_timer *));
void loop_timer_set(struct loop *loop, struct loop_timer *timer, int milliseconds);
void loop_timer_cancel(struct loop_timer *timer);
bool loop_timer_is_set(const struct loop_timer *timer);

#endif
