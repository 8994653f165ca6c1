/* test_one_copy.c - which way is taken for what both have cost? */
#include "core/one_copy.h"

#include "unit.h"

#define SIZE  ((size_t)1 << 20)
#define CHEAP 60000 /* nanoseconds of a whole message */
#define DEAR  100000

#define START 16 /* messages until both ways are known, */
#define PAUSE 32 /* and until the dearer one is tried, */
#define TRIES 4  /* so often */

static struct one_copy one_copy;

UNIT_STEP(start)
{
    one_copy_start(&one_copy, ONE_COPY_AUTO);
    return 0;
}

/* Sends messages, of which each way takes so long. How many of them went in one copy. */
static unsigned send(unsigned count, size_t size, int64_t in_one, int64_t in_two)
{
    unsigned ones = 0;
    for (unsigned i = 0; i < count; i++) {
        bool one = one_copy_chooses(&one_copy, size);
        one_copy_took(&one_copy, size, one, one ? in_one : in_two / 2);
        ones += one;
    }
    return ones;
}

/* The same without a choice. */
static void send_in_two(unsigned count, int64_t in_two)
{
    for (unsigned i = 0; i < count; i++)
        one_copy_took(&one_copy, SIZE, false, in_two / 2);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, NULL)

TEST(number_is_obeyed)
{
    one_copy_start(&one_copy, 5000);
    assert_int_equal(one_copy_least(5000), 5000);
    for (int i = 0; i < 100; i++) {
        assert_false(one_copy_learns(&one_copy, SIZE));
        assert_false(one_copy_chooses(&one_copy, 4999));
        assert_true(one_copy_chooses(&one_copy, 5000));
        assert_true(one_copy_chooses(&one_copy, ONE_COPY_MOST));
        assert_false(one_copy_chooses(&one_copy, (size_t)ONE_COPY_MOST + 1));
        assert_int_equal(send(1, SIZE, DEAR, CHEAP), 1);
    }
    one_copy_start(&one_copy, 0);
    assert_true(one_copy_least(0) == SIZE_MAX);
    assert_false(one_copy_learns(&one_copy, SIZE));
    assert_int_equal(send(100, SIZE, CHEAP, DEAR), 0);
}

TEST(short_and_huge_ones_go_in_two)
{
    assert_int_equal(one_copy_least(ONE_COPY_AUTO), 65536);
    assert_false(one_copy_learns(&one_copy, 65535));
    assert_true(one_copy_learns(&one_copy, 65536));
    assert_true(one_copy_learns(&one_copy, ONE_COPY_MOST));
    assert_false(one_copy_learns(&one_copy, (size_t)ONE_COPY_MOST + 1));
    assert_int_equal(send(100, 65535, CHEAP, DEAR), 0);
    assert_int_equal(send(100, (size_t)ONE_COPY_MOST + 1, CHEAP, DEAR), 0);
}

TEST(cheaper_way_is_taken)
{
    send(START, SIZE, CHEAP, DEAR);
    assert_int_equal(send(PAUSE, SIZE, CHEAP, DEAR), PAUSE);
    start(NULL);
    send(START, SIZE, DEAR, CHEAP);
    assert_int_equal(send(PAUSE, SIZE, DEAR, CHEAP), 0);
}

TEST(both_are_known_before_there_is_a_choice)
{
    assert_int_equal(send(START, SIZE, DEAR, CHEAP), START / 2);
    start(NULL);
    send_in_two(100, CHEAP);
    assert_int_equal(send(START / 2, SIZE, DEAR, CHEAP), START / 2);
    assert_int_equal(send(PAUSE, SIZE, DEAR, CHEAP), 0);
}

TEST(one_slow_copy_at_first_decides_nothing)
{
    send(1, SIZE, 50 * DEAR, DEAR);
    send(START - 1, SIZE, CHEAP, DEAR);
    assert_int_equal(send(PAUSE, SIZE, CHEAP, DEAR), PAUSE);
}

