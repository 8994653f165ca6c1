/*
 * hosts.h - changes of the hosts of the virtual machine.
 */
#ifndef CONSOLE_HOSTS_H
#define CONSOLE_HOSTS_H

#include "console/console.h"

/*
 * Reads a notice of new hosts from the active receive buffer and shows the hosts that others added.
 */
void hosts_added(struct console *console);

#endif
