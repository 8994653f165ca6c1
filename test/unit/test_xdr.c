/*
 * test_xdr.c - the bytes of numbers in XDR, and what reading them back gives on 3.4.6.
 */
#include "core/xdr.h"

#include <limits.h>

#include "body.h"
#include "unit.h"

/* The bytes lie at every distance from an aligned address, between two guards. */
#define OFFSETS 8
#define GUARD   0x5a

static void expect_put(xdr_convert *put, const void *items, size_t count, const char *hex)
{
    unsigned char expected[64];
    size_t size = body_parse(hex, expected, sizeof expected);
    for (size_t offset = 1; offset <= OFFSETS; offset++) {
        unsigned char wire[OFFSETS + sizeof expected + 1];
        memset(wire, GUARD, sizeof wire);
        put(wire + offset, items, count);
        assert_memory_equal(wire + offset, expected, size);
        assert_int_equal(wire[offset - 1], GUARD);
        assert_int_equal(wire[offset + size], GUARD);
    }
}

static void expect_get(xdr_convert *get, const char *hex, size_t count, const void *items,
                       size_t size)
{
    unsigned char wire[OFFSETS + 64];
    for (size_t offset = 1; offset <= OFFSETS; offset++) {
        _Alignas(16) unsigned char found[65];
        body_parse(hex, wire + offset, sizeof wire - offset);
        memset(found, GUARD, sizeof found);
        get(found, wire + offset, count);
        assert_memory_equal(found, items, size);
        assert_int_equal(found[size], GUARD);
    }
}

UNIT_TEST(words)
{
    const int32_t items[] = {0, 1, -1, INT32_MIN, INT32_MAX, 0x01020304};
    const char *hex = "00000000 00000001 ffffffff 80000000 7fffffff 01020304";
    expect_put(xdr_swap_words, items, COUNT_OF(items), hex);
    expect_get(xdr_swap_words, hex, COUNT_OF(items), items, sizeof items);
}

UNIT_TEST(floats)
{
    const float items[] = {0.0f, -0.0f, 1.0f, -2.25f, 1e-45f};
    const char *hex = "00000000 80000000 3f800000 c0100000 00000001";
    expect_put(xdr_swap_words, items, COUNT_OF(items), hex);
    expect_get(xdr_swap_words, hex, COUNT_OF(items), items, sizeof items);
}

UNIT_TEST(doubles)
{
    const double items[] = {0.0, 1.0, -2.25, 3.141592653589793};
    const char *hex = "0000000000000000 3ff0000000000000 c002000000000000 400921fb54442d18";
    expect_put(xdr_swap_doubles, items, COUNT_OF(items), hex);
    expect_get(xdr_swap_doubles, hex, COUNT_OF(items), items, sizeof items);
}

UNIT_TEST(shorts_carry_their_sign)
{
    const short items[] = {0, 1, -1, INT16_MIN, INT16_MAX};
    const char *hex = "00000000 00000001 ffffffff ffff8000 00007fff";
    expect_put(xdr_put_shorts, items, COUNT_OF(items), hex);
    expect_get(xdr_get_shorts, hex, COUNT_OF(items), items, sizeof items);
}

UNIT_TEST(unsigned_shorts_are_written_as_signed_and_read_as_unsigned)
{
    const unsigned short items[] = {0xffff, 0x8000, 0x7fff, 0};
    const unsigned short low_halves[] = {0xffff, 0x5678};
    const char *hex = "ffffffff ffff8000 00007fff 00000000";
    expect_put(xdr_put_shorts, items, COUNT_OF(items), hex);
    expect_get(xdr_get_shorts, hex, COUNT_OF(items), items, sizeof items);
    expect_get(xdr_get_shorts, "0000ffff 12345678", 2, low_halves, sizeof low_halves);
}

UNIT_TEST(longs_keep_their_low_word_only)
{
    const long items[] = {0, 1, -3, INT32_MAX, INT32_MIN};
    const long back[] = {0, 1, (long)4294967293, INT32_MAX, (long)2147483648};
    const unsigned long large[] = {1ul << 40, (1ul << 40) + 7, ~0ul};
    const unsigned long large_back[] = {0, 7, 0xffffffff};
    expect_put(xdr_put_longs, items, COUNT_OF(items),
               "00000000 00000001 fffffffd 7fffffff 80000000");
    expect_get(xdr_get_longs, "00000000 00000001 fffffffd 7fffffff 80000000", COUNT_OF(back), back,
               sizeof back);
    expect_put(xdr_put_longs, large, COUNT_OF(large), "00000000 00000007 ffffffff");
    expect_get(xdr_get_longs, "00000000 00000007 ffffffff", COUNT_OF(large_back), large_back,
               sizeof large_back);
}

