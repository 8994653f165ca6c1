/*
 * followers.h - what a pvmd does when a task has settled on a host, or is over.
 *
 * A pvmd that is told of a new place of a task, but has not been asked to hold the task before, has
 * perhaps sent something on the former way that is still underway. So it keeps what goes to the task
 * until all pvmds on that way have nothing left for it (CONTROL_TASK_FLUSH). This happens to a host
 * that has been added meanwhile. One thread.
 */
#ifndef DAEMON_REQUESTS_FOLLOWERS_H
#define DAEMON_REQUESTS_FOLLOWERS_H

#include <stdint.h>

#include "daemon/post/places.h"
#include "daemon/post/request.h"

struct daemon;
struct host;

/* What is kept for the task goes to where it lives. Does nothing while the former way is flushed. */
void follower_release(struct place *place);

/* The task lives on the host `to`, but may have been sent something by way of its place. */
void follower_flush(struct place *place, uint32_t to);
/* Nobody here is amid a message to the task: a flush that is due can begin. */
void follower_begin_flush(struct place *place);
enum request_result follower_take_flush(struct request *request); /* CONTROL_TASK_FLUSH */

/*
 * The host that the task was about to leave is gone, and the other one decides: it is asked for word
 * of the end, in case that it has never heard of the task, or has spoken before it was listened to.
 */
void follower_await_fate(struct place *place);
/* The task has come there. */
void follower_forget_fate(struct daemon *daemon, uint32_t tid);

/* Questions of other hosts get no answer any more, and what is awaited is not any more. */
void followers_finish(struct daemon *daemon);

/* Tells all that the task, which has travelled, is over. */
void follower_tell_over(struct daemon *daemon, uint32_t tid, int32_t region);
/* It is over: forgets its place, and all that it has here. */
void follower_over(struct daemon *daemon, uint32_t tid, int32_t region);

#endif
