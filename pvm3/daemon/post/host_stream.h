/*
 * host_stream.h - the TCP connection to another daemon of ours: frames in both directions, none
 * lost and none doubled, even if it breaks.
 *
 * Each side counts the bytes of frames that it has taken and says so now and then (LINK_TAKEN); the
 * other keeps what is not confirmed. When the connection breaks, both say what they have taken, and
 * what is left goes over datagrams (daemon/post/link_upgrade.h).
 *
 * If both sides hold the secret of the machine, all that follows the greeting of the side that
 * connects is in records (records.h).
 *
 * Frames wait in flows (daemon/base/flows.h). Only a little is handed on at a time, and the system
 * is asked to keep little unsent (daemon/base/unsent.h), so that no frame waits behind much that
 * came later than it could know. One thread.
 */
#ifndef DAEMON_POST_HOST_STREAM_H
#define DAEMON_POST_HOST_STREAM_H

#include "core/frame_reader.h"
#include "core/link_word.h"
#include "daemon/base/flows.h"
#include "daemon/base/frame_queue.h"
#include "daemon/base/loop.h"
#include "daemon/base/unsent.h"
#include "daemon/post/far_feeders.h"
#include "daemon/post/records.h"

struct host_link;

/* What a connection says to its maker. */
struct host_stream_events {
    /* The connection is over, for this reason. */
    void (*broken)(struct host_link *link, const char *reason);
    /* The connection is over because what came over it makes no sense. */
    void (*useless)(struct host_link *link, const char *reason);
    /* A word about the connection itself has come over it. False when it makes no sense. */
    bool (*word)(struct host_link *link, const struct link_word *word);
};

struct host_stream {
    struct host_link *link;
    const struct host_stream_events *events;
    struct loop_source source; /* fd -1: there is no connection */
    struct loop_work flush;
    struct loop_work rest;   /* takes frames that have been read already */
    struct loop_timer pause; /* after it the other side is told what has been taken */
    struct frame_reader reader;
    struct far_feeders far_feeders; /* tasks of the other host that send */
    struct flows flows;
    struct frame_queue out;  /* to be written next */
    struct frame_queue wire; /* being written, in records if there are any */
    struct frame_queue kept; /* handed to `out`, not confirmed */
    struct records records;
    struct unsent unsent;
    uint64_t confirmed; /* bytes of frames that the other side has taken */
    uint64_t taken;     /* bytes of frames taken from the other side */
    uint64_t told;      /* `taken` as the other side knows it */
    uint64_t seen;      /* confirmed, when host_stream_stands_still looked */
    unsigned still;     /* how often in a row it found no change */
    bool connecting;
    bool sending; /* frames go this way */
    bool reading; /* frames come this way */
    bool blocked; /* the connection takes no more: wait until it does */
};

void host_stream_start(struct host_stream *stream, struct host_link *link,
                       const struct host_stream_events *events);
/* Closes it; what waits and what is kept stays. */
void host_stream_close(struct host_stream *stream);
/* Forgets all. */
void host_stream_finish(struct host_stream *stream);

/* Takes a socket, connected or on its way to be. 0, or -1 with errno; then it is closed. */
int host_stream_open(struct host_stream *stream, int fd, bool connecting);

/* Writes the first word of the side that connects: it is in no record. */
void host_stream_greet(struct host_stream *stream, const struct link_word *word);
/* Writes a word before all frames. */
void host_stream_say(struct host_stream *stream, const struct link_word *word);

/* Queues a frame of the flow of `source`. */
void host_stream_forward(struct host_stream *stream, uint32_t source,
                         const struct received_frame *received);

/* Whether what the other side sends is to be read; what has come already is handled in time. */
void host_stream_set_reading(struct host_stream *stream, bool reading);

/*
 * Whether the frame may come from the host: it speaks for itself and its tasks, and for tasks that
 * have moved. What others have sent to such tasks is passed on.
 */
bool host_stream_may_bring(const struct host_stream *stream, const struct frame *frame);

/*
 * The next frame that the other side, which has taken `confirmed` bytes of the connection, does not
 * have; its chunk is the caller's. False when the other side has all frames.
 */
bool host_stream_take_back(struct host_stream *stream, uint64_t confirmed,
                           struct received_frame *received);

/* True while there is something for the other side that it may not have. */
static inline bool host_stream_holds_any(const struct host_stream *stream)
{
    return stream->kept.bytes > 0 || !flows_are_empty(&stream->flows);
}

/*
 * True when nothing has been confirmed between this look and the last but one, though something was
 * to be. To be asked now and then.
 */
bool host_stream_stands_still(struct host_stream *stream);

/* True while the other side has not confirmed all that it was sent. */
static inline bool host_stream_is_owed(const struct host_stream *stream)
{
    return stream->kept.bytes > 0;
}

#endif
