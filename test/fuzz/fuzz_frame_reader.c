/*
 * fuzz_frame_reader.c - any bytes as a stream of frames: read, put together, written again and read
 * back.
 *
 * The first byte of the input says how the stream is cut, the rest is the stream.
 */
#include "core/assemble.h"
#include "core/signature.h"

#include "input.h"

#define LIMIT (1u << 20)
#define KEPT  64

struct stream {
    struct frame_reader reader;
    struct assembler assembler;
    struct message *messages[KEPT]; /* which keep chunks of the reader beyond their turn */
    size_t count;
    bool corrupt;
    uint64_t digest;
};

static void stream_start(struct stream *stream)
{
    *stream = (struct stream){.count = 0};
    frame_reader_start(&stream->reader, LIMIT);
    assembler_start(&stream->assembler);
}

static void stream_finish(struct stream *stream)
{
    frame_reader_finish(&stream->reader);
    assembler_finish(&stream->assembler);
    for (size_t i = 0; i < stream->count; i++)
        message_free(stream->messages[i]);
}

static void stream_take_message(struct stream *stream, struct message *message)
{
    digest_message(&stream->digest, message);
    if (stream->count < KEPT)
        stream->messages[stream->count++] = message;
    else
        message_free(message);
}

static void stream_take_frames(struct stream *stream)
{
    struct received_frame frame;
    struct message *message = NULL;
    enum frame_reader_result result;
    while ((result = frame_reader_next(&stream->reader, &frame)) == FRAME_READER_FRAME) {
        MUST(frame.body >= frame.chunk->data);
        MUST(frame.body + frame.frame.length <= frame.chunk->data + frame.chunk->capacity);
        enum assembler_result whole = assembler_add(&stream->assembler, &frame, &message);
        digest_number(&stream->digest, whole);
        if (whole == ASSEMBLER_MESSAGE)
            stream_take_message(stream, message);
    }
    stream->corrupt = result == FRAME_READER_CORRUPT;
}

static void stream_feed(struct stream *stream, const void *bytes, size_t size, size_t pace)
{
    struct input input = {bytes, size};
    while (input.size > 0 && !stream->corrupt) {
        size_t room = 0;
        unsigned char *space = frame_reader_space(&stream->reader, &room);
        MUST(space && room > 0);
        struct input part = input_part(&input, pace < room ? pace : room);
        memcpy(space, part.bytes, part.size);
        frame_reader_filled(&stream->reader, part.size);
        stream_take_frames(stream);
    }
}

static void expect_same(const struct stream *stream, const struct stream *other)
{
    MUST(stream->digest == other->digest);
    MUST(stream->count == other->count);
    MUST(stream->corrupt == other->corrupt);
    MUST(stream->corrupt ||
         frame_reader_is_amid(&stream->reader) == frame_reader_is_amid(&other->reader));
}

/* Writes the message, of each batch as much as `pace` says, and expects it to come back. */
static void expect_written(struct message *message, size_t pace)
{
    struct stream back;
    struct frame_writer writer;
    struct frame_batch batch;
    stream_start(&back);
    frame_writer_start(&writer, message, message->header.destination, message->header.source);
    while (!frame_writer_is_done(&writer)) {
        size_t left = pace;
        int used = frame_writer_fill(&writer, &batch);
        for (int i = 0; i < used && left > 0; i++) {
            size_t some = batch.vectors[i].iov_len < left ? batch.vectors[i].iov_len : left;
            stream_feed(&back, batch.vectors[i].iov_base, some, SIZE_MAX);
            left -= some;
        }
        MUST(left < pace);
        frame_writer_advance(&writer, pace - left);
    }
    MUST(back.count == 1);
    if (message->header.encoding == MESSAGE_IN_PLACE) /* this never goes out as such */
        message->header.encoding = signature_native();
    uint64_t digests[2] = {0, 0};
    digest_message(&digests[0], message);
    digest_message(&digests[1], back.messages[0]);
    MUST(digests[0] == digests[1]);
    stream_finish(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    size_t pace = 1 + input_byte(&input);
    struct stream slow, fast;
    stream_start(&slow);
    stream_start(&fast);
    stream_feed(&slow, input.bytes, input.size, pace);
    stream_feed(&fast, input.bytes, input.size, SIZE_MAX);
    expect_same(&slow, &fast);
    for (size_t i = 0; i < slow.count; i++)
        expect_written(slow.messages[i], pace);
    stream_finish(&slow);
    stream_finish(&fast);
    return 0;
}
