/*
 * outgoing.h - messages on their way out of an endpoint, by a way that may have to queue them.
 *
 * Threads: one at a time, the sender until it has pushed them and then whoever finishes them.
 */
#ifndef CK_OUTGOING_H
#define CK_OUTGOING_H

#include "ck/result.h"
#include "ck/wait.h"
#include "core/frame.h"

/* A message and where it goes. */
struct parcel {
    const struct message *message;
    uint32_t destination;
};

/*
 * Messages on their way out, one behind the other. It lies on the stack of its sender, which waits
 * until it is done; if it is unattended, the thread that finishes it frees its memory.
 */
struct outgoing {
    struct waiter waiter;
    const struct parcel *parcels; /* parcels not yet begun */
    int count;
    uint32_t source;
    bool begun;
    bool unattended;
    struct frame_writer writer; /* for the parcel that is begun */
    int result;                 /* 0, or CK_LOST when the peer is gone */
    struct outgoing *next;
};

enum push_result {
    PUSH_DONE,    /* the socket has all of it */
    PUSH_PENDING, /* queued: whoever writes it on, or breaks the way, finishes it */
    PUSH_BROKEN,  /* the peer is gone */
};

#endif
