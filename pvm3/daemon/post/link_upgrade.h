/*
 * link_upgrade.h - how two daemons of ours come to speak over a TCP connection, and what happens
 * when it breaks.
 *
 * A daemon of ours marks every packet (core/packet.h). Of two that have seen each other's mark, the
 * one with the lower host index offers: a port, and with the first offer a key (host_key.h). The
 * other one connects, shows one half of a secret that comes from the key (hello) and is shown the
 * other half (welcome): so no other process can stand for one of them, unless it reads what is sent
 * between the hosts. An offer of port 0 offers the key alone. Then each daemon says over datagrams
 * that what follows comes over the connection (switch), and reads from the connection only behind
 * the other's switch: datagrams are in order, so all frames are.
 *
 * When the connection cannot be made or breaks, each daemon says once, over datagrams, that the
 * connection is over and what it has taken (broken). When a daemon has said `broken` and heard it,
 * it sends what the other has not taken, and all that follows, over datagrams; after a while the
 * connection is tried again. Whether the other host is gone is found out by datagrams alone
 * (host_link.h, keep_alive.h).
 *
 * One thread.
 */
#ifndef DAEMON_POST_LINK_UPGRADE_H
#define DAEMON_POST_LINK_UPGRADE_H

#include <stdbool.h>

#include "core/link_word.h"
#include "daemon/base/loop.h"

struct daemon;
struct host_link;

enum link_upgrade_state {
    UPGRADE_NONE,       /* all goes over datagrams; perhaps it is tried later */
    UPGRADE_OFFERED,    /* the other side has a port and the key */
    UPGRADE_CONNECTING, /* we have the port and the key of the other side */
    UPGRADE_UP,
    UPGRADE_BROKEN, /* we have said what we took; the other side has not yet */
};

struct link_upgrade {
    enum link_upgrade_state state;
    bool known;       /* the other side is a daemon of ours */
    bool switched;    /* its switch has come, perhaps before its welcome */
    bool established; /* this connection has been up, and was of use */
    bool was_up;      /* this connection or an earlier one has been up */
    bool explained;   /* the log says already why the connection is over */
    uint32_t number;  /* of the connection */
    unsigned failures;
    struct loop_timer timer; /* how long a connection may take, or when to try again */
};

void link_upgrade_start(struct host_link *link);
/* The connection is closed; nothing is tried any more. */
void link_upgrade_stop(struct host_link *link);

/* A packet with our mark has come. */
void link_upgrade_meet(struct host_link *link);

/* A word has come over datagrams. False when it makes no sense. */
bool link_upgrade_take(struct host_link *link, const struct link_word *word);
/* A word has come over the connection. */
bool link_upgrade_take_here(struct host_link *link, const struct link_word *word);

/* True when a daemon at the address was offered a connection, and has not connected yet. */
bool link_upgrade_awaits(const struct daemon *daemon, uint32_t address);

/* True when the word is the hello that the host of `source` was asked for. */
bool link_upgrade_expects(const struct daemon *daemon, uint32_t source,
                          const struct link_word *hello);
/* Takes the connection on which the hello was said. */
void link_upgrade_accept(struct daemon *daemon, uint32_t source, int fd);

/* The connection is over, for this reason. */
void link_upgrade_break(struct host_link *link, const char *reason);
/*
 * Like link_upgrade_break, for a connection that was of no use: the log says so, and the pause
 * before the next attempt is longer each time.
 */
void link_upgrade_give_up(struct host_link *link, const char *reason);

#endif
