/*
 * link_word.h - what two of our daemons tell each other about the connection between them.
 *
 * Offer, switch and break travel in messages over datagrams (the tag is LINK_TAG), the others in
 * frames on the connection itself, whose flags are LINK_FLAG. Either body is one word. What the
 * words mean stands in daemon/post/link_upgrade.h.
 */
#ifndef CORE_LINK_WORD_H
#define CORE_LINK_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Far behind the DM codes of 3.4.6; only ever sent to a daemon that has shown our mark. */
#define LINK_TAG ((int32_t)0x80020101)

/* In a frame header, alone: neither begins nor ends a message. */
#define LINK_FLAG 0x40

#define LINK_SECRET_SIZE 32
#define LINK_WORD_SIZE   52

enum link_word_kind {
    LINK_OFFER = 1, /* connect to this port, with this secret */
    LINK_HELLO,     /* on the connection: the first half of the secret */
    LINK_WELCOME,   /* the answer to it: the second half */
    LINK_SWITCH,    /* everything behind this word comes over the connection */
    LINK_BROKEN,    /* the connection is over; so many bytes of it have been taken */
    LINK_TAKEN,     /* so many bytes have been taken in all */
    LINK_WAIT,      /* keep what the task `number` sends */
    LINK_GO_ON,     /* send it */
};

struct link_word {
    enum link_word_kind kind;
    uint32_t number; /* of the connection, counted from 1 for each pair; or a tid */
    uint16_t port;
    uint64_t taken;
    unsigned char secret[LINK_SECRET_SIZE]; /* zero in words without one */
};

void link_word_encode(const struct link_word *word, unsigned char bytes[LINK_WORD_SIZE]);

/* False when the bytes are no word. */
bool link_word_decode(struct link_word *word, const unsigned char *bytes, size_t size);

#endif
