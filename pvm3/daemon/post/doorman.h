/*
 * doorman.h - the port to which other daemons of ours connect, and connections that have not said
 * yet whose they are.
 *
 * The port is opened when the first daemon of ours is met. A connection has a while to show the
 * secret of an offer (link_upgrade.h); one that shows something else, or nothing, is closed, and
 * one from where nobody was offered anything at once. One thread.
 */
#ifndef DAEMON_POST_DOORMAN_H
#define DAEMON_POST_DOORMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/loop.h"

struct daemon;
struct link_word;

/* Tells which daemons were offered a connection by this one. */
struct doorman_offers {
    /* True when a daemon at the address was offered a connection, and has not connected yet. */
    bool (*awaits)(const struct daemon *daemon, uint32_t address);
    /* True when the word is the hello that the host of `source` was asked for. */
    bool (*expects)(const struct daemon *daemon, uint32_t source, const struct link_word *hello);
    /* Takes the connection on which the hello was said. */
    void (*accept)(struct daemon *daemon, uint32_t source, int fd);
};

struct doorman {
    struct daemon *daemon;
    const struct doorman_offers *offers;
    struct loop_source source;
    struct list visitors;
    unsigned count; /* of them */
    uint16_t port;
};

void doorman_start(struct doorman *doorman, struct daemon *daemon,
                   const struct doorman_offers *offers);
void doorman_finish(struct doorman *doorman);

/*
 * The port; opened if it is not yet, at the number of the datagram socket if that is free, so that
 * one rule of a firewall is for both. 0 when no port can be opened, after a line on the log.
 */
uint16_t doorman_port(struct doorman *doorman);

#endif
