/* test_daemon_frame_queue.c - do the bytes leave the queue as they came? */
#include "daemon/base/frame_queue.h"

#include "core/control.h"
#include "core/frame_reader.h"
#include "shortage.h"
#include "unit.h"

static struct frame_queue queue;

UNIT_STEP(start)
{
    frame_queue_start(&queue);
    return 0;
}

UNIT_STEP(finish)
{
    frame_queue_finish(&queue);
    return 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

/* Everything in the queue, taken out `step` bytes at a time. */
static size_t drain(unsigned char *bytes, size_t step)
{
    size_t taken = 0;
    while (!frame_queue_is_empty(&queue)) {
        struct iovec vectors[4];
        int count = frame_queue_fill(&queue, vectors, 4);
        assert_in_range(count, 1, 4);
        size_t left = step;
        for (int i = 0; i < count && left > 0; i++) {
            size_t part = vectors[i].iov_len < left ? vectors[i].iov_len : left;
            memcpy(bytes + taken, vectors[i].iov_base, part);
            taken += part;
            left -= part;
        }
        frame_queue_advance(&queue, step - left);
    }
    assert_int_equal(queue.bytes, 0);
    return taken;
}

static struct chunk *numbers(size_t size)
{
    struct chunk *chunk = chunk_new(size);
    for (size_t i = 0; i < size; i++)
        chunk->data[i] = (unsigned char)i;
    return chunk;
}

TEST(neighbours_become_one_vector)
{
    struct iovec vectors[8];
    struct chunk *chunk = numbers(100);
    assert_int_equal(frame_queue_add(&queue, chunk, chunk->data, 30), 0);
    assert_int_equal(frame_queue_add(&queue, chunk, chunk->data + 30, 30), 0);
    assert_int_equal(frame_queue_fill(&queue, vectors, 8), 1);
    assert_int_equal(vectors[0].iov_len, 60);
    assert_int_equal(frame_queue_add(&queue, chunk, chunk->data + 70, 30), 0);
    assert_int_equal(frame_queue_fill(&queue, vectors, 8), 2);
    chunk_release(chunk);
}

#define FRAME  4048 /* an ordinary one with its header */
#define FRAMES 16

static struct chunk *whole_frames(void)
{
    return numbers((size_t)FRAME * FRAMES);
}

static void expect_numbers(size_t size)
{
    static unsigned char bytes[FRAME * FRAMES];
    assert_int_equal(queue.bytes, size);
    assert_int_equal(drain(bytes, 5000), size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], (unsigned char)i);
}

/* What is copied of a chunk of bulk data does not count. */
TEST(of_many_slices_of_a_chunk_two_are_copied)
{
    struct iovec vectors[8];
    struct chunk *chunk = whole_frames();
    for (size_t i = 0; i < FRAMES; i++)
        assert_int_equal(frame_queue_keep(&queue, chunk, chunk->data + i * FRAME, FRAME), 0);
    assert_int_equal(frame_queue_fill(&queue, vectors, 8), 2);
    assert_int_equal(vectors[0].iov_len, 2 * FRAME);
    assert_ptr_equal(vectors[1].iov_base, chunk->data + 2 * FRAME);
    assert_int_equal(vectors[1].iov_len, (FRAMES - 2) * FRAME);
    expect_numbers((size_t)FRAMES * FRAME);
    chunk_release(chunk);
}

/* Every other one is for somebody else. */
TEST(slices_here_and_there_do_not_keep_their_chunk)
{
    struct chunk *chunk = whole_frames();
    for (size_t i = 0; i < FRAMES; i += 2)
        assert_int_equal(frame_queue_keep(&queue, chunk, chunk->data + i * FRAME, FRAME), 0);
    assert_int_equal(queue.bytes, FRAMES / 2 * FRAME);
    assert_true(chunk_is_unshared(chunk));
    chunk_release(chunk);
}

TEST(a_long_slice_keeps_its_chunk)
{
    struct chunk *chunk = whole_frames();
    assert_int_equal(frame_queue_keep(&queue, chunk, chunk->data, 8191), 0);
    assert_true(chunk_is_unshared(chunk));
    frame_queue_finish(&queue);
    assert_int_equal(frame_queue_keep(&queue, chunk, chunk->data, 8192), 0);
    assert_false(chunk_is_unshared(chunk));
    expect_numbers(8192);
    chunk_release(chunk);
}

TEST(bytes_survive_every_step)
{
    for (size_t step = 1; step < 200; step++) {
        unsigned char bytes[512];
        struct chunk *chunk = numbers(256);
        const struct frame frame = {
            .destination = 0x01020304, .source = 0x05060708, .length = 20, .flags = 3};
        unsigned char header[FRAME_HEADER_SIZE];
        frame_encode(&frame, header);
        assert_int_equal(frame_queue_add(&queue, chunk, chunk->data, 50), 0);
        assert_int_equal(frame_queue_add_headed(&queue, &frame, chunk, chunk->data + 100), 0);
        assert_int_equal(frame_queue_copy(&queue, chunk->data + 7, 40), 0);
        assert_int_equal(frame_queue_copy(&queue, chunk->data + 9, 40), 0);
        chunk_release(chunk);
        assert_int_equal(queue.bytes, 50 + FRAME_HEADER_SIZE + 20 + 40 + 40);
        assert_int_equal(drain(bytes, step), 50 + FRAME_HEADER_SIZE + 20 + 40 + 40);
        for (size_t i = 0; i < 50; i++)
            assert_int_equal(bytes[i], i);
        assert_memory_equal(bytes + 50, header, sizeof header);
        assert_int_equal(bytes[50 + FRAME_HEADER_SIZE], 100);
        assert_int_equal(bytes[50 + FRAME_HEADER_SIZE + 20], 7);
        assert_int_equal(bytes[50 + FRAME_HEADER_SIZE + 60], 9);
    }
}

