/*
 * ucx_link.h - the way to one peer by UCX, and what has come from the peer.
 *
 * Both sides tell each other how they are reached (cards, ucx_meet.h). A side that knows it
 * connects, and when that is done may engage its way: it sends a fence by the common way, behind
 * all that went there, and sends by UCX from then on. The other side keeps what comes by UCX until
 * it has read the fence. So the two directions are independent, nobody waits, and no message
 * overtakes another one. A way is left when it breaks only.
 *
 * A message counts as sent when UCX has handed all of it to the network: what a task has sent
 * arrives, though it is killed.
 */
#ifndef CK_PORTS_UCX_UCX_LINK_H
#define CK_PORTS_UCX_UCX_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "ck/endpoint/endpoint.h"
#include "ck/peers/way.h"
#include "ck/ports/ucx/ucx_network.h"

/* With the lock of the engine. */
enum ucx_link_state {
    UCX_LINK_NEW,     /* the peer has said nothing yet, or the way has broken */
    UCX_LINK_KNOWN,   /* the way may be engaged */
    UCX_LINK_ENGAGED, /* messages go by it */
    UCX_LINK_REFUSED, /* by the peer, or the peer leaves */
};

struct ucx_word;

struct ucx_link {
    struct entry entry;
    struct way way;
    struct ucx_network *network;
    struct endpoint *owner;
    uint32_t peer;

    /* With the lock of the engine; `state` is changed by the leader and by senders. */
    enum ucx_link_state state;
    unsigned offers;   /* made so far without an answer */
    unsigned patience; /* messages until the next one */
    bool late;         /* these are used up: a way of another kind may be asked for */
    uint32_t attempt;  /* how often this side has found the way broken */

    /* With the lock of the network. */
    ucp_ep_h ep;            /* NULL: none */
    bool broken;            /* nothing more goes out */
    void *request;          /* what UCX has not done yet; NULL: nothing */
    struct outgoing *first; /* which has begun, and those behind it */
    struct outgoing *last;
    struct outgoing *finished; /* in order */
    struct outgoing **finished_end;
    const struct message *message; /* that is being sent, */
    uint32_t destination;
    unsigned segment; /* and its next segment */
    unsigned char header[UCX_HEADER_SIZE];
    struct ucx_word *greeting; /* UCX_HELLO on its way; NULL: none */
    bool greeted;              /* it is out */
    ucp_dt_iov_t parts[2];     /* this header, and a segment */
    uint32_t number;           /* of the last fence sent */
    bool heard;                /* the peer knows that this side leaves */
    struct ucx_link *next;     /* of the network */

    /* The leader's. */
    bool watched;          /* the daemon tells of the peer's end */
    bool bye;              /* the peer has left, and nothing more comes */
    bool over;             /* the peer is over */
    uint32_t fenced;       /* the number of the last fence from the peer */
    uint32_t peer_attempt; /* the peer's card */
    unsigned char *card;
    size_t card_size;
    struct message *partial; /* begun, and not whole */
    struct message *early;   /* came before their fence */
    struct message *held;    /* words of the peer's end */
};

static inline struct ucx_link *ucx_link_to(const struct peer *peer)
{
    return (struct ucx_link *)(void *)atomic_load_explicit(&peer->to[ROLE_FAR],
                                                           memory_order_relaxed);
}

/* A link that knows nothing of the peer yet, in its record; NULL without memory. Locked. */
struct ucx_link *ucx_link_make(struct endpoint *endpoint, struct peer *peer);

/*
 * Has UCX connect to the peer, whose address is link->card. False if it cannot. What went before by
 * another connection is cut. The leader.
 */
bool ucx_link_connect(struct ucx_link *link);

/* Ends the connection; what is queued fails, unless it was cut. Any thread, without a lock. */
void ucx_link_disconnect(struct ucx_link *link);

/* Writes on what is queued. True if anything was. With the lock of the network. */
bool ucx_link_continue(struct ucx_link *link);

/* What has been sent since, or has failed: taken off. Likewise. */
struct outgoing *ucx_link_take_finished(struct ucx_link *link);

/* A word without a body (UCX_HELLO and so on), behind what has been sent. Likewise. */
void ucx_link_say(struct ucx_link *link, uint8_t word);

/*
 * Whether the connection is there. UCX makes it when both sides look, and until then would have a
 * sender wait. Any thread, without the lock of the network.
 */
bool ucx_link_is_connected(struct ucx_link *link);

/* What is to be sent by it fails. Likewise: returns that. */
struct outgoing *ucx_link_take_queued(struct ucx_link *link);

#endif
