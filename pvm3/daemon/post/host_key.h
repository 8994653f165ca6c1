/*
 * host_key.h - the key by which two daemons of ours know each other's packets and connections.
 *
 * If both hold the secret of the machine (machine_key.h), they have a key before the first packet.
 * Every packet carries a seal (seal.h), every connection carries records (records.h), and nothing
 * else is believed. The rest of this text is for other pairs.
 *
 * The side that offers connections (link_upgrade.h) makes the key and tells it with its first
 * offer. The other side tags its packets from then on. A side that has seen a right tag, or the
 * secret of a connection, tags its packets too, and from then on drops packets without a tag or
 * with a wrong one. So a process that takes the port of a daemon that has died has nothing to say.
 * The key is never told again. The secret of each connection comes from the key and the number of
 * the connection, for all pairs.
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
#include "daemon/base/keyed_hash.h"
#include "daemon/post/records.h"
#include "daemon/post/seal.h"

/* What each side of a connection shows. */
#define HOST_KEY_HALF (LINK_SECRET_SIZE / 2)

struct host_key {
    struct seal seal;                        /* if both sides hold the secret of the machine */
    unsigned char pair[KEYED_HASH_KEY_SIZE]; /* then, too */
    uint32_t own, other;                     /* host parts of the two sides, then */
    struct siphash_key packets;
    struct siphash_key connections;
    bool known;
    bool used;     /* what is sent has a tag or a seal */
    bool required; /* what comes must have one */
};

/* What is behind a packet at most. */
#define HOST_KEY_SIGN_MOST PACKET_SEAL_SIZE

/*
 * From now on the key of the pair, from the secret of the machine, is used and required. `own` and
 * `other` are the host parts of the two sides. With `secret` all is encrypted.
 */
void host_key_seal(struct host_key *key, const unsigned char pair[KEYED_HASH_KEY_SIZE],
                   uint32_t own, uint32_t other, bool secret);

/* Begins the records of the connection with this number, if both sides hold the secret. */
void host_key_start_records(const struct host_key *key, uint32_t number, struct records *records);

/* A new secret for host_key_take. False: the system has none yet. */
bool host_key_make(unsigned char secret[LINK_SECRET_SIZE]);

/* From now on the key is known. */
void host_key_take(struct host_key *key, const unsigned char secret[LINK_SECRET_SIZE]);

/* The other side has shown that it knows the key. */
void host_key_agree(struct host_key *key);

/*
 * What is to be sent as the body of the next packet: the body, or `hidden`, of the same size, to
 * which it is encrypted.
 */
static inline const unsigned char *host_key_hide(const struct host_key *key,
                                                 const unsigned char *body, size_t size,
                                                 unsigned char *hidden)
{
    return seal_hide(&key->seal, body, size, hidden);
}

/*
 * Writes the header of a packet, and the seal or tag that the key asks for to `sign`. The body is
 * that which is sent. Returns how many bytes the sign has.
 */
size_t host_key_sign(struct host_key *key, const struct packet *packet, const unsigned char *body,
                     size_t size, unsigned char header[PACKET_HEADER_SIZE],
                     unsigned char sign[HOST_KEY_SIGN_MOST]);

/*
 * Judges the `*size` bytes of a packet. A good seal or tag is taken off them, and the body
 * decrypted.
 */
enum seal_judgement host_key_judge(struct host_key *key, const struct packet *packet,
                                   unsigned char *bytes, size_t *size);

/* What the side that connects shows, and the answer to it. */
void host_key_hello(const struct host_key *key, uint32_t number, unsigned char half[HOST_KEY_HALF]);
void host_key_welcome(const struct host_key *key, uint32_t number,
                      unsigned char half[HOST_KEY_HALF]);

#endif
