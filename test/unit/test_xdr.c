/*
 * test_xdr.c - wire.md 5.3: the bytes of numbers in XDR, and what reading them back gives on 3.4.6.
 */
#include "core/xdr.h"

#include "body.h"
#include "unit.h"

/* The bytes lie at every distance from an aligned address, between two guards. */
#define OFFSETS 8
#define GUARD   0x5a

static void expect_put(xdr_put *put, const void *items, size_t count, const char *hex)
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

static void expect_get(xdr_get *get, const char *hex, size_t count, const void *items, size_t size)
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

static void words(void **state)
{
    (void)state;
    const int32_t items[] = {0, 1, -1, INT32_MIN, INT32_MAX, 0x01020304};
    const char *hex = "00000000 00000001 ffffffff 80000000 7fffffff 01020304";
    expect_put(xdr_put_word, items, COUNT_OF(items), hex);
    expect_get(xdr_get_word, hex, COUNT_OF(items), items, sizeof items);
}

static void floats(void **state)
{
    (void)state;
    const float items[] = {0.0f, -0.0f, 1.0f, -2.25f, 1e-45f};
    const char *hex = "00000000 80000000 3f800000 c0100000 00000001";
    expect_put(xdr_put_word, items, COUNT_OF(items), hex);
    expect_get(xdr_get_word, hex, COUNT_OF(items), items, sizeof items);
}

static void doubles(void **state)
{
    (void)state;
    const double items[] = {0.0, 1.0, -2.25, 3.141592653589793};
    const char *hex = "0000000000000000 3ff0000000000000 c002000000000000 400921fb54442d18";
    expect_put(xdr_put_double, items, COUNT_OF(items), hex);
    expect_get(xdr_get_double, hex, COUNT_OF(items), items, sizeof items);
}

static void shorts_carry_their_sign(void **state)
{
    (void)state;
    const short items[] = {0, 1, -1, INT16_MIN, INT16_MAX};
    const char *hex = "00000000 00000001 ffffffff ffff8000 00007fff";
    expect_put(xdr_put_short, items, COUNT_OF(items), hex);
    expect_get(xdr_get_short, hex, COUNT_OF(items), items, sizeof items);
}

static void unsigned_shorts_are_written_as_signed_and_read_as_unsigned(void **state)
{
    (void)state;
    const unsigned short items[] = {0xffff, 0x8000, 0x7fff, 0};
    const unsigned short low_halves[] = {0xffff, 0x5678};
    const char *hex = "ffffffff ffff8000 00007fff 00000000";
    expect_put(xdr_put_short, items, COUNT_OF(items), hex);
    expect_get(xdr_get_short, hex, COUNT_OF(items), items, sizeof items);
    expect_get(xdr_get_short, "0000ffff 12345678", 2, low_halves, sizeof low_halves);
}

static void longs_keep_their_low_word_only(void **state)
{
    (void)state;
    const long items[] = {0, 1, -3, INT32_MAX, INT32_MIN};
    const long back[] = {0, 1, (long)4294967293, INT32_MAX, (long)2147483648};
    const unsigned long large[] = {1ul << 40, (1ul << 40) + 7, ~0ul};
    const unsigned long large_back[] = {0, 7, 0xffffffff};
    expect_put(xdr_put_long, items, COUNT_OF(items),
               "00000000 00000001 fffffffd 7fffffff 80000000");
    expect_get(xdr_get_long, "00000000 00000001 fffffffd 7fffffff 80000000", COUNT_OF(back), back,
               sizeof back);
    expect_put(xdr_put_long, large, COUNT_OF(large), "00000000 00000007 ffffffff");
    expect_get(xdr_get_long, "00000000 00000007 ffffffff", COUNT_OF(large_back), large_back,
               sizeof large_back);
}

static void nothing_is_nothing(void **state)
{
    (void)state;
    xdr_put *const puts[] = {xdr_put_word, xdr_put_double, xdr_put_short, xdr_put_long};
    xdr_get *const gets[] = {xdr_get_word, xdr_get_double, xdr_get_short, xdr_get_long};
    for (size_t i = 0; i < COUNT_OF(puts); i++) {
        expect_put(puts[i], "", 0, "");
        expect_get(gets[i], "", 0, "", 0);
    }
}

static void single_words(void **state)
{
    (void)state;
    unsigned char wire[6] = {GUARD, 0, 0, 0, 0, GUARD};
    xdr_store(wire + 1, 0xdeadbeef);
    assert_memory_equal(wire, "\x5a\xde\xad\xbe\xef\x5a", sizeof wire);
    assert_int_equal(xdr_load(wire + 1), 0xdeadbeef);
    assert_int_equal(xdr_load(wire), 0x5adeadbe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(floats),
        cmocka_unit_test(doubles),
        cmocka_unit_test(shorts_carry_their_sign),
        cmocka_unit_test(unsigned_shorts_are_written_as_signed_and_read_as_unsigned),
        cmocka_unit_test(longs_keep_their_low_word_only),
        cmocka_unit_test(nothing_is_nothing),
        cmocka_unit_test(single_words),
    };
    return cmocka_run_group_tests_name("xdr", tests, NULL, NULL);
}
