/*
 * host_link.h - what goes to another daemon and comes from it: frames in packets over the datagram
 * socket (host_packets.h), or over a connection when both daemons are ours (link_upgrade.h), and
 * messages put together from them.
 *
 * One link for each host of the table but the own one. One thread.
 */
#ifndef DAEMON_POST_HOST_LINK_H
#define DAEMON_POST_HOST_LINK_H

#include "core/assemble.h"
#include "core/frame_reader.h"
#include "core/packet_link.h"
#include "daemon/base/backlog.h"
#include "daemon/base/holds.h"
#include "daemon/base/loop.h"
#include "daemon/post/host_stream.h"
#include "daemon/post/hosts.h"
#include "daemon/post/link_upgrade.h"
#include "daemon/post/suspicion.h"

struct daemon;
struct host;

struct host_link {
    struct daemon *daemon;
    struct host *host;
    struct packet_link packets;
    struct backlog backlog;     /* what has not been acknowledged */
    struct assembler assembler; /* of messages for this daemon */
    struct loop_work flush;
    struct loop_timer timer; /* when a packet is to be sent again */
    uint32_t assembling;     /* source of the message that has begun last */
    bool ending;             /* a FIN has been queued */
    bool heard;              /* something has come since keep_alive looked */
    bool spoken;             /* something has come since the table was told */
    bool stopped;            /* nothing more is expected: the host has been given up */
    struct suspicion suspicion;
    unsigned refusals; /* packets refused since something has come */
    bool blocked;      /* the socket takes no more: wait until it does */
    struct link_upgrade upgrade;
    struct host_stream stream;
    struct holds holds; /* flows behind what comes to the host along a tree (tree_origin.h) */
};

/* NULL when memory is short. */
struct host_link *host_link_new(struct daemon *daemon, struct host *host);
/* Sends no more. */
void host_link_stop(struct host_link *link);
/* What is queued is forgotten. */
void host_link_free(struct host_link *link);

/*
 * Queues a message; it stays the caller's. While the daemon serves a task (`serving` in
 * post_room.h), what it tells other daemons goes in the flow of that task (flows.h): as in 3.4.6 a
 * request does not overtake what the task has sent before.
 */
void host_link_send(struct host_link *link, const struct message *message, uint32_t destination,
                    uint32_t source);
/*
 * Queues a message for the daemon of the host, once behind all frames that are queued for the task
 * `tid`: a copy in each flow that has such frames, and one in the flow of this daemon. The last
 * integer of the body is to be the number of copies, which is added here. Frees the message.
 */
void host_link_send_behind(struct host_link *link, struct message *message, uint32_t tid);
/*
 * Queues a message for the daemon of the host ahead of all flows that wait: for words that others
 * wait for. Frees the message.
 */
void host_link_send_ahead(struct host_link *link, struct message *message);
/* Queues a frame as it came from a task; the header in front of its body is overwritten. */
void host_link_forward(struct host_link *link, const struct received_frame *received,
                       uint32_t destination);

/*
 * What goes in the flow from now on is kept, until host_link_go_on has been called as often. What
 * the hold is for does not wait: it goes at once if it is due now (`due`), and otherwise unless
 * something is kept already.
 */
void host_link_hold(struct host_link *link, uint32_t flow);
void host_link_go_on(struct host_link *link, uint32_t flow);
void host_link_forward_on_tree(struct host_link *link, uint32_t flow,
                               const struct received_frame *received, bool due);
/* Does the same for a message to the daemon of the host. Frees the message. */
void host_link_send_on_tree(struct host_link *link, uint32_t flow, struct message *message,
                            bool due);

/*
 * The task is over: what it has sent goes out before all that this daemon says from now on, so that
 * nobody hears of the end too early.
 */
void host_link_end_flow(struct host_link *link, uint32_t tid);

/*
 * Takes a packet that came from the host; `received` has its bytes behind the room for a frame
 * header. The host may be gone afterwards.
 */
void host_link_take(struct host_link *link, const struct packet *packet,
                    const struct received_frame *received);

/*
 * A packet to the host was refused: nobody has its port just then. When that goes on and the
 * connection is over, too, the host is given up.
 */
void host_link_take_refusal(struct host_link *link);

/* True when the daemon of the host is one of ours, as far as this one knows. */
static inline bool host_link_is_ours(const struct host_link *link)
{
    return link->upgrade.known || link->host->key.used;
}

/* True when the host owes no acknowledgement. */
bool host_link_is_idle(const struct host_link *link);

#endif
