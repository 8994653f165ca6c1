/*
 * What does a communication library have to offer so that the work can be done with it? The
 * programs (PVM, TPL, MPI, ZeroMQ, sockets) fill in a link; everything above it is the same for all
 * of them.
 */
#ifndef PINGPONG_LINK_H
#define PINGPONG_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "payload.h"

enum link_kind {
    LINK_READY = 1,  /* P2: I am there */
    LINK_DATA,       /* the payload of some sequence number */
    LINK_START,      /* P1: send me requests from now on */
    LINK_STOP,       /* P1: no further requests */
    LINK_STATISTICS, /* P2: a text, what the requests took */
};

/* A received message, in a buffer that the receiving thread owns. */
struct link_message {
    int kind;
    size_t size;
    unsigned char *bytes;
    size_t capacity;
};

/*
 * A message to receive into, long enough for payloads of `payload_size`; the caller frees `bytes`.
 */
static inline struct link_message link_message_create(size_t payload_size)
{
    size_t capacity = payload_capacity(payload_size);
    return (struct link_message){.bytes = payload_allocate(capacity), .capacity = capacity};
}

/* One process's way to the other. No operation returns an error: they all fail (see fail.h) when
 * the library does, when the message does not fit, and when the other process has died.
 * The operations that a library does not have are NULL; the versions that need them are then not
 * among those that the program offers (options.h). */
struct link {
    void (*send)(struct link *link, int kind, const void *bytes, size_t size);
    void (*receive)(struct link *link, struct link_message *message); /* blocks */
    /* As receive, but gives up with false at CLOCK_MONOTONIC deadline_ns (at once if past). */
    bool (*receive_until)(struct link *link, struct link_message *message, int64_t deadline_ns);

    bool (*probe)(struct link *link); /* is there a message to receive? */

    /* Of a library whose own threads serve: from now on they answer every LINK_DATA message that
     * comes with the same bytes, one message after the other, each when `check` has seen it. Such
     * messages are then not received. */
    void (*serve)(struct link *link, void (*check)(void *context, const struct link_message *),
                  void *context);

    void (*interrupt)(void); /* hold the thread that receives (version.h) ... */
    void (*resume)(void);    /* ... and let it go on */

    /* For a receiver that waits on descriptors with the library unlocked. A send may read messages
     * in, or open a connection; wake then ends a wait whose descriptors would not tell. */
    void (*watch)(struct link *link); /* locked: note which descriptors announce messages */
    void (*wait)(struct link *link);  /* unlocked: sleep until one of them does, or a wake */
    void (*wake)(struct link *link);  /* locked, after a send */

    void *system; /* the program's own */
};

/* The links of the two threads of P1. A library that threads may share has one for both. */
struct link_pair {
    struct link *t1;
    struct link *t2;
};

#endif
