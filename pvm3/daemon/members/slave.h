/*
 * slave.h - a daemon that another one has started: what its command line says, and
 * what it tells who started it.
 */
#ifndef DAEMON_MEMBERS_SLAVE_H
#define DAEMON_MEMBERS_SLAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/loop.h"
#include "daemon/post/machine_key.h"

struct daemon;

/*
 * Without being taken into the table for so long a slave ends. One that holds the secret has as much
 * patience as with other hosts, but not less than this: its master may have died meanwhile.
 */
#define SLAVE_SECONDS       300
#define SLAVE_SECONDS_LEAST 10

/*
 * A master that writes the secret of the machine to the standard input of a new daemon says so by
 * the digits of the mask (-d0x...). They are more than any other master writes; a daemon of 3.4.6
 * reads the same mask.
 */
#define SLAVE_KEY_DIGITS 10

/* In the line on the standard input, in front of the secret. */
#define SLAVE_KEY_WORD "PVM_KEY="

struct slave {
    bool by_hand;    /* -S: whoever started it types what it says into the master */
    bool foreground; /* -f */
    bool key_comes;  /* the starter writes the secret of the machine */
    char key[MACHINE_KEY_TEXT_SIZE];
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
 * Reads what the starter says of the virtual machine, before anything else looks at the
 * environment. If the secret is to come, waits for it; otherwise takes what is there.
 */
void slave_read_machine(struct slave *slave);

/*
 * Goes on in a process of its own, unless -f: the process that was started waits until
 * slave_announce. Returns the descriptor for slave_announce, or -1.
 */
int slave_go(const struct slave *slave);

/* Takes the secret, and the master into the table. 0, or -1 after a line on the log. */
int slave_know_master(struct slave *slave, struct daemon *daemon);

/*
 * Tells the starter where this daemon is, and lets go of the starter when it has closed its end
 * (with -S at once): from then on there is no terminal and no output. In the foreground they are
 * kept.
 */
void slave_announce(const struct slave *slave, struct daemon *daemon, int waiting);

#endif
