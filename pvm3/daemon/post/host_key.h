/*
 * host_key.h - the key by which two daemons of ours know each other's packets and connections.
 *
 * The side that offers connections (link_upgrade.h) makes the key and tells it with its first
 * offer. The other side tags its packets from then on. A side that has seen a right tag, or the
 * secret of a connection, tags its packets too, and from then on drops packets without a tag or
 * with a wrong one. So a process that takes the port of a daemon that has died has nothing to say.
 * The key is never told again. The secret of each connection comes from the key and the number of
 * the connection.
 *
 * A tag is SipHash of the header and the body. The header has the sender and the number, so a
 * packet that somebody repeats is one that has come already (core/packet_link.h).
 */
#ifndef DAEMON_POST_HOST_KEY_H
#define DAEMON_POST_HOST_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/link_word.h"
#include "core/packet.h"
#include "core/siphash.h"

/* What each side of a connection shows. */
#define HOST_KEY_HALF (LINK_SECRET_SIZE / 2)

struct host_key {
    struct siphash_key packets;
    struct siphash_key connections;
    bool known;
    bool used;     /* what is sent has a tag */
    bool required; /* what comes must have one */
};

/* A new secret for host_key_take. False: the system has none yet. */
bool host_key_make(unsigned char secret[LINK_SECRET_SIZE]);

/* From now on the key is known. */
void host_key_take(struct host_key *key, const unsigned char secret[LINK_SECRET_SIZE]);

/* The other side has shown that it knows the key. */
void host_key_agree(struct host_key *key);

/* Writes the tag of a packet. */
void host_key_tag(const struct host_key *key, const unsigned char header[PACKET_HEADER_SIZE],
                  const unsigned char *body, size_t size, unsigned char tag[PACKET_TAG_SIZE]);

/*
 * True when the `*size` bytes of a packet have a right tag, or need none. A tag is taken off them.
 */
bool host_key_accepts(struct host_key *key, const struct packet *packet,
                      const unsigned char *bytes, size_t *size);

/* What the side that connects shows, and the answer to it. */
void host_key_hello(const struct host_key *key, uint32_t number, unsigned char half[HOST_KEY_HALF]);
void host_key_welcome(const struct host_key *key, uint32_t number,
                      unsigned char half[HOST_KEY_HALF]);

#endif
