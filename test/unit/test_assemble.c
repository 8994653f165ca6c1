/*
 * test_assemble.c - frames of one source for one destination are in order, others may alternate.
 */
#include "core/assemble.h"

#include <pvm3.h>

#include "core/encode.h"

#include "body.h"
#include "shortage.h"
#include "unit.h"

#define ME    0x00040009u
#define OTHER 0x0004000au

static struct assembler assembler;
static uint32_t destination; /* whom the frames are for that are handed in */
static long live_before;

UNIT_STEP(start)
{
    live_before = shortage_live();
    destination = ME;
    assembler_start(&assembler);
    return 0;
}

UNIT_STEP(finish)
{
    assembler_finish(&assembler);
    return shortage_live() == live_before ? 0 : -1; /* something was left behind */
}

/* Hands in one frame whose body, behind the message header of a first frame, is `text`. */
static enum assembler_result add(uint32_t source, uint8_t flags, int32_t tag, const char *text,
                                 struct message **message)
{
    const struct message_header header = {
        .encoding = MESSAGE_XDR, .tag = tag, .context = 3, .wait = 4, .checksum = 5};
    size_t skip = flags & FRAME_FIRST ? FRAME_MESSAGE_HEADER_SIZE : 0;
    size_t length = strlen(text);
    struct chunk *chunk = chunk_new(skip + length);
    assert_non_null(chunk);
    if (skip)
        frame_encode_message(&header, source, chunk->data);
    memcpy(chunk->data + skip, text, length);
    const struct received_frame received = {
        {destination, source, (uint32_t)(skip + length), flags}, chunk, chunk->data};
    enum assembler_result result = assembler_add(&assembler, &received, message);
    chunk_release(chunk);
    return result;
}

static void expect_more(uint32_t source, uint8_t flags, const char *text)
{
    struct message *message = NULL;
    assert_int_equal(add(source, flags, 7, text, &message), ASSEMBLER_MORE);
    assert_null(message);
}

static void expect_stray(uint32_t source, uint8_t flags, const char *text)
{
    struct message *message = NULL;
    assert_int_equal(add(source, flags, 7, text, &message), ASSEMBLER_STRAY);
    assert_null(message);
}

