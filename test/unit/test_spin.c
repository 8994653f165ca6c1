/* test_spin.c - when does a wait look before it sleeps, and for how long? */
#include "core/spin.h"

#include "unit.h"

#define SHORT 10000 /* nanoseconds of a sleep that looking would have spared */
#define LONG  1000000

static struct spin spin;
static int64_t switches, now; /* as spin_count is told them */

UNIT_STEP(start)
{
    spin_start(&spin, SPIN_AUTO, 2);
    switches = now = 0;
    return 0;
}

/* A wait that may look: for how long. The process has not lost its processor. */
static int64_t begin_wait(void)
{
    if (spin_asks(&spin))
        spin_count(&spin, switches, now);
    return spin_limit(&spin);
}

/* Waits that end by a sleep of that length: how many of them have looked before, in vain. */
static unsigned waits_that_look(unsigned count, int64_t sleep)
{
    unsigned looked = 0;
    for (unsigned i = 0; i < count; i++) {
        bool looks = begin_wait() > 0;
        if (looks)
            spin_looked(&spin, false, 0);
        spin_slept(&spin, sleep);
        looked += looks;
    }
    return looked;
}

/* Waits in which looking is enough. */
static void let_looking_pay(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert_true(begin_wait() > 0);
        spin_looked(&spin, true, 0);
    }
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, NULL)

