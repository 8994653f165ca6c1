/*
 * test_frame.c - headers, and messages written as frames however little
 * is taken at once.
 */
#include "core/frame.h"

#include <pvm3.h>

#include "core/encode.h"
#include "core/signature.h"
#include "core/xdr.h"

#include "body.h"
#include "unit.h"

#define DESTINATION 0x00040002u
#define SOURCE      0x00040001u

static struct message *make_segments(const size_t *lengths, size_t count)
{
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message->header.tag = 77;
    for (size_t i = 0; i < count; i++) {
        struct chunk *chunk = chunk_new(lengths[i]);
        body_fill(chunk->data, lengths[i], (unsigned)i);
        assert_int_equal(message_append(message, chunk, chunk->data, lengths[i]), 0);
        chunk_release(chunk);
    }
    return message;
}
#define MAKE_SEGMENTS(...)                                                                         \
    make_segments((const size_t[]){__VA_ARGS__},                                                   \
                  sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

/* Headers -------------------------------------------------------------------------------------- */

UNIT_TEST(frame_header_bytes)
{
    const struct frame frame = {0x80000000, 0xfffffffe, 0x01020304, FRAME_FIRST | FRAME_LAST};
    const unsigned char expected[] = {0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xfe,
                                      1,    2, 3, 4, 3,    0,    0,    0};
    unsigned char header[FRAME_HEADER_SIZE];
    memset(header, 0xee, sizeof header);
    frame_encode(&frame, header);
    assert_memory_equal(header, expected, sizeof header);
}

UNIT_TEST(frame_header_comes_back)
{
    const unsigned char header[] = {0x80, 4, 0,   0,    0, 8,    0,    1,
                                    0,    0, 0xf, 0xc0, 2, 0xaa, 0xbb, 0xcc};
    struct frame frame;
    frame_decode(&frame, header);
    assert_int_equal(frame.destination, 0x80040000);
    assert_int_equal(frame.source, 0x00080001);
    assert_int_equal(frame.length, 4032);
    assert_int_equal(frame.flags, FRAME_LAST); /* the three bytes behind the flags mean nothing */
}

UNIT_TEST(message_header_bytes)
{
    const struct message_header header = {
        MESSAGE_XDR, (int32_t)0x80010001, 0x7fffe, 5, 6, 7, 8, 0, 0};
    unsigned char wire[FRAME_MESSAGE_HEADER_SIZE];
    unsigned char expected[FRAME_MESSAGE_HEADER_SIZE];
    memset(wire, 0xee, sizeof wire);
    frame_encode_message(&header, SOURCE, wire);
    body_parse("10000000 80010001 0007fffe 00000000 00000005 00000006 00000000 00000000", expected,
               sizeof expected);
    assert_memory_equal(wire, expected, sizeof wire);
}

UNIT_TEST(message_header_comes_back)
{
    struct message_header header = {.source = 11, .destination = 12};
    unsigned char wire[FRAME_MESSAGE_HEADER_SIZE];
    body_parse("00408c41 8003000b ffffffff deadbeef 00000009 0000000a deadbeef deadbeef", wire,
               sizeof wire);
    frame_decode_message(&header, SOURCE, wire);
    assert_int_equal(header.encoding, 0x00408c41);
    assert_int_equal(header.tag, (int32_t)0x8003000b);
    assert_int_equal(header.context, -1);
    assert_int_equal(header.wait, 9);
    assert_int_equal(header.checksum, 10);
    assert_int_equal(header.source, 11); /* these travel in the frame header */
    assert_int_equal(header.destination, 12);
    assert_int_equal(header.longs, MESSAGE_LONGS_UNKNOWN);
}

/* Only of the sender itself: 3.4.6 leaves in these bytes what it has received from others. */
UNIT_TEST(negative_longs_are_marked)
{
    const unsigned others[] = {0, MESSAGE_LONGS_HIGH,
                               MESSAGE_LONGS_NEGATIVE | MESSAGE_LONGS_UNKNOWN};
    struct message_header header = {.encoding = MESSAGE_XDR, .longs = MESSAGE_LONGS_NEGATIVE};
    unsigned char wire[FRAME_MESSAGE_HEADER_SIZE];
    frame_encode_message(&header, SOURCE, wire);
    frame_decode_message(&header, SOURCE, wire);
    assert_int_equal(header.longs, MESSAGE_LONGS_NEGATIVE);
    frame_decode_message(&header, SOURCE + 1, wire);
    assert_int_equal(header.longs, MESSAGE_LONGS_UNKNOWN);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        header.longs = others[i];
        frame_encode_message(&header, SOURCE, wire);
        assert_int_equal(xdr_load(wire + 24), 0);
        assert_int_equal(xdr_load(wire + 28), 0);
    }
}

UNIT_TEST(in_place_goes_out_under_the_native_signature)
{
    const struct message_header header = {.encoding = MESSAGE_IN_PLACE};
    unsigned char wire[FRAME_MESSAGE_HEADER_SIZE];
    frame_encode_message(&header, SOURCE, wire);
    assert_int_equal(xdr_load(wire), signature_native());
}

/* Streams -------------------------------------------------------------------------------------- */

static void expect_stream(const struct message *message, const char *hex)
{
    unsigned char expected[512];
    size_t length = body_parse(hex, expected, sizeof expected);
    size_t size;
    unsigned char *stream = body_stream(message, DESTINATION, SOURCE, &size);
    assert_int_equal(size, length);
    assert_memory_equal(stream, expected, size);
    free(stream);
}

