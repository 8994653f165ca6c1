/*
 * departures.h - tasks that leave this host (moves.h).
 *
 * A task that asks to leave waits while it is being moved here from elsewhere, and while anything
 * that it has sent is kept for others that move, or on its way along a tree. When it has been let
 * go, it is over here as soon as it is known to live elsewhere, and nobody is told of an end. Until
 * then it may ask to stay. If its process ends, the other host is asked whether the task has
 * arrived. One thread.
 */
#ifndef DAEMON_REQUESTS_DEPARTURES_H
#define DAEMON_REQUESTS_DEPARTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/frame_reader.h"
#include "daemon/post/request.h"

struct daemon;
struct task;
struct task_link;

enum request_result departure_request(struct request *request);      /* CONTROL_LEAVE */
enum request_result departure_request_stay(struct request *request); /* CONTROL_STAY */
enum request_result departure_take_held(struct request *request);    /* CONTROL_TASK_HELD */

/*
 * The connection has brought a frame of a task that lives elsewhere. If the task asks to stay, it is
 * told that it has arrived.
 */
void departure_take_late(struct task_link *link, const struct received_frame *received);

/* Whether the task has been let go to the host, or is about to be. */
bool departure_may_be_over(struct daemon *daemon, uint32_t tid, uint32_t part);
/* The task is known to live elsewhere, as its place says. */
void departure_moved(struct daemon *daemon, uint32_t tid);
/* What a task has waited for may be over. */
void departures_look(struct daemon *daemon);

/* The process of the task is gone. Whether that is not the end of the task, or not yet. */
bool departure_lose(struct task *task);
/* The task is over. */
void departure_cancel(const struct task *task);
/* The host is gone. */
void departures_host_end(struct daemon *daemon, uint32_t part);

#endif
