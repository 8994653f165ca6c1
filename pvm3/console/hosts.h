/*
 * hosts.h - the hosts of the virtual machine.
 */
#ifndef CONSOLE_HOSTS_H
#define CONSOLE_HOSTS_H

#include "console/console.h"

/* The name of the host that `tid` is on, "-" when it is not known; valid until the next look-up. */
const char *host_name_of(int tid);

/* The dtid of a host by its name, "." is the console's own; PvmNoHost. */
int host_find(const struct console *console, const char *name);

/*
 * Reads a notice of new hosts from the active receive buffer and shows the hosts that others added.
 */
void hosts_added(struct console *console);

#endif
