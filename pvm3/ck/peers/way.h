/*
 * way.h - a way of the port under, and what a sender holds of its peer while it sends.
 *
 * A way is the use of a port to one peer. The port under has one way that is common to all peers
 * (endpoint.common), and may have ways of single peers. Each has a lock, under which a sender
 * decides whether its message may go there, and writes it. The order protocol stands in outbox.c.
 */
#ifndef CK_PEERS_WAY_H
#define CK_PEERS_WAY_H

#include <stdbool.h>

#include "ck/base/lock.h"
#include "ck/peers/outgoing.h"
#include "ck/base/stamp.h"

struct entry;
struct peer;

/* The functions are the port's. */
struct way {
    struct lock lock; /* LOCK_ROUTES */

    /*
     * Sends, or queues what cannot be sent now, behind what is queued. What is PUSH_PENDING is the
     * port's until it is sent (endpoint_finish_outgoing), `recall` or `cut`. With the lock of the
     * way.
     */
    enum push_result (*push)(struct way *way, struct outgoing *outgoing);

    /*
     * Takes out what is queued. False when it is not queued here, or a part of it is out. Any
     * thread, without a lock.
     */
    bool (*recall)(struct way *way, struct outgoing *outgoing);

    /* Whether anything is queued. With the lock of the way. */
    bool (*is_busy)(const struct way *way);

    /*
     * Nothing more goes this way. Returns what was queued, linked by next, each with the result
     * CK_LOST: it is the caller's. Any thread, without a lock.
     */
    struct outgoing *(*cut)(struct way *way);
};

/*
 * One message on its way to one peer; on the stack of its sender, which uses the peer meanwhile, so
 * that links stay that end. `link` is compared with the peer's link of the moment: only a message
 * whose sender knows of the latest link may go by a way under.
 */
struct sending {
    struct peer *peer;
    struct outgoing *posted; /* of a sender that does not wait for a full way; NULL: it waits */
    struct entry *link;      /* of the port over, as the sender found it; NULL: none */
    struct way *far;         /* that of the port far; NULL: messages do not go by it */
    bool own;                /* the peer had a way of its own under, or one was being agreed on */
    bool counts;             /* over: the link counts the message when it has gone another way */
    struct stamp stamp;      /* over: of the message */
    void *load;              /* over: the body, where the peer can read it; NULL: it is not there */
    void **shared; /* over: that of others to which the message goes; NULL: there are none */
};

#endif
