/*
 * hosts.h - the host table of the virtual machine, and the requests about hosts.
 *
 * This daemon runs one host: the table has one entry, its own, with index 1.
 */
#ifndef DAEMON_HOSTS_H
#define DAEMON_HOSTS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/environment.h"
#include "daemon/request.h"

/* The largest datagram between daemons; tasks take it as the size of their fragment buffers. */
#define HOST_MTU       4080
#define HOST_NAME_SIZE 256

struct host {
    uint32_t part; /* the host bits of its tids */
    char name[HOST_NAME_SIZE];
    const char *architecture;
    uint32_t address; /* IPv4, host byte order */
    uint16_t port;    /* of its daemon's datagram socket */
    int speed;
    uint32_t signature;
};

struct hosts {
    struct host own;
    int datagram;    /* the socket that other daemons will talk to */
    uint32_t cursor; /* the index given last to a host that was to be added */
};

/*
 * Makes the entry of the own host; its name is the system's unless `name` gives it. 0, or -1 after
 * a line on the log.
 */
int hosts_set_own(struct hosts *hosts, const char *name);
/*
 * Finds the address of the own host, by its name unless `address` gives another one, and binds the
 * datagram socket. May wait for the resolver: only before the loop runs. 0, or -1 after a line on
 * the log.
 */
int hosts_open(struct hosts *hosts, const char *address, int speed, unsigned first_port);
void hosts_finish(struct hosts *hosts);

static inline const struct host *hosts_own(const struct hosts *hosts)
{
    return &hosts->own;
}

/* By the host part of the tid. NULL when there is none; part 0 names no host. */
const struct host *hosts_find(const struct hosts *hosts, uint32_t tid);

/*
 * The host part for a host that is to be added. Indices are not given back when that fails, as in
 * 3.4.6, so that a late daemon is not taken for another one.
 */
uint32_t hosts_next_part(struct hosts *hosts);

enum request_result hosts_tell(struct request *request);       /* TM_CONFIG */
enum request_result hosts_tell_state(struct request *request); /* TM_MSTAT */
enum request_result hosts_tell_clock(struct request *request); /* TM_HOSTSYNC */
enum request_result hosts_delete(struct request *request);     /* TM_DELHOST */

#endif
