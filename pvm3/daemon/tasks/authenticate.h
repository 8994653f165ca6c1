/*
 * authenticate.h - how a connection becomes a task: TM_CONNECT and TM_CONN2.
 *
 * Both sides prove with a file who they are (proof.h). The kernel is asked, too, which user is at
 * the other end.
 */
#ifndef DAEMON_TASKS_AUTHENTICATE_H
#define DAEMON_TASKS_AUTHENTICATE_H

#include "core/frame_reader.h"

struct task_link;

/* Takes a frame from a link that is not connected; may close the link. */
void authenticate_take(struct task_link *link, const struct received_frame *received);

#endif