TEST(words_are_understood)
{
    const struct {
        const char *text;
        bool good;
        int64_t setting;
    } cases[] = {
        {"auto", true, SPIN_AUTO}, {"0", true, 0},
        {"20", true, 20000},       {"1000000", true, 1000000000},
        {"1000001", false, 0},     {"", false, 0},
        {"-1", false, 0},          {" 5", false, 0},
        {"5us", false, 0},         {"Auto", false, 0},
        {"0x10", false, 0},        {"99999999999999999999", false, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t setting = 0;
        assert_int_equal(spin_parse(cases[i].text, &setting), cases[i].good);
        assert_int_equal(setting, cases[i].setting);
    }
}

TEST(number_is_obeyed)
{
    for (int64_t setting = 0; setting <= 20000; setting += 20000) {
        spin_start(&spin, setting, 1);
        assert_false(spin_learns(&spin));
        for (int i = 0; i < 100; i++) {
            assert_false(spin_asks(&spin));
            assert_int_equal(spin_limit(&spin), setting);
            spin_looked(&spin, false, 0);
            spin_slept(&spin, SHORT);
        }
    }
}

TEST(one_processor_never_looks)
{
    spin_start(&spin, SPIN_AUTO, 1);
    assert_false(spin_learns(&spin));
    assert_int_equal(waits_that_look(100000, SHORT), 0);
}

TEST(who_waits_long_never_looks)
{
    assert_int_equal(waits_that_look(100000, LONG), 0);
}

TEST(short_sleep_makes_the_next_wait_look)
{
    assert_int_equal(begin_wait(), 0);
    spin_slept(&spin, SHORT);
    assert_true(begin_wait() > 0);
}

TEST(looking_that_pays_off_goes_on)
{
    spin_slept(&spin, SHORT);
    let_looking_pay(100000);
}

/* What is trusted stands a look in vain now and then, and long waits end it. */
TEST(trust_is_won_and_lost)
{
    spin_slept(&spin, SHORT);
    for (int i = 0; i < 1000; i++) {
        let_looking_pay(3);
        assert_int_equal(waits_that_look(1, LONG), 1);
    }
    assert_in_range(waits_that_look(1000, LONG), 1, 8);
    assert_int_equal(waits_that_look(100000, LONG), 0);
}

/* Sleeps are short, but looking never is enough: as on processors that others need. */
TEST(looking_in_vain_becomes_rare)
{
    assert_in_range(waits_that_look(1000, SHORT), 2, 10);
    assert_in_range(waits_that_look(1000000, SHORT), 2, 30);
    assert_in_range(waits_that_look(1000000, SHORT), 10, 20); /* and never stops for good */
}

TEST(looks_for_what_a_sleep_costs)
{
    for (int i = 0; i < 100; i++)
        spin_slept(&spin, SHORT);
    assert_in_range(begin_wait(), SHORT, SHORT + 100);
    for (int i = 0; i < 100; i++) { /* some come at once, and some take long */
        spin_slept(&spin, i % 10 == 0 ? 1000 : SHORT);
        spin_slept(&spin, i % 10 == 5 ? 2 * SHORT : SHORT);
    }
    assert_in_range(begin_wait(), SHORT / 2, 2 * SHORT);
    for (int i = 0; i < 1000; i++)
        spin_slept(&spin, LONG);
    spin_slept(&spin, SHORT);
    assert_in_range(begin_wait(), SHORT, 200000); /* and it is bounded */
}

/* How often it is asked for in so many waits of that length. */
static unsigned counts_in(unsigned waits, int64_t each)
{
    unsigned asked = 0;
    for (unsigned i = 0; i < waits; i++) {
        if (spin_asks(&spin)) {
            asked++;
            spin_count(&spin, switches, now);
        }
        assert_true(spin_limit(&spin) > 0);
        spin_looked(&spin, true, each);
        now += each;
    }
    return asked;
}

/*
 * The count of switches is asked for in few waits, in fewer of quick ones, and only while there is
 * looking.
 */
TEST(switches_are_counted_seldom)
{
    assert_false(spin_asks(&spin));
    spin_slept(&spin, SHORT);
    assert_in_range(counts_in(1600, SHORT), 90, 100);
    assert_in_range(counts_in(25600, SHORT / 50), 95, 110);
    assert_in_range(counts_in(1600, SHORT / 2), 60, 105);
    assert_in_range(counts_in(1600, SHORT), 90, 105);
}

/* A look in which the thread may have lost its processor is asked after at once. */
TEST(long_look_is_asked_after)
{
    spin_slept(&spin, SHORT);
    counts_in(1000, SHORT / 50);
    assert_false(spin_asks(&spin));
    spin_looked(&spin, true, LONG / 5);
    assert_false(spin_asks(&spin));
    spin_looked(&spin, true, LONG);
    assert_true(spin_asks(&spin));
    spin_count(&spin, ++switches, now += LONG);
    assert_int_equal(spin_limit(&spin), 0);
}

/*
 * Waits until a process that looks with success stops. Whenever it asks so many nanoseconds have
 * passed, and it has lost its processor once more.
 */
static unsigned waits_until_it_stops(int64_t each)
{
    unsigned waits = 0;
    spin_slept(&spin, SHORT);
    do {
        if (spin_asks(&spin))
            spin_count(&spin, ++switches, now += each);
        waits++;
        if (spin_limit(&spin) == 0)
            return waits;
        spin_looked(&spin, true, 0);
    } while (waits < 10000);
    return waits;
}

TEST(lost_processor_ends_looking)
{
    unsigned pause = 0;
    for (int i = 0; i < 10; i++) {
        assert_in_range(waits_until_it_stops(LONG), 2, 40);
        unsigned waits = 1;
        for (; begin_wait() == 0; waits++)
            spin_slept(&spin, SHORT);
        assert_true(waits > pause); /* each pause is longer than the one before */
        pause = waits;
    }
    assert_true(pause > 4096);
}

/* The system takes a processor for a short time, also where nobody else wants it. */
TEST(system_may_take_the_processor)
{
    assert_int_equal(waits_until_it_stops(LONG / 5), 10000);
}

/* After very many looks that paid off a process that was crowded is no more. */
TEST(pauses_become_short_again)
{
    waits_that_look(100000, SHORT);
    unsigned backoff = spin.backoff;
    while (begin_wait() == 0)
        spin_slept(&spin, SHORT);
    spin_looked(&spin, true, 0);
    let_looking_pay(1000000);
    assert_true(spin.backoff < backoff);
    assert_int_equal(spin.backoff, 16);
}
