/*
 * signals.h - signals that the daemon gets, through a descriptor of its loop, and those it sends to
 * tasks.
 */
#ifndef DAEMON_BASE_SIGNALS_H
#define DAEMON_BASE_SIGNALS_H

#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/loop.h"

struct daemon;

struct signals {
    struct loop_source source;
    void (*take)(struct daemon *daemon, int number);
};

/*
 * From now on the end of children, SIGTERM and SIGINT are seen by the loop, and `take` is called
 * for each. 0, or -1 with errno.
 */
int signals_start(struct daemon *daemon, void (*take)(struct daemon *daemon, int number));

/*
 * In a child: restores the signals as they were before signals_start, but for signals that 3.4.6
 * leaves ignored.
 */
void signals_restore(void);

/* Sends a signal to the process of the task `tid`, if it is known. */
void signals_send(pid_t process, uint32_t tid, int number);

#endif
