/*
 * outgoing.h - messages on their way out of an endpoint, by a way that may have to queue them.
 *
 * Threads: one at a time, the sender until it has pushed them and then whoever finishes them.
 */
#ifndef CK_PEERS_OUTGOING_H
#define CK_PEERS_OUTGOING_H

#include "ck/base/result.h"
#include "ck/wait/wait.h"
#include "core/frame.h"

struct sending;

/* A message and where it goes. */
struct parcel {
    const struct message *message;
    uint32_t destination;
};

/*
 * Messages on their way out, one behind the other. It lies on the stack of its sender, which waits
 * until it is done; or it is posted, and belongs to a request (ck/requests/request.h); or it is
 * unattended, and the thread that finishes it frees its memory.
 */
struct outgoing {
    struct waiter waiter;
    const struct parcel *parcels; /* parcels not yet begun */
    int count;
    uint32_t source;
    bool begun;
    bool unattended;
    const struct parcel *posted; /* what the request sends; NULL: it belongs to none */
    bool queued;                 /* a way has not taken all of the posted message at once */
    unsigned strayed;            /* the way broke before all was out: it is to be sent again */
    struct sending *held;        /* memory of the request for what it holds while it is queued */
    bool holds;                  /* it holds its peer, whose link is to count it once it is out */
    struct frame_writer writer;  /* for the parcel that is begun */
    int result;                  /* 0, or CK_LOST when the peer is gone */
    struct outgoing *next;
};

/* To be pushed now. Returns `outgoing`. */
static inline struct outgoing *
outgoing_load(struct outgoing *outgoing, const struct parcel *parcels, int count, uint32_t source)
{
    outgoing->parcels = parcels;
    outgoing->count = count;
    outgoing->source = source;
    outgoing->begun = false;
    outgoing->result = CK_LOST;
    return outgoing;
}

enum push_result {
    PUSH_DONE,    /* the socket has all of it */
    PUSH_PENDING, /* queued: whoever writes it on, or breaks the way, finishes it */
    PUSH_BROKEN,  /* the peer is gone */
};

#endif
