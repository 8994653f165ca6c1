/*
 * former_hosts.h - who was a host of the virtual machine, and may not know that it is none now?
 *
 * A host that was given up may come back: it was only unplugged or stood still, or the word that
 * ended it was lost, since it is said once. What it sends has no effect. The master answers
 * with the word that ends it, which a daemon of 3.4.6 obeys too; so it need not wait until its own
 * patience with the master is over, and can be added again. The last ones are remembered. One
 * thread.
 */
#ifndef DAEMON_HOSTS_FORMER_HOSTS_H
#define DAEMON_HOSTS_FORMER_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/packet.h"
#include "daemon/post/host_key.h"

struct daemon;
struct host;
struct sockaddr_in;

#define FORMER_HOSTS_MAX 64

struct former_host {
    uint32_t part; /* 0: none */
    uint32_t address;
    uint16_t port;
    uint16_t end; /* number of the word that ends it */
    bool deposed; /* it was the master, and another host is it now */
    struct host_key key;
};

struct former_hosts {
    struct former_host list[FORMER_HOSTS_MAX];
    unsigned next; /* place of the next one */
};

/* A packet as it came, with its seal or tag; judging it may decrypt it in place. */
struct former_bytes {
    unsigned char *data;
    size_t size;
};

/* True when the host is remembered. */
bool former_hosts_has(const struct former_hosts *former, uint32_t part);

/* The host leaves the table. */
void former_hosts_add(struct former_hosts *former, const struct host *host);

/* Says to the daemon of the host, once and unreliably, that it is to end. */
void former_hosts_end(struct daemon *daemon, struct former_host *former);

/*
 * True when the packet is that of a former host; it has been answered. If it says that its sender
 * has become the master, it goes to the upcall `deposed`.
 */
bool former_hosts_take(struct daemon *daemon, const struct packet *packet,
                       const struct former_bytes *bytes, const struct sockaddr_in *from);

/* Says to all daemons that were the master that they are to end. */
void former_hosts_remind(struct daemon *daemon);

#endif
