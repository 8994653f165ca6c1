/* test_daemon_flows.c - do flows have turns, and does each stay in order? */
#include "daemon/base/flows.h"

#include "core/tid.h"
#include "shortage.h"
#include "unit.h"

#define FIRST  0x40001u
#define SECOND 0x40041u /* in the same bucket */

static struct backlogs backlogs;
static struct flows flows;
static struct frame_queue out, kept; /* what is taken from the flows, twice */

static void tell(const struct backlog *backlog)
{
    (void)backlog;
    fail_msg("a flow that is full is nothing to tell of");
}

UNIT_STEP(start)
{
    backlogs_start(&backlogs, 1 << 30, tell);
    flows_start(&flows, &backlogs, TID_OWN_DAEMON);
    frame_queue_start(&out);
    frame_queue_start(&kept);
    return 0;
}

UNIT_STEP(finish)
{
    flows_finish(&flows);
    frame_queue_finish(&out);
    frame_queue_finish(&kept);
    return backlogs.bytes > 0 ? -1 : 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static void resumed(struct feeder *feeder)
{
    (void)feeder;
}

static int put(uint32_t source, uint32_t length, uint8_t value)
{
    struct chunk *chunk = chunk_new(FRAME_HEADER_SIZE + length);
    if (!chunk)
        return -1;
    memset(chunk->data, value, FRAME_HEADER_SIZE + length);
    const struct received_frame received = {
        .frame = {.destination = 1,
                  .source = source,
                  .length = length,
                  .flags = FRAME_FIRST | FRAME_LAST},
        .chunk = chunk,
        .body = chunk->data + FRAME_HEADER_SIZE,
    };
    int result = flows_forward(&flows, source, &received, false);
    chunk_release(chunk);
    return result;
}

static struct received_frame next(struct frame_queue *queue)
{
    struct received_frame received;
    assert_true(frame_queue_take_frame(queue, &received));
    return received;
}

static void expect(struct frame_queue *queue, uint32_t source, uint32_t length, uint8_t value)
{
    struct received_frame received = next(queue);
    assert_int_equal(received.frame.source, source);
    assert_int_equal(received.frame.length, length);
    assert_int_equal(received.body[0], value);
    assert_int_equal(received.body[length - 1], value);
    chunk_release(received.chunk);
}

TEST(a_short_frame_waits_one_turn)
{
    for (uint8_t i = 0; i < 100; i++)
        put(FIRST, 1000, i);
    put(SECOND, 10, 200);
    assert_int_equal(flows_waiting(&flows, FIRST), 100 * (1000 + FRAME_HEADER_SIZE));
    assert_int_equal(flows_waiting(&flows, SECOND), 10 + FRAME_HEADER_SIZE);
    assert_int_equal(flows_waiting(&flows, 0x40081), 0);
    for (int turn = 0; turn < 3; turn++)
        assert_int_equal(flows_take(&flows, &out, &kept, 3100), 0);
    assert_int_equal(out.bytes, kept.bytes);
    for (int copy = 0; copy < 2; copy++) {
        struct frame_queue *queue = copy ? &kept : &out;
        for (uint8_t i = 0; i < 3; i++)
            expect(queue, FIRST, 1000, i);
        expect(queue, SECOND, 10, 200);
        for (uint8_t i = 3; i < 6; i++)
            expect(queue, FIRST, 1000, i);
        assert_true(frame_queue_is_empty(queue));
    }
    assert_int_equal(flows_waiting(&flows, FIRST), 94 * (1000 + FRAME_HEADER_SIZE));
}

/* The pieces are one message: it begins in the first and ends in the last. */
TEST(long_frames_are_cut)
{
    const uint32_t length = 3 * FLOWS_FRAME_MOST + 5;
    assert_int_equal(put(FIRST, length, 7), 0);
    while (!flows_are_empty(&flows))
        flows_take(&flows, &out, &kept, 64 * 1024);
    for (int i = 0; i < 4; i++) {
        struct received_frame received = next(&out);
        assert_int_equal(received.frame.flags, i == 0 ? FRAME_FIRST : i == 3 ? FRAME_LAST : 0);
        assert_int_equal(received.frame.length, i == 3 ? 5 : FLOWS_FRAME_MOST);
        chunk_release(received.chunk);
    }
    assert_true(frame_queue_is_empty(&out));
}

/* Also when what was confirmed ends within an item, between two frames that lie side by side. */
TEST(what_is_confirmed_is_forgotten)
{
    struct chunk *chunk = chunk_new(200);
    memset(chunk->data, 1, 200);
    for (unsigned i = 0; i < 4; i++) {
        const struct received_frame received = {
            .frame = {.source = FIRST, .length = 30},
            .chunk = chunk,
            .body = chunk->data + FRAME_HEADER_SIZE + i * (30 + FRAME_HEADER_SIZE),
        };
        received.body[0] = received.body[29] = (unsigned char)i;
        assert_int_equal(flows_forward(&flows, FIRST, &received, false), 0);
    }
    chunk_release(chunk);
    assert_int_equal(flows_take(&flows, &out, &kept, 1000), 0);
    assert_int_equal(out.count, 1);
    frame_queue_advance(&out, 2 * (30 + FRAME_HEADER_SIZE));
    expect(&out, FIRST, 30, 2);
    expect(&out, FIRST, 30, 3);
    assert_true(frame_queue_is_empty(&out));
}

/* Who fills its own flow is held until it has shrunk; others go on. */
TEST(who_sends_too_much_is_held)
{
    struct feeder feeder;
    feeder_start(&feeder, resumed);
    backlogs.feeder = &feeder;
    unsigned sent = 0;
    while (!feeder_is_held(&feeder)) {
        put(FIRST, 60000, 1);
        sent++;
    }
    assert_in_range(sent, 2, 100);
    feeder_release(&feeder);
    put(SECOND, 60000, 1);
    assert_false(feeder_is_held(&feeder));
    put(FIRST, 60000, 1);
    assert_true(feeder_is_held(&feeder));
    while (feeder_is_held(&feeder))
        flows_take(&flows, &out, &kept, 100000);
    assert_true(flows_waiting(&flows, FIRST) > 0);
}

TEST(an_heir_comes_behind)
{
    const uint32_t heir = TID_OWN_DAEMON;
    put(heir, 10, 1);
    put(FIRST, 10, 2);
    put(SECOND, 10, 3);
    assert_int_equal(flows_join(&flows, FIRST, heir), 0);
    assert_int_equal(flows_join(&flows, FIRST, heir), 0);
    put(heir, 10, 4);
    assert_int_equal(flows_waiting(&flows, FIRST), 0);
    flows_take(&flows, &out, &kept, 1000);
    expect(&out, heir, 10, 1);
    expect(&out, FIRST, 10, 2);
    expect(&out, heir, 10, 4);
    assert_true(frame_queue_is_empty(&out));
}

static void in_a_shortage(void)
{
    unsigned put_in = 0, came_out = 0;
    start(NULL);
    for (uint32_t i = 0; i < 12; i++)
        put_in += put(FIRST + i % 3, 10, 1) == 0;
    flows_join(&flows, FIRST, SECOND);
    for (int i = 0; i < 40 && !flows_are_empty(&flows); i++)
        flows_take(&flows, &out, &kept, 100);
    assert_true(flows_are_empty(&flows));
    assert_int_equal(backlogs.bytes, 0);
    assert_int_equal(out.bytes, kept.bytes);
    struct received_frame received;
    while (frame_queue_take_frame(&out, &received)) {
        chunk_release(received.chunk);
        came_out++;
    }
    assert_int_equal(came_out, put_in);
    assert_true(shortage_was_met() ? put_in <= 12 : put_in == 12);
    finish(NULL);
}

UNIT_TEST(shortage_loses_only_what_it_says)
{
    shortage_try_each(in_a_shortage, 20);
}

/* One that waits has no turns, whatever comes into it; its order stays. */
TEST(a_flow_that_waits_has_no_turns)
{
    assert_int_equal(put(FIRST, 100, 1), 0);
    assert_int_equal(flows_wait(&flows, FIRST), 0);
    assert_int_equal(put(FIRST, 200, 2), 0);
    assert_int_equal(put(SECOND, 300, 3), 0);
    assert_int_equal(flows_take(&flows, &out, &kept, 1 << 20), 0);
    expect(&out, SECOND, 300, 3);
    assert_true(flows_are_empty(&flows));
    flows_go_on(&flows, FIRST);
    assert_int_equal(flows_take(&flows, &out, &kept, 1 << 20), 0);
    expect(&out, FIRST, 100, 1);
    expect(&out, FIRST, 200, 2);
}

/* It need not have frames to wait; its end and that of the connection are the end of waiting. */
TEST(a_flow_waits_until_it_ends)
{
    assert_int_equal(flows_wait(&flows, FIRST), 0);
    assert_int_equal(flows_wait(&flows, FIRST), 0);
    assert_int_equal(put(FIRST, 100, 1), 0);
    assert_true(flows_are_empty(&flows));
    assert_int_equal(flows_join(&flows, FIRST, SECOND), 0);
    assert_false(flows_are_empty(&flows));
    assert_int_equal(flows_wait(&flows, SECOND), 0);
    assert_true(flows_are_empty(&flows));
    flows_let_all_go_on(&flows);
    assert_false(flows_are_empty(&flows));
    assert_int_equal(flows_wait(&flows, SECOND), 0);
    assert_int_equal(flows_wait(&flows, FIRST), 0);
    flows_go_on(&flows, FIRST);
    assert_true(flows_are_empty(&flows));
}
