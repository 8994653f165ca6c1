/* frame_reader.c - frames in a stream of bytes. */
#include "core/frame_reader.h"

#include <string.h>

/* Read at a time: many ordinary frames, few enough bytes to stay in the cache. */
#define CHUNK_SIZE (64u * 1024)

/* Less room than this is not worth a read of its own when a new chunk costs no copy. */
#define READ_LEAST (4u * 1024)

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

/*
 * Bytes of the frame at the start, its header included; the header alone when that is not whole
 * yet.
 */
static size_t frame_reader_need(const struct frame_reader *reader)
{
    if (reader->end - reader->start < FRAME_HEADER_SIZE)
        return FRAME_HEADER_SIZE;
    struct frame frame;
    frame_decode(&frame, reader->chunk->data + reader->start);
    return FRAME_HEADER_SIZE + (size_t)frame.length;
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
    if (frame_reader_can_reuse(reader, need)) {
        memmove(reader->chunk->data, reader->chunk->data + reader->start, held);
    } else {
        struct chunk *chunk = frame_reader_new_chunk(reader, need);
        if (!chunk)
            return -1;
        if (held)
            memcpy(chunk->data, reader->chunk->data + reader->start, held);
        chunk_release(reader->chunk);
        reader->chunk = chunk;
    }
    reader->start = 0;
    reader->end = held;
    return 0;
}

/*
 * A chunk whose bytes have all been taken starts over when nobody kept a body, so that an idle or a
 * steady link needs no new memory; otherwise its rest is used up first.
 */
unsigned char *frame_reader_space(struct frame_reader *reader, size_t *size)
{
    size_t need = frame_reader_need(reader);
    if (reader->start == reader->end && reader->end > 0 && frame_reader_can_reuse(reader, need))
        reader->start = reader->end = 0;
    size_t capacity = reader->chunk ? reader->chunk->capacity : 0;
    bool scanty = reader->start == reader->end && capacity - reader->end < READ_LEAST;
    if (scanty || reader->end == capacity || reader->start + need > capacity)
        if (frame_reader_move(reader, need) < 0)
            return NULL;
    *size = reader->chunk->capacity - reader->end;
    return reader->chunk->data + reader->end;
}

void frame_reader_filled(struct frame_reader *reader, size_t bytes)
{
    reader->end += bytes;
}

enum frame_reader_result frame_reader_next(struct frame_reader *reader,
                                           struct received_frame *received)
{
    size_t held = reader->end - reader->start;
    if (held < FRAME_HEADER_SIZE)
        return FRAME_READER_MORE;
    frame_decode(&received->frame, reader->chunk->data + reader->start);
    size_t length = received->frame.length;
    bool first = received->frame.flags & FRAME_FIRST;
    if (length > reader->limit || (first && length < FRAME_MESSAGE_HEADER_SIZE))
        return FRAME_READER_CORRUPT;
    if (held < FRAME_HEADER_SIZE + length)
        return FRAME_READER_MORE;
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
    return reader->end != reader->start;
}
