/*
 * host_file.h - the file that lists the hosts of a virtual machine.
 *
 * Which hosts are to be started with the machine, and the options of hosts that are added later.
 * One thread.
 */
#ifndef DAEMON_MEMBERS_HOST_FILE_H
#define DAEMON_MEMBERS_HOST_FILE_H

#include <stddef.h>

struct host_file;
struct host_spec;
struct settings;

/*
 * Reads the file. Lines that make no sense and a file that cannot be read are told on the log; none
 * of them keeps the daemon from running. NULL when there is nothing.
 */
struct host_file *host_file_read(const char *path, const char *own_name);
void host_file_free(struct host_file *file);

/*
 * What the file says of the own host goes into the settings. Returns the name or address that it
 * gives for the own host, or NULL; it is the file's.
 */
const char *host_file_apply(const struct host_file *file, struct settings *settings);

/* Fills in what the file says of the host that `spec` names; the strings stay the file's. */
void host_file_complete(const struct host_file *file, struct host_spec *spec);

/*
 * The next host to be started with the machine, from *place on, which moves; NULL behind the last.
 */
const char *host_file_to_start(const struct host_file *file, size_t *place);

#endif
