/*
 * packet_link.h - how the packets between two daemons come whole and in order over datagrams that
 * are lost, doubled and overtake each other.
 *
 * One side of one pair, as a value: what was sent and is not acknowledged, what came too early, and
 * which packet is to be sent again when. The owner has the socket and the clock; times are
 * milliseconds of a clock that only goes forward. The rules are those of 3.4.6: each packet is
 * acknowledged by its number; at most `window` packets are underway; a packet is sent again after
 * twice the round-trip time, then after longer intervals, until it is acknowledged. Intervals stop
 * growing earlier than those of 3.4.6, so that a host which loses most of what it gets answers
 * something in time. That the other side is gone is not judged here: one packet may have bad luck
 * while others come and go (daemon/hosts/keep_alive.h).
 *
 * A link to 3.4.6, which sends one packet at a time but takes any number, may use a wide window.
 * One caller at a time.
 */
#ifndef CORE_PACKET_LINK_H
#define CORE_PACKET_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chunk.h"
#include "core/packet.h"

/* What a packet carries: a slice of a chunk. */
struct packet_body {
    struct chunk *chunk; /* one reference; NULL with no bytes */
    unsigned char *data;
    size_t length;
};

/* A packet on its way out. */
struct outgoing_packet {
    struct packet packet;
    struct packet_body body;
    int64_t sent;     /* for the first time; 0 before */
    int64_t due;      /* to be sent again */
    int64_t interval; /* from the last transmission until `due` */
    unsigned transmissions;
    struct outgoing_packet *next;
};

/* A packet that came before one that precedes it. */
struct early_packet;

struct packet_queue {
    struct outgoing_packet *first;
    struct outgoing_packet *last;
    size_t count;
};

struct packet_link {
    unsigned window;
    size_t early_limit;              /* how many numbers ahead are kept */
    int64_t longest;                 /* interval until a packet is sent again */
    struct packet_queue waiting;     /* without a number yet */
    struct packet_queue outstanding; /* sent, not acknowledged, by number */
    uint16_t last_number;            /* given out */
    uint16_t expected;               /* the number that comes next */
    struct early_packet *early;      /* by number, linked */
    int64_t estimate;                /* of the round-trip time */
};

void packet_link_start(struct packet_link *link, unsigned window, size_t early_limit,
                       int64_t longest);
void packet_link_finish(struct packet_link *link);

/*
 * Queues a packet: flags PACKET_DATA or PACKET_FIN, with those of the message. The link takes a
 * reference of its own to the chunk. 0, or -1: no memory.
 */
int packet_link_add(struct packet_link *link, const struct packet *packet,
                    const struct packet_body *body);

/*
 * The next packet to be sent at `now`, with its number; it stays the link's. NULL when there is
 * none. The caller sends it and says so with packet_link_sent, or with packet_link_deferred when
 * the system did not take it, to be tried again a moment later.
 */
struct outgoing_packet *packet_link_next(struct packet_link *link, int64_t now);
void packet_link_sent(const struct packet_link *link, struct outgoing_packet *packet, int64_t now);
void packet_link_deferred(struct outgoing_packet *packet, int64_t now);

/* When packet_link_next has something again, if nothing comes before; -1: never. */
int64_t packet_link_due(const struct packet_link *link);

/* True when everything has been acknowledged. */
static inline bool packet_link_is_idle(const struct packet_link *link)
{
    return link->waiting.count + link->outstanding.count == 0;
}

/*
 * The other side has packet `number`. Returns the packet that is acknowledged by this, which the
 * caller frees (outgoing_packet_free), or NULL when no packet of that number was waiting.
 */
struct outgoing_packet *packet_link_acknowledge(struct packet_link *link, uint16_t number,
                                                int64_t now);
void outgoing_packet_free(struct outgoing_packet *packet);

/*
 * Takes in a packet with data; the link takes a reference of its own to the chunk. False when it is
 * to be treated as lost and not acknowledged: its number is farther ahead than the limit, as no
 * honest sender's is, or there is no memory. Packets that have come before are taken for a second
 * time, and forgotten.
 */
bool packet_link_accept(struct packet_link *link, const struct packet *packet,
                        const struct packet_body *body);

/*
 * The next packet in order, whose chunk is the caller's (chunk_release). False when it has not
 * come.
 */
bool packet_link_take(struct packet_link *link, struct packet *packet, struct packet_body *body);

/*
 * The number of the word that the sender ends, which is said once and never acknowledged (FIN and
 * ACK): it follows all that have been given out.
 */
static inline uint16_t packet_link_end(const struct packet_link *link)
{
    return (uint16_t)(link->last_number + 1);
}

/*
 * True when that word may have the number: all packets in front of it have come, or no more of them
 * are missing than may be underway.
 */
static inline bool packet_link_may_end(const struct packet_link *link, uint16_t number)
{
    return (uint16_t)(number - link->expected) <= link->early_limit;
}

/* How often the packet has been sent that has waited longest for its acknowledgement; 0: none. */
static inline unsigned packet_link_tries(const struct packet_link *link)
{
    return link->outstanding.first ? link->outstanding.first->transmissions : 0;
}

#endif
