/*
 * host_file.h - the file that lists the hosts of a virtual machine (wire.md 3.13).
 */
#ifndef DAEMON_HOST_FILE_H
#define DAEMON_HOST_FILE_H

struct settings;

/*
 * Reads the file at start: what it says of the host `own_name`, or else of all, goes into the
 * settings. Lines that make no sense, hosts that are to be started (this daemon does not start
 * others yet) and a file that cannot be read are told on the log; none of them keeps the daemon
 * from running. Returns the name or address that the file gives for the own host, the caller's to
 * free, or NULL.
 */
char *host_file_read(const char *path, const char *own_name, struct settings *settings);

#endif
