/* test_daemon_backlog.c - who is held, and when may he go on? */
#include "daemon/base/backlog.h"

#include "unit.h"

#define LIMIT ((size_t)1 << 24)
#define STEP  1000

static int told;
static int resumed;

static void tell(const struct backlog *backlog)
{
    (void)backlog;
    told++;
}

static void resume(struct feeder *feeder)
{
    assert_false(feeder_is_held(feeder));
    resumed++;
}

static struct {
    struct backlogs all;
    struct backlog backlogs[3];
    struct feeder feeders[3];
} stage;

UNIT_STEP(start)
{
    told = resumed = 0;
    backlogs_start(&stage.all, LIMIT, tell);
    for (size_t i = 0; i < COUNT_OF(stage.backlogs); i++) {
        backlog_start(&stage.backlogs[i], &stage.all, SIZE_MAX);
        feeder_start(&stage.feeders[i], resume);
    }
    return 0;
}

UNIT_STEP(finish)
{
    for (size_t i = 0; i < COUNT_OF(stage.backlogs); i++)
        backlog_finish(&stage.backlogs[i]);
    return stage.all.bytes > 0 || !list_is_empty(&stage.all.holding) ? -1 : 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

/* Feeder `i` fills backlog `i` until it is held; gives the bytes that then wait. */
static size_t fill(size_t i)
{
    stage.all.feeder = &stage.feeders[i];
    while (!feeder_is_held(&stage.feeders[i]))
        backlog_add(&stage.backlogs[i], STEP);
    stage.all.feeder = NULL;
    return stage.backlogs[i].bytes;
}

TEST(the_first_gets_half_and_the_next_a_share_of_the_rest)
{
    assert_in_range(fill(0), LIMIT / 2 - STEP, LIMIT / 2 + STEP);
    assert_in_range(fill(1), LIMIT / 4 - STEP, LIMIT / 4 + STEP);
    assert_in_range(fill(2), LIMIT / 8 - STEP, LIMIT / 8 + STEP);
    assert_int_equal(told, 3);
    assert_int_equal(resumed, 0);
    finish(NULL);
    assert_int_equal(resumed, 3);
}

TEST(a_bound_of_its_own_counts)
{
    stage.backlogs[0].most = LIMIT / 8;
    assert_in_range(fill(0), LIMIT / 8 - STEP, LIMIT / 8 + STEP);
}

TEST(it_goes_on_below_the_bound_and_is_told_of_once)
{
    size_t most = fill(0);
    backlog_remove(&stage.backlogs[0], 1000);
    assert_int_equal(resumed, 0);
    backlog_remove(&stage.backlogs[0], most / 2);
    assert_int_equal(resumed, 1);
    assert_in_range(fill(0), LIMIT / 2 - STEP, LIMIT / 2 + STEP);
    assert_int_equal(told, 1);
}

/* What another one has read makes room. */
TEST(the_end_of_one_lets_the_feeder_of_another_go_on)
{
    fill(0);
    fill(1);
    backlog_finish(&stage.backlogs[0]);
    assert_int_equal(resumed, 2);
    assert_false(feeder_is_held(&stage.feeders[1]));
}

/* However little is left, who reads is not stopped by those who do not. */
TEST(a_burst_is_always_allowed)
{
    backlog_add(&stage.backlogs[0], 2 * LIMIT);
    assert_in_range(fill(1), BACKLOG_LEAST, BACKLOG_LEAST + STEP);
}

TEST(the_daemon_itself_is_never_held)
{
    backlog_add(&stage.backlogs[0], 2 * LIMIT);
    assert_int_equal(told, 0);
}

TEST(a_hold_has_a_bound_of_its_own)
{
    backlog_add(&stage.backlogs[0], 5000);
    feeder_hold(&stage.feeders[0], &stage.backlogs[0], 1000);
    feeder_hold(&stage.feeders[1], &stage.backlogs[0], 3000);
    backlog_remove(&stage.backlogs[0], 2500);
    assert_true(feeder_is_held(&stage.feeders[0]));
    assert_false(feeder_is_held(&stage.feeders[1]));
    backlog_remove(&stage.backlogs[0], 2000);
    assert_false(feeder_is_held(&stage.feeders[0]));
    assert_int_equal(resumed, 2);
    assert_true(list_is_empty(&stage.all.holding));
}

TEST(one_that_leaves_is_not_resumed)
{
    fill(0);
    feeder_release(&stage.feeders[0]);
    finish(NULL);
    assert_int_equal(resumed, 0);
}
