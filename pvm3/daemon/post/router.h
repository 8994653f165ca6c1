/*
 * router.h - where a frame goes, and how the daemon's own messages reach a task.
 *
 * Frames between tasks are forwarded as they came, as slices of the chunk they were read into; only
 * the source in their header is made true. The rules are those of 3.4.6.
 */
#ifndef DAEMON_POST_ROUTER_H
#define DAEMON_POST_ROUTER_H

#include "core/frame_reader.h"
#include "core/message.h"

struct daemon;
struct place;
struct task;

/*
 * Forwards a frame to a task. The header in front of its body is overwritten: nobody else looks at
 * it before it is forwarded.
 */
void router_forward(struct daemon *daemon, const struct received_frame *received);

/* Forwards a copy of the frame to the task with this tid, wherever it lives. */
void router_forward_copy(struct daemon *daemon, const struct received_frame *received,
                         uint32_t tid);

/* Nothing is kept for the task any more: what has been goes to where the task lives. */
void router_release(struct place *place);

/* Forwards a copy of the frame to a task of this host. */
void router_copy_to(struct task *to, const struct received_frame *received);

/*
 * Forwards a copy of the frame to each of these tasks of this host. Some of them may live elsewhere
 * meanwhile.
 */
void router_copy_to_receivers(struct daemon *daemon, const struct received_frame *received,
                              const uint32_t *tids, size_t count);

/*
 * The task sends nothing more: what it has sent comes to other hosts before all that the daemon
 * says from now on.
 */
void router_end_task(const struct task *task);

/*
 * Sends a message of the daemon to a task, of any host, or to another daemon, and frees it. A
 * message whose receiver does not exist is dropped.
 */
void router_send(struct daemon *daemon, uint32_t destination, struct message *message);
/* Sends a message of the daemon to a task of this host, also while it moves, and frees it. */
void router_answer(struct task *task, struct message *message);

#endif
