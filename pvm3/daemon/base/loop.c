/* loop.c - rounds of epoll. */
#include "daemon/base/loop.h"

#include <errno.h>
#include <limits.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 64

int loop_start(struct loop *loop)
{
    loop->ended = false;
    list_start(&loop->work);
    list_start(&loop->timers);
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    return loop->epoll < 0 ? -1 : 0;
}

int64_t loop_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Milliseconds to the first deadline, for epoll_wait; -1 when there is none. */
static int loop_timeout(const struct loop *loop)
{
    if (list_is_empty(&loop->timers))
        return -1;
    int64_t left = LIST_OWNER(loop->timers.next, struct loop_timer, node)->due - loop_now();
    if (left < 0)
        return 0;
    return left > INT_MAX ? INT_MAX : (int)left;
}

static void loop_expire(struct loop *loop)
{
    while (loop_timeout(loop) == 0) {
        struct loop_timer *timer = LIST_OWNER(loop->timers.next, struct loop_timer, node);
        list_remove(&timer->node);
        timer->expire(timer);
    }
}

static void loop_run_work(struct loop *loop)
{
    while (!list_is_empty(&loop->work)) {
        struct loop_work *work = LIST_OWNER(loop->work.next, struct loop_work, node);
        list_remove(&work->node);
        work->run(work);
    }
}

void loop_finish(struct loop *loop)
{
    loop_run_work(loop);
    if (loop->epoll >= 0)
        close(loop->epoll);
}

int loop_round(struct loop *loop)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    /* Work can be there before the first round only. */
    int timeout = list_is_empty(&loop->work) ? loop_timeout(loop) : 0;
    int count = epoll_wait(loop->epoll, events, EVENTS_AT_ONCE, timeout);
    if (count < 0 && errno != EINTR)
        return -1;
    for (int i = 0; i < count; i++) {
        struct loop_source *source = events[i].data.ptr;
        if (source->fd >= 0)
            source->handle(source, events[i].events);
    }
    loop_expire(loop);
    loop_run_work(loop);
    return 0;
}

int loop_run(struct loop *loop)
{
    while (!loop->ended)
        if (loop_round(loop) < 0)
            return -1;
    return 0;
}

void loop_end(struct loop *loop)
{
    loop->ended = true;
}

void loop_source_start(struct loop_source *source, void (*handle)(struct loop_source *, uint32_t))
{
    *source = (struct loop_source){.fd = -1, .handle = handle};
}

static int loop_control(struct loop *loop, int operation, struct loop_source *source)
{
    struct epoll_event event = {.events = source->events, .data.ptr = source};
    return epoll_ctl(loop->epoll, operation, source->fd, &event);
}

int loop_watch(struct loop *loop, struct loop_source *source, int fd, uint32_t events)
{
    source->fd = fd;
    source->events = events;
    if (loop_control(loop, EPOLL_CTL_ADD, source) == 0)
        return 0;
    source->fd = -1;
    return -1;
}

void loop_watch_for(struct loop *loop, struct loop_source *source, uint32_t events)
{
    if (source->fd < 0 || source->events == events)
        return;
    source->events = events;
    loop_control(loop, EPOLL_CTL_MOD, source);
}

int loop_release(struct loop *loop, struct loop_source *source)
{
    int fd = source->fd;
    loop_control(loop, EPOLL_CTL_DEL, source);
    source->fd = -1;
    return fd;
}

/*
 * A child between fork and exec shares the descriptor: closing it alone would leave it in the epoll
 * set.
 */
void loop_close(struct loop *loop, struct loop_source *source)
{
    if (source->fd >= 0)
        close(loop_release(loop, source));
}

void loop_work_start(struct loop_work *work, void (*run)(struct loop_work *))
{
    list_start(&work->node);
    work->run = run;
}

void loop_defer(struct loop *loop, struct loop_work *work)
{
    if (list_is_empty(&work->node))
        list_append(&loop->work, &work->node);
}

void loop_work_cancel(struct loop_work *work)
{
    list_remove(&work->node);
}

void loop_timer_start(struct loop_timer *timer, void (*expire)(struct loop_timer *))
{
    list_start(&timer->node);
    timer->expire = expire;
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer, int milliseconds)
{
    list_remove(&timer->node);
    timer->due = loop_now() + milliseconds;
    struct list *place = loop->timers.previous;
    while (place != &loop->timers && LIST_OWNER(place, struct loop_timer, node)->due > timer->due)
        place = place->previous;
    list_insert(place, &timer->node);
}

bool loop_timer_is_set(const struct loop_timer *timer)
{
    return !list_is_empty(&timer->node);
}

void loop_timer_cancel(struct loop_timer *timer)
{
    list_remove(&timer->node);
}