/* Every conversion, and the bytes of an item before and after it. */
static const struct {
    xdr_convert *convert;
    size_t from;
    size_t to;
} conversions[] = {
    {xdr_swap_words, 4, 4},
    {xdr_swap_doubles, 8, 8},
    {xdr_put_shorts, sizeof(short), 4},
    {xdr_get_shorts, 4, sizeof(short)},
    {xdr_put_longs, sizeof(long), 4},
    {xdr_get_longs, 4, sizeof(long)},
    {xdr_get_signed_longs, 4, sizeof(long)},
};

/* Many items at once become what they become one by one, wherever both lie, and nothing else. */
UNIT_TEST(every_number_of_items_is_converted_like_one)
{
    enum { ITEMS = 70 };
    unsigned char from[OFFSETS + ITEMS * 8], to[OFFSETS + ITEMS * 8 + 1], expected[sizeof to];
    body_fill(from, sizeof from, 3);
    for (size_t i = 0; i < COUNT_OF(conversions); i++)
        for (size_t count = 0; count <= ITEMS; count++) {
            const size_t offset = count % OFFSETS, other = count / OFFSETS % OFFSETS;
            memset(to, GUARD, sizeof to);
            memset(expected, GUARD, sizeof expected);
            conversions[i].convert(to + offset, from + other, count);
            for (size_t item = 0; item < count; item++)
                conversions[i].convert(expected + offset + item * conversions[i].to,
                                       from + other + item * conversions[i].from, 1);
            assert_memory_equal(to, expected, sizeof to);
        }
}

enum { LONGS = 37, ANYWHERE = 5 };

/* What is told of LONGS longs, all of them `others` but one, wherever that one is. */
static void expect_survey(long others, long one, bool negative, unsigned long bits,
                          unsigned long complement)
{
    for (size_t place = 0; place < LONGS; place += ANYWHERE) {
        long items[LONGS];
        struct xdr_longs known = {0};
        for (size_t i = 0; i < LONGS; i++)
            items[i] = i == place ? one : others;
        xdr_survey_longs(&known, items, LONGS);
        assert_int_equal(known.bits, bits);
        assert_int_equal(known.complement, complement);
        assert_int_equal(known.negative, negative);
    }
}

UNIT_TEST(surveys_tell_signs_and_sizes)
{
    expect_survey(0, 0, false, 0, 0);
    expect_survey(0, -1, true, 0, 0);
    expect_survey(1, 6, false, 7, 0);
    expect_survey(1, INT32_MAX, false, INT32_MAX, 0);
    expect_survey(1, 3000000000, false, 3000000001, 0);
    expect_survey(1, 1L << 40, false, (1UL << 40) + 1, 0);
    expect_survey(1, INT32_MIN, true, 1, INT32_MAX);
    expect_survey(-1, INT32_MIN - 1L, true, 0, UINT32_C(1) << 31);
    expect_survey(-3, 4, true, 4, 2);
    expect_survey(LONG_MIN, LONG_MAX, true, LONG_MAX, LONG_MAX);
}

UNIT_TEST(surveys_add_up)
{
    const long items[] = {1, -3, 4};
    const unsigned long unsigned_items[] = {~0ul};
    struct xdr_longs known = {0};
    for (size_t i = 0; i < COUNT_OF(items); i++)
        xdr_survey_longs(&known, &items[i], 1);
    xdr_survey_longs(&known, items, 0);
    assert_int_equal(known.bits, 5);
    assert_int_equal(known.complement, 2);
    assert_true(known.negative);
    known = (struct xdr_longs){.bits = 2};
    xdr_survey_unsigned_longs(&known, unsigned_items, 0);
    assert_int_equal(known.bits, 2);
    xdr_survey_unsigned_longs(&known, unsigned_items, 1);
    assert_int_equal(known.bits, ~0ul);
    assert_int_equal(known.complement, 0);
    assert_false(known.negative);
}

UNIT_TEST(single_words)
{
    unsigned char wire[6] = {GUARD, 0, 0, 0, 0, GUARD};
    xdr_store(wire + 1, 0xdeadbeef);
    assert_memory_equal(wire, "\x5a\xde\xad\xbe\xef\x5a", sizeof wire);
    assert_int_equal(xdr_load(wire + 1), 0xdeadbeef);
    assert_int_equal(xdr_load(wire), 0x5adeadbe);
}