UNIT_TEST(published_user_message)
{
    OWN struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    const int seven = 7;
    message->header.tag = 77;
    assert_int_equal(encode_pack(message, PVM_INT, &seven, 1, 1), 0);
    assert_int_equal(encode_pack_string(message, "str"), 0);
    expect_stream(message, "00040002 00040001 0000002c 03000000"
                           "10000000 0000004d 00000000 00000000 00000000 00000000 00000000 00000000"
                           "00000007 00000004 73747200");
}

UNIT_TEST(empty_message_is_one_frame)
{
    OWN struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    expect_stream(message,
                  "00040002 00040001 00000020 03000000"
                  "10000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000");
}

UNIT_TEST(cleared_message_is_one_frame)
{
    OWN struct message *message = MAKE_SEGMENTS(2, 3);
    message_clear(message);
    expect_stream(message,
                  "00040002 00040001 00000020 03000000"
                  "10000000 0000004d 00000000 00000000 00000000 00000000 00000000 00000000");
}

UNIT_TEST(each_segment_is_a_frame)
{
    OWN struct message *message = MAKE_SEGMENTS(2, 0, 3, 0);
    expect_stream(message,
                  "00040002 00040001 00000022 01000000"
                  "10000000 0000004d 00000000 00000000 00000000 00000000 00000000 00000000 0001"
                  "00040002 00040001 00000000 00000000"
                  "00040002 00040001 00000003 00000000 020304"
                  "00040002 00040001 00000000 02000000");
    message_free(message);
    message = MAKE_SEGMENTS(0, 1);
    expect_stream(message, "00040002 00040001 00000020 01000000"
                           "10000000 0000004d 00000000 00000000 00000000 00000000 00000000 00000000"
                           "00040002 00040001 00000001 02000000 01");
}

/* Partial writes ------------------------------------------------------------------------------- */

/*
 * Compares what a batch describes with the stream from `at` on; returns how many bytes it
 * describes.
 */
static size_t expect_batch(const struct frame_writer *writer, const unsigned char *stream,
                           size_t at, size_t size)
{
    struct frame_batch batch;
    size_t described = 0;
    int used = frame_writer_fill(writer, &batch);
    assert_in_range(used, 1, 2 * FRAME_BATCH);
    for (int i = 0; i < used; i++) {
        const struct iovec *vector = &batch.vectors[i];
        assert_in_range(vector->iov_len, 1, size - at - described);
        assert_memory_equal(vector->iov_base, stream + at + described, vector->iov_len);
        described += vector->iov_len;
    }
    return described;
}

/* Writes the message, taking chosen(described) bytes of each batch. */
static void expect_writes(const struct message *message, size_t (*chosen)(size_t described))
{
    size_t size;
    unsigned char *stream = body_stream(message, DESTINATION, SOURCE, &size);
    struct frame_writer writer;
    frame_writer_start(&writer, message, DESTINATION, SOURCE);
    for (size_t at = 0; at < size;) {
        assert_false(frame_writer_is_done(&writer));
        size_t taken = chosen(expect_batch(&writer, stream, at, size));
        frame_writer_advance(&writer, taken);
        at += taken;
    }
    assert_true(frame_writer_is_done(&writer));
    free(stream);
}

static size_t step;

static size_t choose_step(size_t described)
{
    return step < described ? step : described;
}

static size_t choose_random(size_t described)
{
    step = step * 1664525u + 1013904223u;
    return 1 + (step >> 8) % described;
}

static size_t choose_all(size_t described)
{
    return described;
}

UNIT_TEST(every_size_of_write_gives_the_same_stream)
{
    struct message *messages[] = {MAKE_SEGMENTS(40), MAKE_SEGMENTS(0), MAKE_SEGMENTS(7, 0, 30, 1),
                                  MAKE_SEGMENTS(0, 0, 20), make_segments(NULL, 0)};
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        for (step = 1; step <= 150; step++) {
            size_t same = step;
            expect_writes(messages[i], choose_step);
            step = same;
        }
        for (unsigned round = 0; round < 50; round++) {
            step = round;
            expect_writes(messages[i], choose_random);
        }
        message_free(messages[i]);
    }
}

UNIT_TEST(many_frames_take_several_batches)
{
    size_t lengths[3 * FRAME_BATCH + 1];
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        lengths[i] = i % 5;
    OWN struct message *message = make_segments(lengths, COUNT_OF(lengths));
    expect_writes(message, choose_all);
    for (unsigned round = 0; round < 50; round++) {
        step = round;
        expect_writes(message, choose_random);
    }
    step = 1;
    expect_writes(message, choose_step);
}

UNIT_TEST(full_batch_describes_its_frames_whole)
{
    size_t lengths[FRAME_BATCH + 3];
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        lengths[i] = 100;
    OWN struct message *message = make_segments(lengths, COUNT_OF(lengths));
    struct frame_writer writer;
    size_t size;
    unsigned char *stream = body_stream(message, DESTINATION, SOURCE, &size);
    frame_writer_start(&writer, message, DESTINATION, SOURCE);
    size_t first = expect_batch(&writer, stream, 0, size);
    assert_int_equal(first, FRAME_MESSAGE_HEADER_SIZE + FRAME_BATCH * (FRAME_HEADER_SIZE + 100));
    frame_writer_advance(&writer, first);
    assert_int_equal(expect_batch(&writer, stream, first, size), 3 * (FRAME_HEADER_SIZE + 100));
    free(stream);
}

UNIT_TEST(body_is_described_where_it_lies)
{
    OWN struct message *message = MAKE_SEGMENTS(4032, 10);
    struct frame_writer writer;
    struct frame_batch batch;
    frame_writer_start(&writer, message, DESTINATION, SOURCE);
    assert_int_equal(frame_writer_fill(&writer, &batch), 4);
    assert_ptr_equal(batch.vectors[1].iov_base, message->segments[0].data);
    assert_ptr_equal(batch.vectors[3].iov_base, message->segments[1].data);
}
