/*
 * probe.h - does a process still listen behind a Unix socket?
 */
#ifndef DAEMON_BASE_PROBE_H
#define DAEMON_BASE_PROBE_H

#include <stdbool.h>
#include <sys/types.h>

enum probe_result {
    PROBE_ALIVE, /* somebody listens, *pid is who (0 when the system does not tell) */
    PROBE_DEAD,  /* nobody listens, or there is no such socket */
    PROBE_ERROR, /* it cannot be told; errno says why */
};

/* Never blocks. */
enum probe_result probe_socket(const char *path, pid_t *pid);

/* Waits that long for the end of the process; whether it has ended. */
bool probe_wait_end(pid_t pid, int milliseconds);

#endif
