/*
 * stream_port.h - messages over a connected stream socket, in the frames of 3.4.6.
 *
 * Sending: any thread, by the port's way (ck/peers/way.h), under the lock of the way and never
 * blocking under it. A message that the socket does not take at once stays queued; whoever leads
 * goes on with it (stream_port_flush). Receiving: only the thread that leads or looks
 * (ck/wait/wait.h).
 */
#ifndef CK_PORTS_STREAM_STREAM_PORT_H
#define CK_PORTS_STREAM_STREAM_PORT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "ck/base/result.h"
#include "ck/peers/way.h"
#include "core/assemble.h"
#include "core/frame_reader.h"

struct endpoint;

struct stream_port {
    struct way way;         /* its lock guards what is queued, and whether the port is broken */
    struct endpoint *owner; /* of a route's port; NULL: it is a line's. Set before it is watched */
    int descriptor;
    int epoll;                      /* the set that it is watched in */
    struct outgoing *_Atomic first; /* whether there is one is asked without the lock, too */
    struct outgoing *last;
    bool broken;
    struct frame_reader reader; /* the leader's, as is what follows */
    struct assembler assembler;
    size_t received; /* bytes read so far */
};

/* Makes a port that is closed, and takes it away; closes it if need be. */
void stream_port_start(struct stream_port *port);
void stream_port_finish(struct stream_port *port);

/*
 * Takes over `descriptor` and adds it to `epoll`, with the port's address as its data. 0 or a
 * negative errno; then the descriptor stays the caller's.
 */
int stream_port_open(struct stream_port *port, int descriptor, int epoll);

/*
 * What arrives uses memory from these pools from now on, which outlive the messages; without them
 * it comes from the allocator.
 */
void stream_port_use_pools(struct stream_port *port, struct pool *chunks, struct pool *messages);

/* In a child of fork: closes the child's descriptor. The rest may be as no one expects it. */
void stream_port_abandon(struct stream_port *port);

/* The set wakes nobody for the port any more, whose peer is gone. */
void stream_port_unwatch(const struct stream_port *port);

/* Closes, also what is closed. Nothing may be queued and no other thread may use the port. */
void stream_port_close(struct stream_port *port);

/* The push of the port's way (ck/peers/way.h), for a way that has more to do. */
enum push_result stream_port_push(struct way *way, struct outgoing *outgoing);

/*
 * Takes out what `source` has queued and somebody waits for, but for a message that has begun, as
 * the way's cut does with all. Any thread, without a lock.
 */
struct outgoing *stream_port_cut_source(struct stream_port *port, uint32_t source);

/* Writes on what is queued. Returns what was finished, linked by next, in order. */
struct outgoing *stream_port_flush(struct stream_port *port);

/*
 * Reads once. Whole messages are appended to the list at *arrived, linked by next, in order.
 * Returns 1 when bytes came, 0 when there were none, and when nothing more can come CK_LOST (the
 * peer is gone), CK_NONSENSE (it talks nonsense) or CK_NO_MEMORY. *reason is NULL, or says in
 * words what ended the connection or, otherwise, what was dropped.
 */
int stream_port_receive(struct stream_port *port, struct message **arrived, const char **reason);

#endif
