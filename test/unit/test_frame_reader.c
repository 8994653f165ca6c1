/*
 * test_frame_reader.c - frames come out whole however their bytes came in, and bodies are never
 * copied.
 */
#include "core/frame_reader.h"

#include "core/xdr.h"

#include "body.h"
#include "shortage.h"
#include "unit.h"

#define LIMIT (1u << 22)
#define CHUNK (64u * 1024) /* what the reader reads at a time */

/* A stream of frames with bodies of given sizes; every other frame starts a message. */
struct stream {
    unsigned char *bytes;
    size_t size;
    const size_t *lengths;
    size_t count;
};

/* Of the test: what it reads, by what, and what has come last. */
static struct stream given;
static struct frame_reader reader;
static struct received_frame received;

UNIT_STEP(start)
{
    frame_reader_start(&reader, LIMIT);
    given.bytes = NULL;
    return 0;
}

UNIT_STEP(finish)
{
    frame_reader_finish(&reader);
    free(given.bytes);
    return 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static uint32_t frame_source(size_t i)
{
    return 0x40000u + (uint32_t)i;
}

static uint8_t frame_flags(size_t i, size_t length)
{
    return i % 2 == 0 && length >= FRAME_MESSAGE_HEADER_SIZE ? FRAME_FIRST : FRAME_LAST;
}

static struct stream stream_make(const size_t *lengths, size_t count)
{
    struct stream stream = {NULL, 0, lengths, count};
    for (size_t i = 0; i < count; i++)
        stream.size += FRAME_HEADER_SIZE + lengths[i];
    stream.bytes = malloc(stream.size + 1);
    for (size_t i = 0, at = 0; i < count; i++) {
        struct frame frame = {7, frame_source(i), (uint32_t)lengths[i], frame_flags(i, lengths[i])};
        frame_encode(&frame, stream.bytes + at);
        body_fill(stream.bytes + at + FRAME_HEADER_SIZE, lengths[i], (unsigned)i);
        at += FRAME_HEADER_SIZE + lengths[i];
    }
    return stream;
}
#define STREAM(...)                                                                                \
    stream_make((const size_t[]){__VA_ARGS__},                                                     \
                sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

static void expect_frame(const struct received_frame *frame, const struct stream *stream, size_t i)
{
    static unsigned char expected[LIMIT];
    assert_in_range(i, 0, stream->count - 1);
    size_t length = stream->lengths[i];
    assert_int_equal(frame->frame.destination, 7);
    assert_int_equal(frame->frame.source, frame_source(i));
    assert_int_equal(frame->frame.flags, frame_flags(i, length));
    assert_int_equal(frame->frame.length, length);
    assert_true(frame->body >= frame->chunk->data);
    assert_true(frame->body + length <= frame->chunk->data + frame->chunk->capacity);
    body_fill(expected, length, (unsigned)i);
    assert_memory_equal(frame->body, expected, length);
}

/* Puts at most `most` bytes into the space; returns how many. */
static size_t feed(struct frame_reader *to, const unsigned char *bytes, size_t most)
{
    size_t size = 0;
    unsigned char *space = frame_reader_space(to, &size);
    assert_non_null(space);
    assert_true(size > 0);
    size = most < size ? most : size;
    memcpy(space, bytes, size);
    frame_reader_filled(to, size);
    return size;
}

static size_t pace;

static size_t pace_fixed(void)
{
    return pace;
}

static size_t pace_random(void)
{
    pace = pace * 1664525u + 1013904223u;
    return 1 + (pace >> 8) % (pace & 1 ? 40 : 100000);
}

/*
 * Reads the stream at the given pace; each frame must be taken as soon as its last byte is there.
 */
static void expect_stream(const struct stream *stream, size_t (*chosen)(void))
{
    size_t next = 0;
    size_t end = 0; /* of the frames taken */
    frame_reader_start(&reader, LIMIT);
    for (size_t at = 0; at < stream->size;) {
        size_t most = chosen();
        at +=
            feed(&reader, stream->bytes + at, most < stream->size - at ? most : stream->size - at);
        while (frame_reader_next(&reader, &received) == FRAME_READER_FRAME) {
            expect_frame(&received, stream, next);
            end += FRAME_HEADER_SIZE + stream->lengths[next++];
        }
        assert_true(end <= at);
        assert_true(next == stream->count || end + FRAME_HEADER_SIZE + stream->lengths[next] > at);
        assert_int_equal(frame_reader_is_amid(&reader), end < at);
    }
    assert_int_equal(next, stream->count);
    assert_int_equal(frame_reader_next(&reader, &received), FRAME_READER_MORE);
    frame_reader_finish(&reader);
}

TEST(frames_come_out_of_any_pieces)
{
    given = STREAM(0, 32, 1, 33, 0, 0, 4064, 4032, 17, 48, 0);
    for (pace = 1; pace <= 70; pace++)
        expect_stream(&given, pace_fixed);
    for (pace = 4000; pace < 4200; pace += 7)
        expect_stream(&given, pace_fixed);
    for (size_t round = 0; round < 100; round++) {
        pace = round;
        expect_stream(&given, pace_random);
    }
}

TEST(frames_around_the_size_of_a_chunk)
{
    given = STREAM(CHUNK - 16, CHUNK - 17, 40, CHUNK - 15, CHUNK, 3, 3 * CHUNK, 64, 64, 2 * CHUNK,
                   1, CHUNK - 33, CHUNK - 32, 2 * CHUNK + 5, 2 * CHUNK, 0);
    for (size_t round = 0; round < 60; round++) {
        pace = round;
        expect_stream(&given, pace_random);
    }
    pace = SIZE_MAX;
    expect_stream(&given, pace_fixed);
    pace = 1;
    expect_stream(&given, pace_fixed);
}

TEST(kept_bodies_stay_as_they_were)
{
    size_t lengths[200];
    struct received_frame kept[200];
    for (size_t i = 0; i < 200; i++)
        lengths[i] = i * 977 % 5000 + (i % 50 == 7 ? 100000 : 0);
    given = stream_make(lengths, 200);
    size_t next = 0;
    for (size_t at = 0; at < given.size;) {
        at += feed(&reader, given.bytes + at, given.size - at < 3000 ? given.size - at : 3000);
        while (next < 200 && frame_reader_next(&reader, &kept[next]) == FRAME_READER_FRAME) {
            if (next % 3 != 1) /* some bodies are let go */
                chunk_hold(kept[next].chunk);
            next++;
        }
    }
    frame_reader_finish(&reader);
    for (size_t i = 0; i < 200; i++)
        if (i % 3 != 1) {
            expect_frame(&kept[i], &given, i);
            chunk_release(kept[i].chunk);
        }
}

/* Reads the same stream `rounds` times; returns how many allocations that took. */
static unsigned long allocations_of(const struct stream *stream, int rounds)
{
    unsigned long before = shortage_allocations();
    frame_reader_start(&reader, LIMIT);
    for (int round = 0; round < rounds; round++)
        for (size_t at = 0; at < stream->size;) {
            at += feed(&reader, stream->bytes + at, stream->size - at);
            while (frame_reader_next(&reader, &received) == FRAME_READER_FRAME)
                ;
        }
    frame_reader_finish(&reader);
    return shortage_allocations() - before;
}

TEST(steady_stream_needs_one_chunk)
{
    struct stream whole = STREAM(100, 4064, 4032, 32);
    struct stream odd = STREAM(CHUNK - 16, 1, 4064, CHUNK - 16, 50000, 50000);
    assert_int_equal(allocations_of(&whole, 1000), 1);
    assert_int_equal(allocations_of(&odd, 100), 1);
    free(whole.bytes);
    free(odd.bytes);
}

TEST(chunk_starts_over_when_all_is_taken)
{
    given = STREAM(100, 4000);
    size_t size;
    unsigned char *first = frame_reader_space(&reader, &size);
    feed(&reader, given.bytes, given.size);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(frame_reader_next(&reader, &received), FRAME_READER_FRAME);
    assert_ptr_equal(frame_reader_space(&reader, &size), first);
    assert_int_equal(size, CHUNK);
}

/* Readers that rest share the chunks of a pool; what is needed stays. */
TEST(idle_readers_need_no_chunk)
{
    given = STREAM(100, 100);
    struct frame_reader readers[100];
    struct pool chunks;
    pool_start(&chunks, 4);
    unsigned long before = shortage_allocations();
    for (size_t i = 0; i < 100; i++) {
        frame_reader_start(&readers[i], LIMIT);
        readers[i].chunks = &chunks;
        feed(&readers[i], given.bytes, given.size / 2);
        assert_int_equal(frame_reader_next(&readers[i], &received), FRAME_READER_FRAME);
        chunk_hold(received.chunk);
        frame_reader_rest(&readers[i]);
        assert_ptr_equal(readers[i].chunk, received.chunk);
        chunk_release(received.chunk);
        feed(&readers[i], given.bytes + given.size / 2, 1);
        frame_reader_rest(&readers[i]);
        assert_true(frame_reader_is_amid(&readers[i]));
        feed(&readers[i], given.bytes + given.size / 2 + 1, given.size / 2 - 1);
        assert_int_equal(frame_reader_next(&readers[i], &received), FRAME_READER_FRAME);
        expect_frame(&received, &given, 1);
        frame_reader_rest(&readers[i]);
        assert_null(readers[i].chunk);
    }
    assert_int_equal(shortage_allocations() - before, 1);
    for (size_t i = 0; i < 100; i++)
        frame_reader_finish(&readers[i]);
    pool_finish(&chunks, free);
}

TEST(kept_bodies_lie_in_one_chunk_until_little_is_left)
{
    given = STREAM(100);
    struct received_frame kept[450];
    unsigned long before = shortage_allocations();
    for (size_t i = 0; i < 450; i++) {
        feed(&reader, given.bytes, given.size);
        assert_int_equal(frame_reader_next(&reader, &kept[i]), FRAME_READER_FRAME);
        chunk_hold(kept[i].chunk);
    }
    assert_int_equal(shortage_allocations() - before, 1);
    frame_reader_finish(&reader);
    for (size_t i = 0; i < 450; i++) {
        expect_frame(&kept[i], &given, 0);
        chunk_release(kept[i].chunk);
    }
}

/* A message of one long frame, and a short one behind it. */
static struct stream stream_make_long(uint32_t encoding, size_t length)
{
    struct stream stream = STREAM(length, 3);
    unsigned char *body = stream.bytes + FRAME_HEADER_SIZE;
    const struct frame frame = {7, 8, (uint32_t)length, FRAME_FIRST | FRAME_LAST};
    frame_encode(&frame, stream.bytes);
    xdr_store(body, encoding);
    return stream;
}

/* Reads the stream `step` bytes at a time; the frames that came. Bodies stay as they were. */
static unsigned read_in_pieces(const struct stream *stream, size_t step)
{
    static struct received_frame pieces[1000];
    unsigned count = 0;
    size_t room, at = FRAME_HEADER_SIZE;
    frame_reader_start(&reader, LIMIT);
    reader.in_pieces = true;
    for (size_t fed = 0; fed < stream->size;) {
        unsigned char *space = frame_reader_space(&reader, &room);
        size_t some = step < room ? step : room;
        some = some < stream->size - fed ? some : stream->size - fed;
        memcpy(space, stream->bytes + fed, some);
        frame_reader_filled(&reader, some);
        fed += some;
        while (frame_reader_next(&reader, &pieces[count]) == FRAME_READER_FRAME) {
            memset(pieces[count].body - FRAME_HEADER_SIZE, 0xee, FRAME_HEADER_SIZE);
            chunk_hold(pieces[count++].chunk);
        }
    }
    assert_false(frame_reader_is_amid(&reader));
    frame_reader_finish(&reader);
    for (unsigned i = 0; i < count; i++) {
        const struct frame *frame = &pieces[i].frame;
        bool last = i + 1 == count;
        assert_int_equal(frame->source, last ? frame_source(1) : 8);
        assert_int_equal(frame->flags,
                         last ? FRAME_LAST
                              : (i == 0 ? FRAME_FIRST : 0) | (i + 2 == count ? FRAME_LAST : 0));
        at += last ? FRAME_HEADER_SIZE : 0;
        assert_memory_equal(pieces[i].body, stream->bytes + at, frame->length);
        at += frame->length;
        chunk_release(pieces[i].chunk);
    }
    assert_int_equal(at, stream->size);
    return count;
}

TEST(long_frames_come_in_pieces)
{
    static const size_t paces[] = {1000, 5000, 16384, 40000, CHUNK, LIMIT};
    for (size_t length = CHUNK; length < 5 * CHUNK; length += 9999) {
        struct stream stream = stream_make_long(0, length);
        for (size_t i = 0; i < sizeof paces / sizeof paces[0]; i++)
            assert_in_range(read_in_pieces(&stream, paces[i]), 2 + length / CHUNK,
                            3 + length / (16 * 1024));
        free(stream.bytes);
    }
}

/* Receivers of 3.4.6 rely on where they end. */
TEST(frames_of_the_default_encoding_stay_whole)
{
    given = stream_make_long(MESSAGE_XDR, 5 * CHUNK);
    assert_int_equal(read_in_pieces(&given, 5000), 2);
}

TEST(long_frame_gets_its_room_at_once)
{
    given = STREAM(200000);
    size_t size;
    feed(&reader, given.bytes, FRAME_HEADER_SIZE);
    assert_non_null(frame_reader_space(&reader, &size));
    assert_int_equal(size, 200000);
    frame_reader_finish(&reader);
    assert_false(frame_reader_is_amid(&reader));
    frame_reader_finish(&reader); /* once more does no harm */
}

TEST(chunk_of_a_long_frame_is_not_kept)
{
    given = STREAM(1000000);
    size_t size;
    for (size_t at = 0; at < given.size;)
        at += feed(&reader, given.bytes + at, given.size - at);
    assert_int_equal(frame_reader_next(&reader, &received), FRAME_READER_FRAME);
    assert_non_null(frame_reader_space(&reader, &size));
    assert_int_equal(reader.chunk->capacity, CHUNK);
}

/* Corruption ----------------------------------------------------------------------------------- */

static enum frame_reader_result result_of(uint32_t length, uint8_t flags, size_t limit)
{
    const struct frame frame = {1, 2, length, flags};
    unsigned char header[FRAME_HEADER_SIZE];
    frame_encode(&frame, header);
    frame_reader_start(&reader, limit);
    for (size_t i = 0; i < FRAME_HEADER_SIZE; i++) {
        assert_int_equal(frame_reader_next(&reader, &received), FRAME_READER_MORE);
        feed(&reader, header + i, 1);
    }
    enum frame_reader_result result = frame_reader_next(&reader, &received);
    frame_reader_finish(&reader);
    return result;
}

TEST(header_that_makes_no_sense_is_corrupt)
{
    assert_int_equal(result_of(1001, 0, 1000), FRAME_READER_CORRUPT);
    assert_int_equal(result_of(0xffffffff, 0, FRAME_LENGTH_LIMIT), FRAME_READER_CORRUPT);
    assert_int_equal(result_of(0x80000000, FRAME_FIRST, FRAME_LENGTH_LIMIT), FRAME_READER_CORRUPT);
    assert_int_equal(result_of(FRAME_LENGTH_LIMIT + 1, 0, FRAME_LENGTH_LIMIT),
                     FRAME_READER_CORRUPT);
    assert_int_equal(result_of(31, FRAME_FIRST, 1000), FRAME_READER_CORRUPT);
    assert_int_equal(result_of(0, FRAME_FIRST | FRAME_LAST, 1000), FRAME_READER_CORRUPT);
}

TEST(header_at_the_limits_is_sound)
{
    assert_int_equal(result_of(1000, 0, 1000), FRAME_READER_MORE);
    assert_int_equal(result_of(1000, FRAME_FIRST, 1000), FRAME_READER_MORE);
    assert_int_equal(result_of(FRAME_LENGTH_LIMIT, 0, FRAME_LENGTH_LIMIT), FRAME_READER_MORE);
    assert_int_equal(result_of(32, FRAME_FIRST, 1000), FRAME_READER_MORE);
    assert_int_equal(result_of(31, FRAME_LAST, 1000), FRAME_READER_MORE);
    assert_int_equal(result_of(0, 0, 1000), FRAME_READER_FRAME);
}

TEST(corruption_behind_a_frame_is_seen_after_it)
{
    given = STREAM(10);
    unsigned char bad[FRAME_HEADER_SIZE];
    frame_encode(&(struct frame){0, 0, LIMIT + 1, 0}, bad);
    feed(&reader, given.bytes, given.size);
    feed(&reader, bad, sizeof bad);
    assert_int_equal(frame_reader_next(&reader, &received), FRAME_READER_FRAME);
    expect_frame(&received, &given, 0);
    assert_int_equal(frame_reader_next(&reader, &received), FRAME_READER_CORRUPT);
    assert_int_equal(frame_reader_next(&reader, &received), FRAME_READER_CORRUPT);
}

/* Shortage ------------------------------------------------------------------------------------- */

/* A reader without memory asks again later, and nothing of the stream is lost. */
static void reader_scenario(void)
{
    size_t next = 0;
    size_t refused = 0;
    frame_reader_start(&reader, LIMIT);
    for (size_t at = 0; at < given.size;) {
        size_t size;
        unsigned char *space = frame_reader_space(&reader, &size);
        if (!space) {
            refused++;
            assert_int_equal(refused, 1);
            continue;
        }
        size = size < given.size - at ? size : given.size - at;
        memcpy(space, given.bytes + at, size);
        frame_reader_filled(&reader, size);
        at += size;
        while (frame_reader_next(&reader, &received) == FRAME_READER_FRAME)
            expect_frame(&received, &given, next++);
    }
    assert_int_equal(next, given.count);
    assert_int_equal(refused, shortage_was_met());
    frame_reader_finish(&reader);
}

UNIT_TEST(shortage_loses_nothing)
{
    given = STREAM(100, CHUNK, 4064, 200000, 3, 100000);
    shortage_try_each(reader_scenario, 4);
    free(given.bytes);
}
