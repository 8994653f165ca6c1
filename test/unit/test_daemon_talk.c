/* test_daemon_talk.c - what is counted of the frames that go to other hosts? */
#include "daemon/post/talk.h"

#include "unit.h"

static struct talk talk;

static int begin(void **state)
{
    struct talk_pair pair;
    (void)state;
    assert_false(talk_take(&talk, &pair));
    assert_non_null(talk.pairs);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    talk_finish(&talk);
    assert_null(talk.pairs);
    return 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, begin, finish)

static void note(uint32_t source, uint32_t destination, int times)
{
    for (int i = 0; i < times; i++)
        talk_note(&talk, source, destination);
}

TEST(pairs_are_told_apart_and_taken_once)
{
    uint32_t frames[3][3] = {{0}};
    struct talk_pair pair;
    note(1, 2, 5);
    note(2, 1, 7);
    note(1, 1, 1);
    for (int i = 0; i < 3; i++) {
        assert_true(talk_take(&talk, &pair));
        frames[pair.source][pair.destination] += pair.frames;
    }
    assert_int_equal(frames[1][2], 5);
    assert_int_equal(frames[2][1], 7);
    assert_int_equal(frames[1][1], 1);
    assert_false(talk_take(&talk, &pair));
    note(2, 1, 2);
    assert_true(talk_take(&talk, &pair));
    assert_int_equal(pair.frames, 2);
    assert_false(talk_take(&talk, &pair));
    assert_false(talk_take(&talk, &pair));
}

TEST(too_many_pairs_are_not_counted)
{
    enum { MANY = 100000 };
    struct talk_pair pair;
    uint32_t first = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < MANY; i++)
        note(1 << 18 | i, 2 << 18, 1);
    note(1 << 18, 2 << 18, 1);
    while (talk_take(&talk, &pair)) {
        count++;
        if (pair.source == 1 << 18)
            first = pair.frames;
    }
    assert_in_range(count, 1000, MANY / 2);
    assert_int_equal(first, 2);
}
