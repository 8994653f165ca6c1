/*
 * datagrams.h - the socket to other daemons, and packets that go out there. Who reads from it is in
 * datagram_reader.h. One thread.
 */
#ifndef DAEMON_POST_DATAGRAMS_H
#define DAEMON_POST_DATAGRAMS_H

#include <stdint.h>

#include "core/packet_link.h"
#include "daemon/base/loop.h"

struct daemon;
struct host;

struct datagrams {
    struct daemon *daemon;
    struct loop_source source;
    struct chunk *room; /* for the next packet, NULL when there is none yet */
};

/*
 * Opens the socket at `address`, at the first free port from `port` on, any port if `port` is 0.
 * `handle` reads what comes there. Returns the port, or 0 with errno.
 */
uint16_t datagrams_start(struct datagrams *datagrams, struct daemon *daemon,
                         void (*handle)(struct loop_source *, uint32_t), uint32_t address,
                         unsigned port);
void datagrams_finish(struct datagrams *datagrams);

enum datagram_result {
    DATAGRAM_SENT,  /* or lost on the way */
    DATAGRAM_FULL,  /* the socket takes no more: host_packets_unblock is called when it does */
    DATAGRAM_ERROR, /* the system could not just now */
};

enum datagram_result datagrams_send(struct datagrams *datagrams, struct host *host,
                                    const struct packet *packet, const struct packet_body *body);

#endif
