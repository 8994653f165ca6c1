/* test_replay_window.c - does each number count once, in whatever order they come? */
#include "core/replay_window.h"

#include "unit.h"

UNIT_TEST(numbers_in_order_count_once)
{
    struct replay_window window = {0};
    for (uint64_t number = 1; number < 3 * REPLAY_WINDOW_SIZE; number++) {
        assert_true(replay_window_take(&window, number));
        assert_false(replay_window_take(&window, number));
    }
    for (uint64_t number = 0; number < 3 * REPLAY_WINDOW_SIZE; number++)
        assert_false(replay_window_take(&window, number));
}

UNIT_TEST(numbers_may_come_late_within_the_window)
{
    struct replay_window window = {0};
    const uint64_t newest = 100000;
    assert_true(replay_window_take(&window, newest));
    for (uint64_t behind = REPLAY_WINDOW_SIZE; behind > 0; behind--) {
        assert_true(replay_window_take(&window, newest - behind));
        assert_false(replay_window_take(&window, newest - behind));
    }
    assert_false(replay_window_take(&window, newest - REPLAY_WINDOW_SIZE - 1));
    assert_false(replay_window_take(&window, newest));
}

/* Each jump clears some words, all words, or none. */
UNIT_TEST(what_a_jump_passes_over_has_not_come)
{
    static const uint64_t jumps[] = {1, 2, 63, 64, 65, 1000, REPLAY_WINDOW_SIZE, 2048, 5000, 1};
    struct replay_window window = {0};
    uint64_t newest = 1;
    assert_true(replay_window_take(&window, newest));
    for (size_t i = 0; i < COUNT_OF(jumps); i++) {
        uint64_t before = newest;
        newest += jumps[i];
        assert_true(replay_window_take(&window, newest));
        for (uint64_t number = before + 1; number < newest; number++)
            assert_int_equal(replay_window_take(&window, number),
                             newest - number <= REPLAY_WINDOW_SIZE);
        assert_false(replay_window_take(&window, before));
    }
}

UNIT_TEST(no_number_is_never_taken_and_the_last_one_is)
{
    struct replay_window window = {0};
    assert_false(replay_window_take(&window, 0));
    assert_true(replay_window_take(&window, UINT64_MAX));
    assert_false(replay_window_take(&window, UINT64_MAX));
    assert_false(replay_window_take(&window, 1));
}
