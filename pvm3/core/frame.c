/* frame.c - messages as frames. An empty message is one frame without body. */
#include "core/frame.h"

#include <string.h>

#include "core/signature.h"
#include "core/xdr.h"

void frame_encode(const struct frame *frame, unsigned char header[FRAME_HEADER_SIZE])
{
    xdr_store(header, frame->destination);
    xdr_store(header + 4, frame->source);
    xdr_store(header + 8, frame->length);
    xdr_store(header + 12, (uint32_t)frame->flags << 24);
}

void frame_decode(struct frame *frame, const unsigned char header[FRAME_HEADER_SIZE])
{
    frame->destination = xdr_load(header);
    frame->source = xdr_load(header + 4);
    frame->length = xdr_load(header + 8);
    frame->flags = header[12];
}

#define NEGATIVE_LONGS_MARK 0x6c6f6e67u

void frame_encode_message(const struct message_header *header, uint32_t source,
                          unsigned char wire[FRAME_MESSAGE_HEADER_SIZE])
{
    uint32_t encoding =
        header->encoding == MESSAGE_IN_PLACE ? signature_native() : header->encoding;
    memset(wire, 0, FRAME_MESSAGE_HEADER_SIZE);
    xdr_store(wire, encoding);
    xdr_store(wire + 4, (uint32_t)header->tag);
    xdr_store(wire + 8, (uint32_t)header->context);
    xdr_store(wire + 16, (uint32_t)header->wait);
    xdr_store(wire + 20, header->checksum);
    if (header->longs == MESSAGE_LONGS_NEGATIVE) {
        xdr_store(wire + 24, NEGATIVE_LONGS_MARK);
        xdr_store(wire + 28, source);
    }
}

void frame_decode_message(struct message_header *header, uint32_t source,
                          const unsigned char wire[FRAME_MESSAGE_HEADER_SIZE])
{
    header->encoding = xdr_load(wire);
    header->tag = (int32_t)xdr_load(wire + 4);
    header->context = (int32_t)xdr_load(wire + 8);
    header->wait = (int32_t)xdr_load(wire + 16);
    header->checksum = xdr_load(wire + 20);
    bool marked = xdr_load(wire + 24) == NEGATIVE_LONGS_MARK && xdr_load(wire + 28) == source;
    header->longs = marked ? MESSAGE_LONGS_NEGATIVE : MESSAGE_LONGS_UNKNOWN;
}

void frame_writer_start(struct frame_writer *writer, const struct message *message,
                        uint32_t destination, uint32_t source)
{
    *writer =
        (struct frame_writer){.message = message, .destination = destination, .source = source};
}

/* One frame: its body, where there is one, and its place among the others. */
struct frame_part {
    unsigned char *body;
    size_t size;
    size_t headers; /* bytes of them */
    bool first, last;
};

/* The frame at *place, which steps over it. */
static struct frame_part frame_part_at(const struct message *message, struct cursor *place)
{
    struct frame_part part = {.first = place->segment == 0 && place->offset == 0};
    message_next_fragment(message, place, &part.body, &part.size);
    part.headers = part.first ? FRAME_HEADERS_SIZE : FRAME_HEADER_SIZE;
    part.last = place->segment >= message->segment_count;
    return part;
}

static void frame_writer_headers(const struct frame_writer *writer, const struct frame_part *part,
                                 unsigned char *headers)
{
    struct frame frame = {
        .destination = writer->destination,
        .source = writer->source,
        .length = (uint32_t)(part->size + part->headers - FRAME_HEADER_SIZE),
    };
    if (part->first) {
        frame.flags |= FRAME_FIRST;
        frame_encode_message(&writer->message->header, writer->source, headers + FRAME_HEADER_SIZE);
    }
    if (part->last)
        frame.flags |= FRAME_LAST;
    frame_encode(&frame, headers);
}

/*
 * Adds what of `size` bytes at `data` lies behind the first *skip, and takes the bytes off *skip.
 */
static int frame_add_vector(struct iovec *vector, unsigned char *data, size_t size, size_t *skip)
{
    size_t passed = *skip < size ? *skip : size;
    *skip -= passed;
    if (size == passed)
        return 0;
    *vector = (struct iovec){data + passed, size - passed};
    return 1;
}

int frame_writer_fill(const struct frame_writer *writer, struct frame_batch *batch)
{
    struct cursor place = writer->place;
    size_t skip = writer->done;
    bool last = writer->is_done;
    int used = 0;
    for (size_t i = 0; i < FRAME_BATCH && !last; i++) {
        struct frame_part part = frame_part_at(writer->message, &place);
        last = part.last;
        frame_writer_headers(writer, &part, batch->headers[i]);
        used += frame_add_vector(&batch->vectors[used], batch->headers[i], part.headers, &skip);
        used += frame_add_vector(&batch->vectors[used], part.body, part.size, &skip);
    }
    return used;
}

void frame_writer_advance(struct frame_writer *writer, size_t bytes)
{
    writer->done += bytes;
    while (!writer->is_done) {
        struct cursor next = writer->place;
        struct frame_part part = frame_part_at(writer->message, &next);
        if (writer->done < part.headers + part.size)
            return;
        writer->done -= part.headers + part.size;
        writer->place = next;
        writer->is_done = part.last;
    }
}

bool frame_writer_is_done(const struct frame_writer *writer)
{
    return writer->is_done;
}
