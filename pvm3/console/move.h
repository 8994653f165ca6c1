/*
 * move.h - tasks leave a host.
 */
#ifndef CONSOLE_MOVE_H
#define CONSOLE_MOVE_H

#include "console/console.h"

/*
 * Moves the tasks of the named hosts to the others, each to where the fewest are. Shows which have
 * moved, and says of each that has not. Whether all have.
 */
bool hosts_evacuate(struct console *console, int count, char **names);

#endif
