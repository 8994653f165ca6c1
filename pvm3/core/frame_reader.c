/* frame_reader.c - frames in a stream of bytes. */
#include "core/frame_reader.h"

#include <string.h>

#include "core/xdr.h"

/* Read at a time: many ordinary frames, few enough bytes to stay in the cache. */
#define CHUNK_SIZE (64u * 1024)

/* Less room than this is not worth a read of its own when a new chunk costs no copy. */
#define READ_LEAST (4u * 1024)

/* A piece of a long frame has at least so many bytes, but for the last one. */
#define PIECE_LEAST (16u * 1024)

void frame_reader_start(struct frame_reader *reader, size_t limit)
{
    *reader = (struct frame_reader){.limit = limit};
}

void frame_reader_finish(struct frame_reader *reader)
{
    chunk_release(reader->chunk);
    reader->chunk = NULL;
    reader->start = reader->end = 0;
}

static size_t frame_reader_piece_least(const struct frame_reader *reader)
{
    return reader->rest.length < PIECE_LEAST ? reader->rest.length : PIECE_LEAST;
}

/* Of the default encoding, as far as the bytes that have come tell. */
static bool frame_reader_is_default(const struct frame_reader *reader, const struct frame *frame)
{
    if (!(frame->flags & FRAME_FIRST))
        return reader->default_encoding;
    if (reader->end - reader->start < FRAME_HEADERS_SIZE)
        return false;
    return xdr_load(reader->chunk->data + reader->start + FRAME_HEADER_SIZE) == MESSAGE_XDR;
}

static bool frame_reader_cuts(const struct frame_reader *reader, const struct frame *frame)
{
    return reader->in_pieces && FRAME_HEADER_SIZE + (size_t)frame->length > CHUNK_SIZE &&
           !frame_reader_is_default(reader, frame);
}

/*
 * The length of the next frame or piece, with the frame's header; that of the header alone until
 * the header is whole.
 */
static size_t frame_reader_need(const struct frame_reader *reader)
{
    struct frame frame;
    if (reader->rest.length > 0)
        return frame_reader_piece_least(reader);
    if (reader->end - reader->start < FRAME_HEADER_SIZE)
        return FRAME_HEADER_SIZE;
    frame_decode(&frame, reader->chunk->data + reader->start);
    return frame_reader_cuts(reader, &frame) ? FRAME_HEADER_SIZE + PIECE_LEAST
                                             : FRAME_HEADER_SIZE + (size_t)frame.length;
}

/* In front of what is read: a piece has no header of its own there. */
static size_t frame_reader_front(const struct frame_reader *reader)
{
    return reader->rest.length > 0 ? FRAME_HEADER_SIZE : 0;
}

/* A chunk made for one long frame is not kept for short ones. */
static bool frame_reader_can_reuse(const struct frame_reader *reader, size_t need)
{
    const struct chunk *chunk = reader->chunk;
    return chunk && need <= chunk->capacity &&
           (chunk->capacity == CHUNK_SIZE || need > CHUNK_SIZE) && chunk_is_unshared(chunk);
}

static struct chunk *frame_reader_new_chunk(const struct frame_reader *reader, size_t need)
{
    if (need > CHUNK_SIZE)
        return chunk_new(need);
    return reader->chunks ? chunk_new_from(reader->chunks, CHUNK_SIZE) : chunk_new(CHUNK_SIZE);
}

/* Continues in a chunk with room for `need` bytes; what has been read of the frame moves along. */
static int frame_reader_move(struct frame_reader *reader, size_t need)
{
    size_t held = reader->end - reader->start;
    size_t front = frame_reader_front(reader);
    if (frame_reader_can_reuse(reader, front + need)) {
        memmove(reader->chunk->data + front, reader->chunk->data + reader->start, held);
    } else {
        struct chunk *chunk = frame_reader_new_chunk(reader, front + need);
        if (!chunk)
            return -1;
        if (held)
            memcpy(chunk->data + front, reader->chunk->data + reader->start, held);
        chunk_release(reader->chunk);
        reader->chunk = chunk;
    }
    reader->start = front;
    reader->end = front + held;
    return 0;
}

