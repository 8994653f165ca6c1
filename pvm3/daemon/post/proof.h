/*
 * proof.h - the two files by which a task and the daemon prove to each other whose processes they
 * are.
 *
 * Each side makes a file that only its user can write, and asks the other side to write one byte to
 * it. Only an empty regular file of our own user with one name is ever written to, and no link is
 * followed. As in 3.4.6, d-auth is the daemon's file and t-auth is the task's.
 */
#ifndef DAEMON_POST_PROOF_H
#define DAEMON_POST_PROOF_H

#include <stdbool.h>

struct task_link;

/* Writes the byte that the task waits for into its t-auth file. NULL, or what is wrong. */
const char *proof_give(const char *path);

/* Makes the d-auth file of the link. NULL, or what is wrong. */
const char *proof_ask(struct task_link *link);

/* True when the other side has written to the d-auth file, which is removed. */
bool proof_take(struct task_link *link);

/*
 * For a link that is about to be closed: removes its d-auth file, if there is one, and the t-auth
 * file that the task named, if the task was killed while it authenticated.
 */
void proof_forget(struct task_link *link);

#endif
