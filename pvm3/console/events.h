/*
 * events.h - what comes unasked: new hosts, the output of jobs, the loss of the pvmd.
 */
#ifndef CONSOLE_EVENTS_H
#define CONSOLE_EVENTS_H

#include "console/console.h"

/* Shows what has come. False when the pvmd is lost; a line has been printed. */
bool events_take(struct console *console);

/*
 * Shows what has come and sleeps until `fd` can be read. False when the pvmd is lost; a line has
 * been printed.
 */
bool events_wait_for(struct console *console, int fd);

/* Likewise until all jobs have ended. */
bool events_wait_for_jobs(struct console *console);

#endif
