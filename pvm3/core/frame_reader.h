/*
 * frame_reader.h - cuts the bytes of a stream into frames, without copying bodies.
 *
 * The owner reads from its descriptor into frame_reader_space and then takes frames until none is
 * whole. A body is a slice of the reader's chunk; whoever keeps it holds a reference to that chunk.
 * One caller at a time.
 */
#ifndef CORE_FRAME_READER_H
#define CORE_FRAME_READER_H

#include <stddef.h>

#include "core/chunk.h"
#include "core/frame.h"

struct frame_reader {
    struct pool *chunks; /* where chunks come from, set by the owner; NULL: from the allocator */
    struct chunk *chunk;
    size_t start; /* first byte not yet taken */
    size_t end;   /* first byte not yet read */
    size_t limit; /* the longest frame that is believed, bytes */
    /*
     * Set by the owner: frames longer than a chunk come in pieces, as they arrive, like several
     * frames of the message. Frames of the default encoding come whole, since each of them ends
     * between items.
     */
    bool in_pieces;
    bool default_encoding; /* of the message that is being read */
    struct frame rest;     /* of which pieces are still to come; its length is what is left */
};

/*
 * One whole frame, or a piece; `body` (frame.length bytes, the message header included) lies in
 * `chunk`, behind room for a frame header that nobody else needs.
 */
struct received_frame {
    struct frame frame;
    struct chunk *chunk;
    unsigned char *body;
};

enum frame_reader_result {
    FRAME_READER_MORE,    /* nothing whole yet: read on */
    FRAME_READER_FRAME,   /* a frame was taken */
    FRAME_READER_CORRUPT, /* the header makes no sense; the stream is lost */
};

void frame_reader_start(struct frame_reader *reader, size_t limit);
void frame_reader_finish(struct frame_reader *reader);

/*
 * Where to read to; *size says how much fits, never 0. A long frame gets a chunk that holds it
 * whole. NULL when memory is short; nothing is lost then.
 */
unsigned char *frame_reader_space(struct frame_reader *reader, size_t *size);

/* Says that `bytes` have been read to the space. */
void frame_reader_filled(struct frame_reader *reader, size_t bytes);

/*
 * Takes the next frame. The chunk of `received` is the reader's: hold it to keep the body beyond
 * the next call of frame_reader_space.
 */
enum frame_reader_result frame_reader_next(struct frame_reader *reader,
                                           struct received_frame *received);

/*
 * Gives the chunk back when nobody needs what is in it. For an owner with many readers, of which
 * most are idle: they share the chunks of a pool then.
 */
void frame_reader_rest(struct frame_reader *reader);

/*
 * True when bytes of a frame that has not been taken whole have come: an end of stream now cuts it
 * off.
 */
bool frame_reader_is_amid(const struct frame_reader *reader);

#endif