/* Memory that is new is slow, perhaps for all of the first copies. */
TEST(slow_start_is_made_up_for_by_one_try)
{
    send(START, SIZE, DEAR, 4 * DEAR);
    assert_int_equal(send(PAUSE, SIZE, DEAR, CHEAP), PAUSE);
    assert_int_equal(send(PAUSE + 1, SIZE, DEAR, CHEAP), 0);
}

TEST(dearer_way_is_tried_less_and_less)
{
    static const unsigned pauses[] = {32, 64, 128, 256, 512, 1024, 2048, 4096, 4096};
    send(START, SIZE, DEAR, CHEAP);
    for (size_t i = 0; i < COUNT_OF(pauses); i++) {
        assert_int_equal(send(pauses[i], SIZE, DEAR, CHEAP), 0);
        assert_int_equal(send(TRIES, SIZE, DEAR, CHEAP), TRIES);
    }
    start(NULL);
    send(START, SIZE, CHEAP, DEAR);
    for (size_t i = 0; i < COUNT_OF(pauses); i++) {
        assert_int_equal(send(pauses[i], SIZE, CHEAP, DEAR), pauses[i]);
        assert_int_equal(send(TRIES, SIZE, CHEAP, DEAR), 0);
    }
}

/* A message that nobody waits for shows what two copies cost, too. */
TEST(what_has_no_choice_spares_tries)
{
    send(START, SIZE, CHEAP, DEAR);
    assert_int_equal(send(PAUSE - 1, SIZE, CHEAP, DEAR), PAUSE - 1);
    send_in_two(TRIES, DEAR);
    assert_int_equal(send(2 * PAUSE, SIZE, CHEAP, DEAR), 2 * PAUSE);
    assert_int_equal(send(TRIES, SIZE, CHEAP, DEAR), 0);
}

/* Only the second copy in a row finds the caches warm. */
TEST(tries_are_judged_by_the_best_of_a_row)
{
    send(START, SIZE, DEAR, 4 * DEAR);
    assert_int_equal(send(PAUSE, SIZE, DEAR, DEAR), PAUSE);
    assert_int_equal(send(1, SIZE, DEAR, 2 * DEAR), 0);
    assert_int_equal(send(1, SIZE, DEAR, CHEAP), 0);
    assert_int_equal(send(PAUSE, SIZE, DEAR, CHEAP), 0);
}

TEST(try_is_made_up_for_when_it_could_not_be_made)
{
    send(START, SIZE, DEAR, CHEAP);
    send(PAUSE, SIZE, DEAR, CHEAP);
    for (int i = 0; i < 3; i++)
        assert_true(one_copy_chooses(&one_copy, SIZE)); /* the receiver has gone away */
    assert_int_equal(send(TRIES + 1, SIZE, DEAR, CHEAP), TRIES);
}

TEST(change_of_the_machine_is_noticed)
{
    send(START, SIZE, CHEAP, DEAR);
    assert_in_range(send(1000, SIZE, 2 * DEAR, DEAR), 1, 199);
    assert_in_range(send(10000, SIZE, CHEAP, DEAR), 8000, 9999);
    assert_in_range(send(10000, SIZE, DEAR, CHEAP), 1, 4999);
}

TEST(disturbed_copies_are_forgotten)
{
    send(START, SIZE, CHEAP, DEAR);
    send(1, SIZE, 1000000 * (int64_t)DEAR, DEAR);
    assert_int_equal(send(PAUSE - 1, SIZE, CHEAP, DEAR), PAUSE - 1);
}

TEST(sizes_are_known_apart)
{
    send(START, SIZE, DEAR, CHEAP);
    send(START, 2 * SIZE, CHEAP, DEAR);
    assert_int_equal(send(START, SIZE, DEAR, CHEAP), 0);
    assert_int_equal(send(8, 2 * SIZE - 1, DEAR, CHEAP), 0);
    assert_int_equal(send(8, 2 * SIZE, CHEAP, DEAR), 8);
    assert_int_equal(send(8, 4 * SIZE - 1, CHEAP, DEAR), 8);
    for (size_t size = 65536; size <= ONE_COPY_MOST; size *= 2) {
        start(NULL);
        assert_int_equal(send(START, size, CHEAP, DEAR), START / 2);
    }
}
