/*
 * slave.h - a daemon that another one has started: what its command line says, and
 * what it tells who started it.
 */
#ifndef DAEMON_MEMBERS_SLAVE_H
#define DAEMON_MEMBERS_SLAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/loop.h"

struct daemon;

/* Without being taken into the table for so long a slave ends. */
#define SLAVE_SECONDS 300

struct slave {
    bool by_hand;    /* -S: whoever started it types what it says into the master */
    bool foreground; /* -f */
    uint32_t master_index;
    uint32_t master_address;
    uint16_t master_port;
    int master_mtu;
    uint32_t index;
    uint32_t address; /* of this host */
};

/*
 * The starter of this daemon, which holds the daemon's input open until it has heard of the daemon.
 */
struct slave_starter {
    struct loop_source source;
    int waiting; /* what slave_go gave */
};

/* Reads the five words behind the options. False when they make no sense. */
bool slave_read(struct slave *slave, char **words);

/*
 * Reads what the starter says of the virtual machine, if it has said anything yet; before anything
 * else looks at the environment.
 */
void slave_read_machine(void);

/*
 * Goes on in a process of its own, unless -f: the process that was started waits until
 * slave_announce. Returns the descriptor for slave_announce, or -1.
 */
int slave_go(const struct slave *slave);

/* Takes the master into the table. 0, or -1 after a line on the log. */
int slave_know_master(const struct slave *slave, struct daemon *daemon);

/*
 * Tells the starter where this daemon is, and lets go of the starter when it has closed its end
 * (with -S at once): from then on there is no terminal and no output. In the foreground they are
 * kept.
 */
void slave_announce(const struct slave *slave, struct daemon *daemon, int waiting);

#endif