/* The ring turns and grows while it is used. */
TEST(order_survives_growth)
{
    unsigned next_in = 0, next_out = 0;
    for (unsigned round = 0; round < 200; round++) {
        for (unsigned i = 0; i < round % 37; i++, next_in++) {
            struct chunk *chunk = chunk_new(1);
            chunk->data[0] = (unsigned char)next_in;
            assert_int_equal(frame_queue_add(&queue, chunk, chunk->data, 1), 0);
            chunk_release(chunk);
        }
        for (unsigned i = 0; i < round % 31 && !frame_queue_is_empty(&queue); i++, next_out++) {
            struct iovec vector[2];
            assert_int_equal(frame_queue_fill(&queue, vector, 2), 1);
            assert_int_equal(*(unsigned char *)vector[0].iov_base, (unsigned char)next_out);
            frame_queue_advance(&queue, 1);
        }
    }
    assert_int_equal(queue.count, next_in - next_out);
}

TEST(a_message_becomes_its_frames)
{
    static unsigned char bytes[20000], body[9000], seen[9000];
    struct message *message = control_new(7, 8, 9);
    for (size_t i = 0; i < sizeof body; i++)
        body[i] = (unsigned char)(i * 7);
    control_put_bytes(message, body, sizeof body);
    assert_int_equal(frame_queue_add_message(&queue, message, 0x40001, 0x80000000), 0);
    size_t size = drain(bytes, 1000);
    assert_int_equal(size, sizeof body + 3 * FRAME_HEADER_SIZE + FRAME_MESSAGE_HEADER_SIZE);
    size_t at = 0, got = 0;
    for (int i = 0; i < 3; i++) {
        struct frame frame;
        frame_decode(&frame, bytes + at);
        assert_int_equal(frame.destination, 0x40001);
        assert_int_equal(frame.flags, i == 0 ? FRAME_FIRST : i == 2 ? FRAME_LAST : 0);
        size_t skip = i == 0 ? FRAME_MESSAGE_HEADER_SIZE : 0;
        memcpy(seen + got, bytes + at + FRAME_HEADER_SIZE + skip, frame.length - skip);
        got += frame.length - skip;
        at += FRAME_HEADER_SIZE + frame.length;
    }
    assert_int_equal(at, size);
    assert_memory_equal(seen, body, sizeof body);
    message_free(message);
}

/* Two frames of a message in one piece of memory, and one with a header of its own. */
TEST(frames_are_dropped_whole)
{
    static const unsigned char body[5000];
    const size_t first = 16 + 32 + 4032, second = 16 + 968, third = 16 + 100;
    struct message *message = control_new(7, 8, 9);
    struct chunk *chunk = chunk_new(100);
    const struct frame frame = {.length = 100};
    control_put_bytes(message, body, sizeof body);
    assert_int_equal(frame_queue_add_message(&queue, message, 0x40001, 0x80000000), 0);
    assert_int_equal(frame_queue_add_headed(&queue, &frame, chunk, chunk->data), 0);
    assert_int_equal(queue.bytes, first + second + third);
    assert_int_equal(frame_queue_drop_frames(&queue, first - 1), 0);
    assert_int_equal(frame_queue_drop_frames(&queue, first + second - 1), first);
    assert_int_equal(frame_queue_drop_frames(&queue, second + 17), second);
    assert_int_equal(frame_queue_drop_frames(&queue, third - 1), 0);
    assert_int_equal(queue.bytes, third);
    assert_int_equal(frame_queue_drop_frames(&queue, SIZE_MAX), third);
    assert_int_equal(frame_queue_drop_frames(&queue, SIZE_MAX), 0);
    assert_true(frame_queue_is_empty(&queue));
    message_free(message);
    chunk_release(chunk);
}

TEST(moving_keeps_order)
{
    struct frame_queue waiting;
    unsigned char bytes[8];
    frame_queue_start(&waiting);
    assert_int_equal(frame_queue_copy(&queue, (const unsigned char *)"ab", 2), 0);
    assert_int_equal(frame_queue_copy(&waiting, (const unsigned char *)"cd", 2), 0);
    assert_int_equal(frame_queue_copy(&waiting, (const unsigned char *)"ef", 2), 0);
    assert_int_equal(frame_queue_move(&queue, &waiting), 0);
    assert_true(frame_queue_is_empty(&waiting));
    assert_int_equal(drain(bytes, 3), 6);
    assert_memory_equal(bytes, "abcdef", 6);
    frame_queue_finish(&waiting);
}

static void short_memory_scenario(void)
{
    size_t added = 0;
    const unsigned char text[3] = "abc";
    start(NULL);
    for (int i = 0; i < 20; i++) {
        struct chunk *chunk = chunk_new(1);
        if (chunk && frame_queue_add(&queue, chunk, chunk->data, 1) == 0)
            added += 1;
        chunk_release(chunk);
        if (frame_queue_copy(&queue, text, sizeof text) == 0)
            added += sizeof text;
    }
    assert_int_equal(queue.bytes, added);
    assert_true(shortage_was_met() ? added < 80 : added == 80);
    finish(NULL);
}

UNIT_TEST(short_memory_loses_only_what_it_says)
{
    shortage_try_each(short_memory_scenario, 20);
}
