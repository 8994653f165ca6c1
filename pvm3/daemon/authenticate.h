/*
 * authenticate.h - how a connection becomes a task: TM_CONNECT, TM_CONN2, and the files that prove
 * who one is.
 *
 * Each side makes a file that only its user can write and asks the other to write one byte to it.
 * The kernel's word for the user at the other end is asked for, too. Only an empty
 * regular file of our own user with one name is ever written to, and no link is followed.
 */
#ifndef DAEMON_AUTHENTICATE_H
#define DAEMON_AUTHENTICATE_H

#include "core/frame_reader.h"

struct task_link;

/* A connection that is no task after this time is closed. */
#define AUTHENTICATE_SECONDS 60

/* Takes a frame from a link that is not connected; may close the link. */
void authenticate_take(struct task_link *link, const struct received_frame *received);

/*
 * For a link that is about to be closed: removes its d-auth file, if there is one, and the t-auth
 * file that it named, if its task was killed before it was taken.
 */
void authenticate_forget(struct task_link *link);

#endif