static void expect_message(uint32_t source, uint8_t flags, const char *text, const char *body)
{
    OWN struct message *message = NULL;
    assert_int_equal(add(source, flags, 7, text, &message), ASSEMBLER_MESSAGE);
    assert_int_equal(message->header.source, source);
    assert_int_equal(message->header.destination, destination);
    assert_null(message->next);
    body_expect_bytes(message, body, strlen(body));
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(one_frame_is_a_message)
{
    OWN struct message *message = NULL;
    assert_int_equal(add(0x80000000, FRAME_FIRST | FRAME_LAST, -5, "body", &message),
                     ASSEMBLER_MESSAGE);
    const struct message_header header = {MESSAGE_XDR,           -5, 3, 4, 5, 0x80000000, ME,
                                          MESSAGE_LONGS_UNKNOWN, 0};
    assert_memory_equal(&message->header, &header, sizeof header);
    assert_null(message->next);
    body_expect_bytes(message, "body", 4);
}

TEST(frames_become_segments_that_share_the_chunk)
{
    struct chunk *chunk = chunk_new(100);
    struct message *message = NULL;
    memset(chunk->data, 0, 100);
    const struct received_frame first = {{ME, 1, 40, FRAME_FIRST}, chunk, chunk->data};
    const struct received_frame last = {{ME, 1, 60, FRAME_LAST}, chunk, chunk->data + 40};
    assert_int_equal(assembler_add(&assembler, &first, &message), ASSEMBLER_MORE);
    assert_int_equal(assembler_add(&assembler, &last, &message), ASSEMBLER_MESSAGE);
    EXPECT_FRAGMENTS(message, 8, 60);
    assert_ptr_equal(message->segments[0].data, chunk->data + 32);
    assert_ptr_equal(message->segments[1].data, chunk->data + 40);
    assert_int_equal(atomic_load(&chunk->references), 3);
    message_free(message);
    assert_true(chunk_is_unshared(chunk));
    chunk_release(chunk);
}

TEST(empty_frames_add_nothing)
{
    expect_message(1, FRAME_FIRST | FRAME_LAST, "", "");
    expect_more(1, FRAME_FIRST, "");
    expect_more(1, 0, "");
    expect_more(1, 0, "ab");
    expect_more(1, 0, "");
    expect_more(1, 0, "c");
    expect_message(1, FRAME_LAST, "", "abc");
    expect_more(1, FRAME_FIRST, "");
    expect_message(1, FRAME_LAST, "", "");
    OWN struct message *message = NULL;
    assert_int_equal(add(1, FRAME_FIRST | FRAME_LAST, 7, "", &message), ASSEMBLER_MESSAGE);
    assert_int_equal(message->segment_count, 0);
}

TEST(sources_may_alternate)
{
    expect_more(1, FRAME_FIRST, "1a");
    expect_more(2, FRAME_FIRST, "2a");
    expect_message(3, FRAME_FIRST | FRAME_LAST, "3a", "3a");
    expect_more(1, 0, "1b");
    expect_more(4, FRAME_FIRST, "4a");
    expect_message(2, FRAME_LAST, "2b", "2a2b");
    expect_more(2, FRAME_FIRST, "2c");
    expect_message(1, FRAME_LAST, "1c", "1a1b1c");
    expect_more(4, 0, "4b");
    expect_message(2, FRAME_LAST, "2d", "2c2d");
    expect_message(4, FRAME_LAST, "4c", "4a4b4c");
}

/* As those of a multicast do to tasks that share a link. */
TEST(destinations_may_alternate)
{
    expect_more(1, FRAME_FIRST, "for me");
    destination = OTHER;
    expect_stray(1, FRAME_LAST, "goes on with nothing");
    expect_more(1, FRAME_FIRST, "for another");
    destination = ME;
    expect_more(1, 0, ", too");
    destination = OTHER;
    expect_message(1, FRAME_LAST, " one", "for another one");
    destination = ME;
    expect_message(1, FRAME_LAST, ".", "for me, too.");
}

TEST(random_interleaving_keeps_each_order)
{
    enum { SOURCES = 7, FRAMES = 6 };
    for (uint32_t round = 1; round <= 200; round++) {
        uint32_t seed = round * 2654435761u;
        unsigned sent[SOURCES] = {0};
        for (unsigned left = SOURCES * FRAMES; left > 0;) {
            seed = seed * 1664525u + 1013904223u;
            unsigned source = (seed >> 16) % SOURCES;
            if (sent[source] == FRAMES)
                continue;
            left--;
            const char text[2] = {(char)('a' + ++sent[source]), '\0'};
            if (sent[source] == FRAMES)
                expect_message(source + 1, FRAME_LAST, text, "bcdefg");
            else
                expect_more(source + 1, sent[source] == 1 ? FRAME_FIRST : 0, text);
        }
    }
    assert_null(assembler.partial);
}

TEST(frame_without_a_beginning_is_a_stray)
{
    expect_stray(1, 0, "middle");
    expect_stray(1, FRAME_LAST, "end");
    expect_more(2, FRAME_FIRST, "2a");
    expect_stray(1, FRAME_LAST, "end");
    expect_message(2, FRAME_LAST, "2b", "2a2b"); /* another source is not concerned */
    expect_message(1, FRAME_FIRST | FRAME_LAST, "whole", "whole");
}

TEST(second_beginning_drops_what_was_begun)
{
    expect_more(1, FRAME_FIRST, "1a");
    expect_stray(1, FRAME_FIRST, "1x");
    expect_stray(1, FRAME_LAST, "1b");
    expect_more(1, FRAME_FIRST, "1a");
    expect_stray(1, FRAME_FIRST | FRAME_LAST, "1x");
    expect_message(1, FRAME_FIRST | FRAME_LAST, "1c", "1c");
}

TEST(source_that_is_over_is_forgotten)
{
    expect_more(1, FRAME_FIRST, "1a");
    expect_more(2, FRAME_FIRST, "2a");
    destination = OTHER;
    expect_more(1, FRAME_FIRST, "1b");
    assembler_forget(&assembler, 1);
    assembler_forget(&assembler, 3); /* has begun nothing */
    expect_message(1, FRAME_FIRST | FRAME_LAST, "1d", "1d");
    destination = ME;
    expect_message(1, FRAME_FIRST | FRAME_LAST, "1c", "1c");
    expect_message(2, FRAME_LAST, "2b", "2a2b");
}

TEST(what_was_begun_is_freed_at_the_end)
{
    long before = shortage_live();
    for (uint32_t source = 1; source <= 10; source++)
        expect_more(source, FRAME_FIRST, "begun");
    assert_true(shortage_live() > before);
    assembler_finish(&assembler);
    assert_int_equal(shortage_live(), before);
}

/* A message on the wire comes back as it was, frame boundaries included. */
TEST(written_message_comes_back)
{
    char large[10000];
    OWN struct message *sent = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    OWN struct message *message = NULL;
    struct frame_reader reader;
    struct received_frame received;
    size_t size;
    body_fill(large, sizeof large, 1);
    assert_int_equal(encode_pack(sent, PVM_BYTE, large, sizeof large, 1), 0);
    unsigned char *stream = body_stream(sent, ME, 5, &size);
    frame_reader_start(&reader, FRAME_LENGTH_LIMIT);
    for (size_t at = 0; at < size; at++) {
        size_t room;
        *frame_reader_space(&reader, &room) = stream[at];
        frame_reader_filled(&reader, 1);
        if (frame_reader_next(&reader, &received) == FRAME_READER_FRAME)
            assert_int_equal(assembler_add(&assembler, &received, &message),
                             at + 1 < size ? ASSEMBLER_MORE : ASSEMBLER_MESSAGE);
    }
    frame_reader_finish(&reader);
    EXPECT_FRAGMENTS(message, 4032, 4032, 1936);
    body_expect_bytes(message, large, sizeof large);
    free(stream);
}

/* Long pieces count as they are, short ones as if they were not that short. */
TEST(message_without_end_is_dropped_at_the_limit)
{
    struct message *message = NULL;
    static char long_text[3 * ASSEMBLER_PIECE_LEAST + 1];
    memset(long_text, 'x', sizeof long_text - 1);
    assembler.limit = 4 * ASSEMBLER_PIECE_LEAST;
    expect_more(1, FRAME_FIRST, "a");
    expect_more(2, FRAME_FIRST, long_text);
    for (int i = 0; i < 3; i++)
        expect_more(1, 0, "b");
    assert_int_equal(add(1, 0, 7, "c", &message), ASSEMBLER_LONG);
    assert_int_equal(message->length, 4);
    message_free(message);
    assert_int_equal(add(2, 0, 7, long_text, &message), ASSEMBLER_LONG);
    message_free(message);
    assert_null(assembler.partial);
    expect_stray(1, 0, "d");
    expect_message(1, FRAME_FIRST | FRAME_LAST, long_text, long_text);
}

/* Three sources, one of which has more frames than a message holds inline. */
static void shortage_scenario(void)
{
    struct chunk chunk = {.references = 1, .data = (unsigned char[32]){0}, .capacity = 32};
    struct assembler own;
    struct message *message = NULL;
    int failed = 0;
    assembler_start(&own);
    for (uint32_t i = 0; i < 24; i++) {
        uint8_t flags = (uint8_t)((i < 3 ? FRAME_FIRST : 0) | (i >= 21 ? FRAME_LAST : 0));
        const struct received_frame received = {
            {ME, i % 3, i < 3 ? 32 : 1, flags}, &chunk, chunk.data};
        enum assembler_result result = assembler_add(&own, &received, &message);
        failed += result == ASSEMBLER_MEMORY;
        assert_true(result != ASSEMBLER_STRAY || shortage_was_met());
        if (result == ASSEMBLER_MESSAGE) {
            assert_int_equal(message->length, 7);
            message_free(message);
        }
    }
    assert_int_equal(failed, shortage_was_met());
    assert_null(own.partial); /* the other two became whole */
    assembler_finish(&own);
    assert_true(chunk_is_unshared(&chunk));
}

TEST(shortage_drops_one_message_only)
{
    shortage_try_each(shortage_scenario, 6);
}
