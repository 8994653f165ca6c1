/* test_rendezvous.c - who gets an offer, the receiver or the sender, and what either believes. */
#include "ck/ports/shm/rendezvous.h"

#include "core/tid.h"

#include "unit.h"

static struct rendezvous_strip strip;
static const struct message_header header = {.tag = 7, .context = 3};
static struct rendezvous_offer got;

UNIT_STEP(start)
{
    memset(&strip, 0, sizeof strip);
    return 0;
}

static void offer(uint32_t number, int32_t tag, int32_t context, uint64_t size)
{
    const struct rendezvous_offer mine = {number, 0x123456789a00u + number, size, tag, context};
    rendezvous_open(&strip, &mine);
}

static bool claim(size_t length)
{
    return rendezvous_find(&strip, &header, length, &got) && rendezvous_claim(&strip, &got);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, NULL)

TEST(nothing_is_claimed_without_an_offer)
{
    assert_false(claim(0));
    assert_false(rendezvous_withdraw(&strip, 1));
    offer(1, 7, 3, 100);
    assert_true(rendezvous_withdraw(&strip, 1));
    assert_false(rendezvous_withdraw(&strip, 1));
    assert_false(claim(0));
    assert_int_equal(rendezvous_state(&strip, 1), RENDEZVOUS_NONE);
}

TEST(claim_says_where_and_is_settled)
{
    static const size_t lengths[] = {100, 0};
    for (uint32_t number = 1; number <= 2; number++) {
        size_t length = lengths[number - 1];
        offer(number, 7, 3, 100);
        assert_int_equal(rendezvous_state(&strip, number), RENDEZVOUS_OPEN);
        assert_true(claim(100));
        assert_int_equal(got.number, number);
        assert_int_equal(got.address, 0x123456789a00u + number);
        assert_int_equal(got.size, 100);
        assert_int_equal(rendezvous_state(&strip, number), RENDEZVOUS_CLAIMED);
        assert_false(claim(100));
        assert_false(rendezvous_withdraw(&strip, number));
        rendezvous_settle(&strip, &got, length);
        assert_int_equal(rendezvous_state(&strip, number),
                         length ? RENDEZVOUS_WRITTEN : RENDEZVOUS_NONE);
        assert_int_equal(rendezvous_length(&strip), length);
        assert_false(rendezvous_withdraw(&strip, number));
        assert_false(claim(100));
    }
}

TEST(only_what_is_asked_for_is_claimed)
{
    static const struct {
        int32_t tag, context;
        size_t length;
        bool claimed;
    } tries[] = {
        {7, 3, 100, true},
        {PATTERN_ANY, 3, 100, true},
        {7, PATTERN_ANY, 1, true},
        {8, 3, 100, false},
        {PATTERN_ANY, PATTERN_ANY, 100, true},
        {7, 4, 100, false},
        {7, 3, 101, false},
        {7, 3, SIZE_MAX, false},
        {-2, 3, 100, false},
        {7, -2, 100, false},
    };
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        uint32_t number = (uint32_t)i + 1;
        offer(number, tries[i].tag, tries[i].context, 100);
        assert_int_equal(claim(tries[i].length), tries[i].claimed);
        assert_int_equal(rendezvous_withdraw(&strip, number), !tries[i].claimed);
    }
}

TEST(state_is_that_of_one_offer)
{
    offer(UINT32_MAX, 7, 3, 100);
    assert_true(claim(100));
    assert_int_equal(rendezvous_state(&strip, UINT32_MAX), RENDEZVOUS_CLAIMED);
    assert_int_equal(rendezvous_state(&strip, UINT32_MAX - 1), RENDEZVOUS_NONE);
    assert_int_equal(rendezvous_state(&strip, 1), RENDEZVOUS_NONE);
    rendezvous_settle(&strip, &got, 0);
    offer(1, 7, 3, 100);
    assert_false(rendezvous_withdraw(&strip, UINT32_MAX));
    assert_int_equal(rendezvous_state(&strip, UINT32_MAX), RENDEZVOUS_NONE);
    /* Whatever a peer writes there, nothing is open. */
    for (uint64_t word = 0; word < 64; word++) {
        atomic_store(&strip.word, word << 58 | word);
        assert_false(rendezvous_withdraw(&strip, 1000));
        assert_int_equal(rendezvous_state(&strip, 1000), RENDEZVOUS_NONE);
    }
}

TEST(what_was_found_may_be_gone_or_another_one)
{
    for (uint32_t number = 1; number <= 2; number++) {
        offer(2 * number, 7, 3, 100);
        assert_true(rendezvous_find(&strip, &header, 100, &got));
        assert_true(rendezvous_withdraw(&strip, 2 * number));
        if (number == 2)
            offer(5, 7, 3, 100);
        assert_false(rendezvous_claim(&strip, &got));
    }
    assert_int_equal(rendezvous_state(&strip, 5), RENDEZVOUS_OPEN);
}

/* What belongs to another offer counts as nothing. */
TEST(pieces_are_those_of_one_offer)
{
    uint64_t place;
    rendezvous_show(&strip, 77);
    rendezvous_note_placed(&strip, UINT32_MAX, 5);
    uint64_t first = rendezvous_placed(&strip);
    assert_int_equal(rendezvous_pieces(&strip, UINT32_MAX, first, &place), 5);
    assert_int_equal(place, 77);
    assert_int_equal(rendezvous_pieces(&strip, 1, first, &place), 0);
    rendezvous_note_placed(&strip, 1, 5);
    assert_int_not_equal(rendezvous_placed(&strip), first);
    rendezvous_note_copied(&strip, 1, 3);
    assert_int_equal(rendezvous_copied(&strip, 1), 3);
    assert_int_equal(rendezvous_copied(&strip, UINT32_MAX), 0);
}
