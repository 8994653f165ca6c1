/*
 * frame.h - the two headers of 3.4.6 on stream links: of a frame (16 bytes) and of a message (32
 * bytes).
 *
 * A message travels as one or more frames. Each frame is a frame header and `length` bytes; those
 * of the first frame begin with the message header. All fields are big
 * endian.
 */
#ifndef CORE_FRAME_H
#define CORE_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "core/message.h"

#define FRAME_HEADER_SIZE         16
#define FRAME_MESSAGE_HEADER_SIZE 32
#define FRAME_HEADERS_SIZE        (FRAME_HEADER_SIZE + FRAME_MESSAGE_HEADER_SIZE)

/* The longest frame that we believe in; a longer one is a corrupted header. */
#define FRAME_LENGTH_LIMIT (1u << 30)

enum frame_flag {
    FRAME_FIRST = 1, /* starts a message: a message header follows the frame header */
    FRAME_LAST = 2,  /* ends a message */
};

struct frame {
    uint32_t destination;
    uint32_t source;
    uint32_t length; /* bytes behind the frame header, the message header included */
    uint8_t flags;
};

void frame_encode(const struct frame *frame, unsigned char header[FRAME_HEADER_SIZE]);
void frame_decode(struct frame *frame, const unsigned char header[FRAME_HEADER_SIZE]);

/*
 * The message header; source and destination travel in the frame header and are not touched.
 * `source` is the one in there: a mark in a field that 3.4.6 leaves undefined says that all large
 * words of longs are negative (message.h), and repeats the source, because tasks of 3.4.6 leave in
 * that field what they have received before.
 */
void frame_encode_message(const struct message_header *header, uint32_t source,
                          unsigned char wire[FRAME_MESSAGE_HEADER_SIZE]);
void frame_decode_message(struct message_header *header, uint32_t source,
                          const unsigned char wire[FRAME_MESSAGE_HEADER_SIZE]);

/*
 * Writes a message as frames, a batch of vectors at a time: fill, hand the vectors to the system,
 * advance by what it took, until frame_writer_is_done. The message must outlive the writer. Never
 * fails, allocates nothing.
 */
struct frame_writer {
    const struct message *message;
    uint32_t destination;
    uint32_t source;
    struct cursor place; /* the fragment in the frame being written */
    size_t done;         /* bytes of that frame, its headers included, already written */
    bool is_done;        /* with all frames */
};

#define FRAME_BATCH 32 /* frames in one batch */

/* What the vectors of a batch point to, beside the message itself. */
struct frame_batch {
    struct iovec vectors[2 * FRAME_BATCH];
    unsigned char headers[FRAME_BATCH][FRAME_HEADERS_SIZE];
};

void frame_writer_start(struct frame_writer *writer, const struct message *message,
                        uint32_t destination, uint32_t source);

/*
 * Describes the next bytes; returns how many vectors of the batch are in use, at least 1 unless
 * done.
 */
int frame_writer_fill(const struct frame_writer *writer, struct frame_batch *batch);

/* Says that `bytes` of what was described have been written. */
void frame_writer_advance(struct frame_writer *writer, size_t bytes);

bool frame_writer_is_done(const struct frame_writer *writer);

#endif