/*
 * A chunk whose bytes have all been taken starts over when nobody kept a body, so that an idle or a
 * steady link needs no new memory; otherwise its rest is used up first.
 */
unsigned char *frame_reader_space(struct frame_reader *reader, size_t *size)
{
    size_t need = frame_reader_need(reader);
    bool empty = reader->start == reader->end;
    size_t front = empty ? frame_reader_front(reader) : 0;
    if (empty && reader->end > 0 && frame_reader_can_reuse(reader, front + need))
        reader->start = reader->end = 0;
    size_t capacity = reader->chunk ? reader->chunk->capacity : 0;
    bool scanty = empty && capacity - reader->end < front + READ_LEAST;
    if (scanty || reader->end == capacity || reader->start + front + need > capacity) {
        if (frame_reader_move(reader, need) < 0)
            return NULL;
    } else if (empty) {
        reader->start = reader->end += front;
    }
    *size = reader->chunk->capacity - reader->end;
    return reader->chunk->data + reader->end;
}

void frame_reader_filled(struct frame_reader *reader, size_t bytes)
{
    reader->end += bytes;
}

/* What has come of the rest of a long frame. */
static enum frame_reader_result frame_reader_next_piece(struct frame_reader *reader,
                                                        struct received_frame *received)
{
    size_t held = reader->end - reader->start;
    if (held < frame_reader_piece_least(reader))
        return FRAME_READER_MORE;
    received->frame = reader->rest;
    received->chunk = reader->chunk;
    received->body = reader->chunk->data + reader->start;
    if (held < reader->rest.length) {
        received->frame.length = (uint32_t)held;
        received->frame.flags &= (uint8_t)~FRAME_LAST;
    }
    reader->start += received->frame.length;
    reader->rest.length -= received->frame.length;
    return FRAME_READER_FRAME;
}

/* The first piece of a long frame of which so much has come. */
static enum frame_reader_result frame_reader_cut(struct frame_reader *reader,
                                                 struct received_frame *received)
{
    reader->rest = received->frame;
    reader->start += FRAME_HEADER_SIZE;
    enum frame_reader_result result = frame_reader_next_piece(reader, received);
    reader->rest.flags &= (uint8_t)~FRAME_FIRST;
    return result;
}

enum frame_reader_result frame_reader_next(struct frame_reader *reader,
                                           struct received_frame *received)
{
    size_t held = reader->end - reader->start;
    if (reader->rest.length > 0)
        return frame_reader_next_piece(reader, received);
    if (held < FRAME_HEADER_SIZE)
        return FRAME_READER_MORE;
    frame_decode(&received->frame, reader->chunk->data + reader->start);
    size_t length = received->frame.length;
    bool first = received->frame.flags & FRAME_FIRST;
    if (length > reader->limit || (first && length < FRAME_MESSAGE_HEADER_SIZE))
        return FRAME_READER_CORRUPT;
    bool cut = held < FRAME_HEADER_SIZE + length && frame_reader_cuts(reader, &received->frame);
    if (held < (cut ? FRAME_HEADER_SIZE + PIECE_LEAST : FRAME_HEADER_SIZE + length))
        return FRAME_READER_MORE;
    reader->default_encoding = frame_reader_is_default(reader, &received->frame);
    if (cut)
        return frame_reader_cut(reader, received);
    received->chunk = reader->chunk;
    received->body = reader->chunk->data + reader->start + FRAME_HEADER_SIZE;
    reader->start += FRAME_HEADER_SIZE + length;
    return FRAME_READER_FRAME;
}

void frame_reader_rest(struct frame_reader *reader)
{
    if (reader->chunk && reader->start == reader->end && chunk_is_unshared(reader->chunk))
        frame_reader_finish(reader);
}

bool frame_reader_is_amid(const struct frame_reader *reader)
{
    return reader->end != reader->start || reader->rest.length > 0;
}
