/*
 * flows.h - frames that wait to go to one host, in a queue for each task that sends them.
 *
 * A flow is what one task sends, or what the daemon itself does; frames of a flow stay in order,
 * flows have turns. So a short message waits behind one turn of each other task that sends, not
 * behind all that they have sent. Long frames are cut, so that a turn is short; but a message to
 * another daemon is one frame, since of each daemon only one message is put together at a time. A
 * flow whose other end does not read waits, and has no turns. A sender that fills a flow beyond a
 * limit is held (backlog.h). One thread.
 */
#ifndef DAEMON_BASE_FLOWS_H
#define DAEMON_BASE_FLOWS_H

#include "core/frame_reader.h"
#include "daemon/base/backlog.h"
#include "daemon/base/frame_queue.h"
#include "daemon/base/list.h"

#define FLOWS_BUCKETS 64

/* The longest frame to a task that leaves, without its header. */
#define FLOWS_FRAME_MOST (64u * 1024 - FRAME_HEADER_SIZE)

struct flows {
    struct list turns;                  /* of flows that have frames, the next one first */
    struct list waiting;                /* flows that have no turns */
    struct list buckets[FLOWS_BUCKETS]; /* both by source */
    struct backlogs *backlogs;
    uint32_t tid; /* of the daemon that the frames go to */
};

void flows_start(struct flows *flows, struct backlogs *backlogs, uint32_t tid);
void flows_finish(struct flows *flows);

/* True when no flow has a turn. */
static inline bool flows_are_empty(const struct flows *flows)
{
    return list_is_empty(&flows->turns);
}

/*
 * Queues a frame of `source`'s flow, whose header there is room for in front of the body. If
 * `copy`, it may be copied, so as not to keep the chunk that it came in (frame_queue_keep). 0, or
 * -1: no memory; the frame, or the rest of it, is not queued then.
 */
int flows_forward(struct flows *flows, uint32_t source, const struct received_frame *received,
                  bool copy);

/* Moves about `most` bytes of the flow in turn to `queue`, and `copy` (frame_queue_take). */
int flows_take(struct flows *flows, struct frame_queue *queue, struct frame_queue *copy,
               size_t most);

/*
 * The flow of `source` is over: what it has left comes into that of `heir`, before all that the
 * heir queues from now on.
 */
int flows_join(struct flows *flows, uint32_t source, uint32_t heir);

/* The flow of `source` waits until it may go on. 0, or -1: no memory; then it does not wait. */
int flows_wait(struct flows *flows, uint32_t source);
void flows_go_on(struct flows *flows, uint32_t source);
void flows_let_all_go_on(struct flows *flows);

/*
 * Sources of flows that have frames for the task `tid`, for a multicast address or on a tree. At
 * most `room` go to `sources`. Returns how many there are.
 */
size_t flows_list_to(const struct flows *flows, uint32_t tid, uint32_t *sources, size_t room);

/* Bytes of the flow. */
size_t flows_waiting(const struct flows *flows, uint32_t source);

#endif
