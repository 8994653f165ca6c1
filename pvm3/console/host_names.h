/*
 * host_names.h - the hosts of the virtual machine by their names.
 */
#ifndef CONSOLE_HOST_NAMES_H
#define CONSOLE_HOST_NAMES_H

#include "console/console.h"

/* The name of the host that `tid` is on, "-" when it is not known; valid until the next look-up. */
const char *host_name_of(int tid);

/* The dtid of a host by its name, "." is the console's own; PvmNoHost. */
int host_find(const struct console *console, const char *name);

#endif
