/*
 * memory.h - how much memory there is for this process: that of the machine, or what its control
 * group or its resource limits leave of it.
 */
#ifndef DAEMON_BASE_MEMORY_H
#define DAEMON_BASE_MEMORY_H

#include <stddef.h>

/* Bytes. Reads files of /proc and /sys: for start-up. */
size_t memory_available(void);

#endif
