/*
 * packet.h - the datagrams between daemons: a header of 16 bytes, then the bytes of a frame.
 * Packets of one direction between two daemons are numbered from 1, with 16
 * bits.
 *
 * The last three bytes of the header are spare. Daemons of 3.4.6 ignore them, and leave there what
 * their memory held; ours put a mark there, by which they know each other
 * (daemon/post/link_upgrade.h). The mark depends on the host that sends it, so a daemon does not
 * believe its own mark when 3.4.6 happens to send it back. Two other marks say that the packet ends
 * with a tag, of PACKET_TAG_SIZE bytes (daemon/post/host_key.h), or with a seal, of
 * PACKET_SEAL_SIZE bytes (daemon/post/seal.h).
 */
#ifndef CORE_PACKET_H
#define CORE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define PACKET_HEADER_SIZE 16
#define PACKET_TAG_SIZE    8
#define PACKET_SEAL_SIZE   24

enum packet_flag {
    PACKET_FIRST = 1, /* starts a message: a message header follows */
    PACKET_LAST = 2,  /* ends a message */
    PACKET_DATA = 4,  /* carries bytes; the sequence number counts */
    PACKET_FIN = 8,   /* the sender wants to close; with PACKET_ACK: it closes */
    PACKET_ACK = 16,  /* the acknowledgement number counts */
};

/*
 * In the place of the acknowledgement number of a packet of ours that closes: its sender has become
 * the master, and the receiver is it no more (daemon/members/succession.h).
 */
#define PACKET_DEPOSES 0xffff

struct packet {
    uint32_t destination;
    uint32_t source;
    uint16_t sequence;
    uint16_t acknowledgement;
    uint8_t flags;
    bool ours;   /* read: it carries one of our marks */
    bool tagged; /* a tag is behind the body */
    bool sealed; /* a seal is behind the body */
};

/* Marks the packet as ours, and as one with a tag or a seal if it is to have one. */
void packet_encode(const struct packet *packet, unsigned char header[PACKET_HEADER_SIZE]);

/* What the header says, sensible or not. */
void packet_decode(struct packet *packet, const unsigned char header[PACKET_HEADER_SIZE]);

/* The packet says that its sender has become the master. */
static inline bool packet_deposes(const struct packet *packet)
{
    const uint8_t closes = PACKET_FIN | PACKET_ACK;
    return packet->ours && (packet->flags & closes) == closes &&
           packet->acknowledgement == PACKET_DEPOSES;
}

/* True when number `a` was given out before `b`, if they are less than half the numbers apart. */
static inline bool packet_precedes(uint16_t a, uint16_t b)
{
    uint16_t ahead = (uint16_t)(b - a);
    return ahead != 0 && ahead < 32768;
}

#endif
