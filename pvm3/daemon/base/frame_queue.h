/*
 * frame_queue.h - bytes of frames on their way out of a socket, most of them by reference.
 *
 * An item is a slice of a chunk, with or without a frame header of its own in front. Slices that
 * follow each other in memory become one item, so that what came in with one read goes out with one
 * vector. One thread.
 */
#ifndef DAEMON_BASE_FRAME_QUEUE_H
#define DAEMON_BASE_FRAME_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "core/chunk.h"
#include "core/frame.h"
#include "core/frame_reader.h"
#include "daemon/base/backlog.h"

struct frame_queue_item;

struct frame_queue {
    struct frame_queue_item *items; /* a ring */
    size_t room;                    /* items in the ring, a power of two */
    size_t head;                    /* index of the first item */
    size_t count;
    size_t bytes;            /* not yet written */
    struct backlog *backlog; /* where they are counted, set by the owner; NULL: nowhere */
    struct chunk *tail;      /* where bytes are copied to, NULL when there is none */
    size_t tail_used;
    const unsigned char *run_end; /* of slices to be kept that followed each other in memory, */
    size_t run;                   /* so many bytes of them */
};

void frame_queue_start(struct frame_queue *queue);
/* Forgets what it holds; it may be used again. */
void frame_queue_finish(struct frame_queue *queue);

static inline bool frame_queue_is_empty(const struct frame_queue *queue)
{
    return queue->count == 0;
}

/* All of these return 0, or -1 when memory is short; then nothing was added. */

/* The slice is shared: one reference to the chunk more. */
int frame_queue_add(struct frame_queue *queue, struct chunk *chunk, unsigned char *data,
                    size_t length);
/* Like frame_queue_add, behind a frame header. */
int frame_queue_add_headed(struct frame_queue *queue, const struct frame *frame,
                           struct chunk *chunk, unsigned char *body);
/* The bytes are copied. */
int frame_queue_copy(struct frame_queue *queue, const unsigned char *data, size_t length);
/*
 * Room for bytes that the caller writes himself; frame_queue_commit adds them to the queue. NULL
 * when memory is short.
 */
unsigned char *frame_queue_reserve(struct frame_queue *queue, size_t length);
int frame_queue_commit(struct frame_queue *queue, size_t length);
/*
 * For a queue that is not written soon, so that it does not keep a chunk for a few bytes: a slice
 * is copied unless it is long, or follows slices in memory that were kept here and are long
 * together.
 */
int frame_queue_keep(struct frame_queue *queue, struct chunk *chunk, unsigned char *data,
                     size_t length);
/* All frames of a message, copied. */
int frame_queue_add_message(struct frame_queue *queue, const struct message *message,
                            uint32_t destination, uint32_t source);
/* Moves what `from` holds to the end of `queue`. */
int frame_queue_move(struct frame_queue *queue, struct frame_queue *from);

/*
 * Moves whole items, at least one and about `most` bytes, from the front of `from` to the end of
 * `queue`, and adds these items to `copy`, too.
 */
int frame_queue_take(struct frame_queue *queue, struct frame_queue *copy, struct frame_queue *from,
                     size_t most);

/*
 * Takes the first frame of a queue that begins with a whole one; its chunk is the caller's
 * (chunk_release). False when the queue is empty.
 */
bool frame_queue_take_frame(struct frame_queue *queue, struct received_frame *received);
/*
 * Drops frames, of `most` bytes at most together, from a queue that begins with a whole frame.
 * Returns how many bytes they had.
 */
size_t frame_queue_drop_frames(struct frame_queue *queue, size_t most);

/* Whether a frame of a queue of whole frames fits `tid`. */
bool frame_queue_any(const struct frame_queue *queue,
                     bool (*fits)(const struct frame *frame, uint32_t tid), uint32_t tid);

/* Describes the first bytes in at most `room` vectors; returns how many were used. */
int frame_queue_fill(const struct frame_queue *queue, struct iovec *vectors, int room);
/* Says that `bytes` of what was described have been written. */
void frame_queue_advance(struct frame_queue *queue, size_t bytes);

#endif
