/*
 * events.h - what comes unasked: new hosts, the output of jobs, the loss of the pvmd.
 */
#ifndef CONSOLE_EVENTS_H
#define CONSOLE_EVENTS_H

#include "console/console.h"

/*
 * Shows what has come and sleeps until `fd` can be read. False when the pvmd is lost; a line has
 * been printed.
 */
bool events_wait_for(struct console *console, int fd);

#endif
