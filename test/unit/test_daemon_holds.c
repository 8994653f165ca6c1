/* test_daemon_holds.c - what does a hold keep, until when, and does its order stay? */
#include "daemon/base/holds.h"

#include "shortage.h"
#include "unit.h"

enum { FIRST = 0x40001, SECOND = 0x40002, HEIR = 0x40003, LONG = 20000 };

static struct backlogs backlogs;
static struct holds holds;

static void tell(const struct backlog *backlog)
{
    fail_msg("nobody is told of %zu bytes that wait for the network", backlog->bytes);
}

UNIT_STEP(start)
{
    backlogs_start(&backlogs, 1 << 30, tell);
    holds_start(&holds, &backlogs, 0x80080000);
    return 0;
}

UNIT_STEP(finish)
{
    holds_finish(&holds);
    return backlogs.bytes > 0 ? -1 : 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static int keep(uint32_t flow, uint32_t length, uint8_t value)
{
    struct chunk *chunk = chunk_new(FRAME_HEADER_SIZE + length);
    if (!chunk)
        return -1;
    memset(chunk->data, value, FRAME_HEADER_SIZE + length);
    const struct received_frame received = {.frame = {.source = flow, .length = length},
                                            .chunk = chunk,
                                            .body = chunk->data + FRAME_HEADER_SIZE};
    int result = holds_keep(&holds, flow, &received);
    chunk_release(chunk);
    return result;
}

static void expect(uint32_t flow, uint32_t length, uint8_t value)
{
    struct received_frame received;
    assert_true(holds_take(&holds, flow, &received));
    assert_int_equal(received.frame.length, length);
    assert_int_equal(received.body[0], value);
    assert_int_equal(received.body[length - 1], value);
    chunk_release(received.chunk);
}

static void expect_end(uint32_t flow)
{
    struct received_frame received;
    assert_false(holds_take(&holds, flow, &received));
    assert_false(holds_has(&holds, flow));
}

TEST(a_hold_keeps_until_its_last_end)
{
    assert_false(holds_has(&holds, FIRST));
    assert_false(holds_end(&holds, FIRST));
    assert_int_equal(holds_begin(&holds, FIRST), 0);
    assert_int_equal(holds_begin(&holds, FIRST), 0);
    assert_true(holds_has(&holds, FIRST));
    assert_false(holds_has(&holds, SECOND));
    assert_false(holds_keeps_any(&holds, FIRST));
    assert_int_equal(keep(FIRST, 5, 1), 0);
    assert_int_equal(keep(FIRST, LONG, 2), 0);
    assert_true(holds_keeps_any(&holds, FIRST));
    assert_int_equal(backlogs.bytes, 5 + LONG);
    assert_false(holds_end(&holds, FIRST));
    assert_true(holds_end(&holds, FIRST));
    expect(FIRST, 5, 1);
    expect(FIRST, LONG, 2);
    expect_end(FIRST);
}

TEST(the_heir_of_a_flow_waits_for_the_same)
{
    assert_int_equal(holds_join(&holds, FIRST, HEIR), 0);
    assert_false(holds_has(&holds, HEIR));
    assert_int_equal(holds_begin(&holds, FIRST), 0);
    assert_int_equal(holds_begin(&holds, SECOND), 0);
    assert_int_equal(keep(SECOND, 3, 3), 0);
    assert_int_equal(keep(FIRST, 1, 1), 0);
    assert_int_equal(holds_join(&holds, FIRST, HEIR), 0);
    assert_int_equal(keep(HEIR, 2, 2), 0);
    assert_int_equal(holds_join(&holds, SECOND, HEIR), 0);
    assert_false(holds_end(&holds, FIRST));
    assert_false(holds_end(&holds, HEIR));
    assert_true(holds_end(&holds, HEIR));
    expect(HEIR, 1, 1);
    expect(HEIR, 2, 2);
    expect(HEIR, 3, 3);
    expect_end(HEIR);
}

TEST(all_flows_that_are_held_are_found)
{
    assert_int_equal(holds_next(&holds, 0), 0);
    assert_int_equal(holds_begin(&holds, FIRST), 0);
    assert_int_equal(holds_begin(&holds, SECOND), 0);
    assert_int_equal(holds_next(&holds, 0), FIRST);
    assert_int_equal(holds_next(&holds, FIRST), SECOND);
    assert_int_equal(holds_next(&holds, SECOND), 0);
}

static void keep_some(void)
{
    bool kept = holds_begin(&holds, FIRST) == 0 && keep(FIRST, 7, 7) == 0 &&
                keep(FIRST, LONG, 8) == 0 && holds_join(&holds, FIRST, HEIR) == 0;
    assert_true(kept != shortage_was_met());
    holds_finish(&holds);
    assert_int_equal(backlogs.bytes, 0);
}

TEST(without_memory_nothing_is_left_behind)
{
    shortage_try_each(keep_some, 6);
}
