/*
 * signals.h - signals that the daemon gets, through a descriptor of its loop, and those it sends to
 * tasks.
 */
#ifndef DAEMON_SIGNALS_H
#define DAEMON_SIGNALS_H

struct daemon;
struct task;

/* From now on the end of children, SIGTERM and SIGINT are seen by the loop. 0, or -1 with errno. */
int signals_start(struct daemon *daemon);

/* In a child: signals as they were before signals_start, but those that 3.4.6 leaves ignored. */
void signals_restore(void);

/* Sends a signal to the process of a task, if it is known. */
void signals_send(const struct task *task, int number);

#endif
