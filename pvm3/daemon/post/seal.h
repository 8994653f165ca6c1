/*
 * seal.h - what stands behind a packet between two daemons that hold the secret of the machine
 * (machine_key.h): a number that cannot come twice, and a code over the whole packet.
 *
 * The code comes from the header, the body, the number and a key (daemon/base/cipher.h). Each
 * direction has a key of its own: so a packet that is sent back to its sender is not believed. Each
 * side numbers what it sends from 1. The receiver keeps a window of the numbers that have come.
 * With secrecy the body is encrypted. One thread.
 */
#ifndef DAEMON_POST_SEAL_H
#define DAEMON_POST_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/packet.h"
#include "core/replay_window.h"
#include "daemon/base/cipher.h"

struct seal {
    bool there;  /* the pair has a key */
    bool secret; /* bodies are encrypted */
    unsigned char sending[CIPHER_KEY_SIZE];
    unsigned char receiving[CIPHER_KEY_SIZE];
    uint64_t sent; /* the number given last */
    struct replay_window come;
};

/* What to do with a packet. */
enum seal_judgement {
    SEAL_GOOD,
    SEAL_WRONG,    /* its sender does not know the key, or somebody has changed the packet */
    SEAL_REPEATED, /* it has come before, or is too old to tell */
};

/*
 * What is to be sent as the body of the next packet: the body, or `hidden`, to which it is
 * encrypted.
 */
const unsigned char *seal_hide(const struct seal *seal, const unsigned char *body, size_t size,
                               unsigned char *hidden);

/* Writes the seal of the next packet. */
void seal_write(struct seal *seal, const unsigned char header[PACKET_HEADER_SIZE],
                const unsigned char *body, size_t size, unsigned char bytes[PACKET_SEAL_SIZE]);

/* Judges `size` bytes, a packet with its seal. The body of a good one is decrypted. */
enum seal_judgement seal_open(struct seal *seal, unsigned char *bytes, size_t size);

#endif
