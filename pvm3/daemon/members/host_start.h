/*
 * host_start.h - what the starter of a new host's daemon is told, and what the line that comes back
 * means.
 */
#ifndef DAEMON_MEMBERS_HOST_START_H
#define DAEMON_MEMBERS_HOST_START_H

#include <stdbool.h>
#include <stdint.h>

struct host;
struct host_spec;
struct message;

/*
 * Appends to an order (SM_STHOST) the host that `spec` describes, with the tid and address that it
 * is to have. False when memory is short.
 */
bool host_start_put(struct message *order, const struct host_spec *spec, const struct host *master,
                    uint32_t part, uint32_t address);

/*
 * The command that starts the daemon there; the caller's to free, NULL when memory is short. With a
 * key, the command says that the daemon gets it on the standard input.
 */
char *host_start_command(const struct host_spec *spec, const struct host *master, uint32_t part,
                         uint32_t address, bool with_key);
/*
 * The command for Windows; NULL also when dx= names the daemon, since host_start_command serves
 * then.
 */
char *host_start_windows_command(const struct host_spec *spec, const struct host *master,
                                 uint32_t part, uint32_t address);
/* The virtual machine that the daemon is to be told, "" for none; the spec's, or our own one's. */
const char *host_start_machine(const struct host_spec *spec);

/* What a new daemon tells of itself. */
struct host_start_result {
    char architecture[64];
    uint32_t address;
    uint16_t port;
    int mtu;
    uint32_t signature;
    uint64_t salt; /* 0: it holds no secret of the machine (daemon/post/machine_key.h) */
};

/*
 * Reads that. PvmOk when the line is that of a daemon which speaks our protocol, PvmBadVersion when
 * it speaks another one; else the error that the line names, PvmCantStart when it names none.
 */
int32_t host_start_judge(const char *line, struct host_start_result *result);

#endif
