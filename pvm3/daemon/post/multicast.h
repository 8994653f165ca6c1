/*
 * multicast.h - one message of a task for many: who they are, and the way of its frames to them.
 *
 * As in 3.4.6 a task announces the receivers of its next multicast message (TM_MCA). Its daemon
 * tells the daemons of other hosts which of their tasks are among them (DM_MCA). Each host gets one
 * copy, straight from here. Long messages for several hosts of ours go along a tree of these hosts
 * instead (tree_origin.h): the daemon keeps the beginning of a message until it knows whether the
 * message is long.
 */
#ifndef DAEMON_POST_MULTICAST_H
#define DAEMON_POST_MULTICAST_H

#include "core/frame_reader.h"
#include "daemon/post/request.h"

struct daemon;
struct task;

enum request_result multicast_announce(struct request *request);  /* TM_MCA */
enum request_result multicast_take_list(struct request *request); /* DM_MCA */

/* Forwards a frame of the task to all for whom it has announced a message. */
void multicast_forward(struct task *task, const struct received_frame *received);

/* Forwards a frame to the tasks of this host that the host `sender` has announced for it. */
void multicast_forward_here(struct daemon *daemon, const struct received_frame *received,
                            uint32_t sender);

/* Forgets what the host has announced. */
void multicast_host_end(struct daemon *daemon, uint32_t part);
/* Forgets what all have. */
void multicast_finish(struct daemon *daemon);

#endif
