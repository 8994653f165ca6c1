/*
 * test_packed.c - a message inside a message.
 *
 * Lengths and what a reader leaves behind are as seen on 3.4.6.
 */
#include "core/packed.h"

#include <pvm3.h>

#include "core/encode.h"
#include "core/signature.h"

#include "body.h"
#include "shortage.h"
#include "unit.h"

#define HEADER_HEX "00000007 00000006 00000005 10000000 00000004 00040001 00040002"

static const struct message_header inner_header = {
    MESSAGE_XDR, 6, 7, 5, 4, 0x40001, 0x40002, MESSAGE_LONGS_NEGATIVE, 0};

static struct message *make_inner(const char *body, size_t cut)
{
    struct message *inner = body_make(MESSAGE_XDR, body, strlen(body), cut);
    inner->header = inner_header;
    return inner;
}

static struct message *make_outer(uint32_t encoding, size_t fragment)
{
    struct message *outer = message_new(encoding, fragment);
    assert_non_null(outer);
    return outer;
}

static void put_int(struct message *message, int value)
{
    assert_int_equal(encode_pack(message, PVM_INT, &value, 1, 1), 0);
}

static void expect_int(const struct message *message, struct cursor *cursor, int expected)
{
    int value = 0;
    assert_int_equal(encode_unpack(message, cursor, PVM_INT, &value, 1, 1), 0);
    assert_int_equal(value, expected);
}

/* Takes a message whose header is inner_header and whose body is given. */
static void expect_inner(const struct message *outer, struct cursor *cursor, const char *body)
{
    OWN struct message *inner = NULL;
    assert_int_equal(packed_get(outer, cursor, &inner), 0);
    assert_memory_equal(&inner->header, &inner_header, sizeof inner_header);
    body_expect_bytes(inner, body, strlen(body));
}

UNIT_TEST(bytes_in_xdr)
{
    OWN struct message *inner = make_inner("abcdefg", 5);
    OWN struct message *outer = make_outer(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    assert_int_equal(packed_put(outer, inner), 0);
    body_expect_hex(outer, "00000007" HEADER_HEX "00000005 61626364 65000000 00000002 66670000");
}

UNIT_TEST(bytes_raw)
{
    OWN struct message *inner = body_make(MESSAGE_XDR, "abcde", 5, 3);
    OWN struct message *outer = make_outer(signature_native(), MESSAGE_FRAGMENT_DEFAULT);
    const int fields[] = {5, 0, 0, 0, (int)MESSAGE_XDR, 0, 0, 0, 3};
    unsigned char expected[sizeof fields + 3 + 4 + 2];
    memcpy(expected, fields, sizeof fields);
    memcpy(expected + sizeof fields, "abc", 3);
    memcpy(expected + sizeof fields + 3, (const int[]){2}, 4);
    memcpy(expected + sizeof fields + 7, "de", 2);
    assert_int_equal(packed_put(outer, inner), 0);
    body_expect_bytes(outer, expected, sizeof expected);
}

UNIT_TEST(empty_message_is_its_header)
{
    const uint32_t encodings[] = {MESSAGE_XDR, signature_native()};
    for (size_t i = 0; i < COUNT_OF(encodings); i++) {
        OWN struct message *inner = make_inner("", 1);
        OWN struct message *outer = make_outer(encodings[i], MESSAGE_FRAGMENT_DEFAULT);
        struct cursor cursor = {0, 0};
        assert_int_equal(packed_put(outer, inner), 0);
        assert_int_equal(outer->length, 32);
        expect_inner(outer, &cursor, "");
        cursor = (struct cursor){0, 0};
        put_int(outer, 4711);
        expect_inner(outer, &cursor, "");
        expect_int(outer, &cursor, 4711);
    }
}

UNIT_TEST(empty_segments_are_left_out)
{
    OWN struct message *inner = make_inner("abcd", 4);
    OWN struct message *outer = make_outer(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    struct segment *only = &inner->segments[0];
    struct cursor cursor = {0, 0};
    assert_int_equal(message_append(inner, only->chunk, only->data, 0), 0);
    assert_int_equal(packed_put(outer, inner), 0);
    assert_int_equal(outer->length, 40);
    put_int(outer, 4711);
    expect_inner(outer, &cursor, "abcd");
    expect_int(outer, &cursor, 4711);
}

/* Whatever the two encodings and the cuts of both bodies. */
UNIT_TEST(messages_come_back)
{
    const uint32_t encodings[] = {MESSAGE_XDR, signature_native()};
    const size_t fragments[] = {4, 12, 40, 52, 100, MESSAGE_FRAGMENT_DEFAULT};
    const char *body = "the quick brown fox jumps over the lazy dog";
    for (size_t i = 0; i < COUNT_OF(encodings) * COUNT_OF(fragments); i++)
        for (size_t cut = 1; cut < 50; cut++) {
            OWN struct message *inner = make_inner(body, cut);
            OWN struct message *outer = make_outer(encodings[i % 2], fragments[i / 2]);
            struct cursor cursor = {0, 0};
            put_int(outer, 1);
            assert_int_equal(packed_put(outer, inner), 0);
            put_int(outer, 2);
            assert_int_equal(packed_put(outer, inner), 0);
            put_int(outer, 3);
            expect_int(outer, &cursor, 1);
            expect_inner(outer, &cursor, body);
            expect_int(outer, &cursor, 2);
            expect_inner(outer, &cursor, body);
            expect_int(outer, &cursor, 3);
            assert_int_equal(message_remaining(outer, cursor), 0);
        }
}

UNIT_TEST(fragments_come_back_as_they_were)
{
    static char zeros[9000];
    OWN struct message *inner = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    OWN struct message *outer = make_outer(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    OWN struct message *back = NULL;
    struct cursor cursor = {0, 0};
    put_int(inner, 1);
    assert_int_equal(encode_pack(inner, PVM_DOUBLE, zeros, 1000, 1), 0);
    assert_int_equal(packed_put(outer, inner), 0);
    EXPECT_FRAGMENTS(outer, 4032, 4012);
    assert_int_equal(packed_get(outer, &cursor, &back), 0);
    EXPECT_FRAGMENTS(back, 4028, 3976);
}

UNIT_TEST(raw_and_foreign_bodies_are_not_touched)
{
    const uint32_t encodings[] = {signature_native(), 0x0658eb59, MESSAGE_TRACE, MESSAGE_IN_PLACE};
    for (size_t i = 0; i < COUNT_OF(encodings); i++) {
        OWN struct message *inner = body_make(encodings[i], "\x01\x02\x03\x04\x05\x06\x07", 7, 7);
        OWN struct message *outer = make_outer(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
        OWN struct message *back = NULL;
        struct cursor cursor = {0, 0};
        assert_int_equal(packed_put(outer, inner), 0);
        assert_int_equal(packed_get(outer, &cursor, &back), 0);
        assert_int_equal(back->header.encoding, encodings[i]);
        body_expect_bytes(back, "\x01\x02\x03\x04\x05\x06\x07", 7);
    }
}

UNIT_TEST(packed_message_may_hold_another)
{
    OWN struct message *inner = make_inner("core", 4);
    OWN struct message *middle = make_outer(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    OWN struct message *outer = make_outer(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    OWN struct message *back = NULL;
    struct cursor cursor = {0, 0};
    assert_int_equal(packed_put(middle, inner), 0);
    assert_int_equal(packed_put(outer, middle), 0);
    assert_int_equal(packed_get(outer, &cursor, &back), 0);
    cursor = (struct cursor){0, 0};
    expect_inner(back, &cursor, "core");
}

/* What is taken in place is read when it is sent: the header, which lies on a stack, cannot be. */
UNIT_TEST(nothing_is_packed_in_place)
{
    OWN struct message *inner = make_inner("abc", 3);
    OWN struct message *outer = make_outer(MESSAGE_IN_PLACE, MESSAGE_FRAGMENT_DEFAULT);
    assert_int_equal(packed_put(outer, inner), PvmNotImpl);
    body_expect_fragments(outer, NULL, 0);
}

UNIT_TEST(length_beyond_32_bits_is_an_overflow)
{
    OWN struct message *inner = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    OWN struct message *outer = make_outer(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    struct chunk *chunk = chunk_new(1);
    for (int i = 0; i < 3; i++) /* the bytes are never read */
        assert_int_equal(message_append(inner, chunk, chunk->data, (size_t)1 << 30), 0);
    assert_int_equal(packed_put(outer, inner), PvmOverflow);
    body_expect_fragments(outer, NULL, 0);
    chunk_release(chunk);
}

/* Broken bodies -------------------------------------------------------------------------------- */

static void expect_error(const char *hex, int error)
{
    for (size_t cut = 4; cut < 60; cut += 4) {
        OWN struct message *outer = body_make_hex(MESSAGE_XDR, hex, cut);
        struct message *inner = NULL;
        struct cursor cursor = {0, 0};
        long before = shortage_live();
        assert_int_equal(packed_get(outer, &cursor, &inner), error);
        assert_null(inner);
        assert_int_equal(shortage_live(), before);
    }
}

UNIT_TEST(negative_length_makes_no_sense)
{
    expect_error("ffffffff" HEADER_HEX "00000004 61626364", PvmBadMsg);
    expect_error("80000000" HEADER_HEX "00000004 61626364", PvmBadMsg);
}

UNIT_TEST(body_that_ends_too_early_is_no_data)
{
    expect_error("", PvmNoData);
    expect_error("00000004" HEADER_HEX "00000003 61626300", PvmNoData);
    expect_error("00000004" HEADER_HEX "00000000 00000000 00000000", PvmNoData);
    expect_error("00000004" HEADER_HEX "ffffffff 80000000 00000000", PvmNoData);
    expect_error("00000009" HEADER_HEX "00000004 61626364", PvmNoData);
    expect_error("7fffffff" HEADER_HEX "00000004 61626364", PvmNoData);
    expect_error("7fffffff" HEADER_HEX "7fffffff 61626364", PvmNoData);
}

/* The last fragment may be longer than the rest of the length, and decides. */
UNIT_TEST(long_fragment_is_taken_whole)
{
    OWN struct message *outer = body_make_hex(
        MESSAGE_XDR, "00000004" HEADER_HEX "00000003 61626300 00000002 64650000 00000009", 4);
    struct cursor cursor = {0, 0};
    outer->header.longs = MESSAGE_LONGS_NEGATIVE;
    expect_inner(outer, &cursor, "abcde");
    assert_int_equal(message_remaining(outer, cursor), 4);
}

UNIT_TEST(bytes_of_a_fragment_that_is_cut_off_are_left)
{
    struct message *outer =
        body_make_hex(MESSAGE_XDR, "00000008" HEADER_HEX "00000008 61626364", 32);
    struct message *inner = NULL;
    struct cursor cursor = {0, 0};
    assert_int_equal(packed_get(outer, &cursor, &inner), PvmNoData);
    assert_int_equal(message_remaining(outer, cursor), 4);
    message_free(outer);
}

UNIT_TEST(empty_fragments_in_front_are_read_over)
{
    OWN struct message *outer = body_make_hex(
        MESSAGE_XDR, "00000002" HEADER_HEX "00000000 00000001 61000000 00000000 00000001 62000000",
        4);
    struct cursor cursor = {0, 0};
    outer->header.longs = MESSAGE_LONGS_NEGATIVE;
    expect_inner(outer, &cursor, "ab");
    assert_int_equal(message_remaining(outer, cursor), 0);
}

/* Every part of a packed message that is shorter than the whole is an error, and leaks nothing. */
UNIT_TEST(every_truncation_is_an_error)
{
    unsigned char bytes[128];
    size_t whole = body_parse("00000007" HEADER_HEX "00000005 61626364 65000000 00000002 6667",
                              bytes, sizeof bytes);
    for (size_t length = 0; length <= whole; length++) {
        OWN struct message *outer = body_make(MESSAGE_XDR, bytes, length, 8);
        struct message *inner = NULL;
        struct cursor cursor = {0, 0};
        long before = shortage_live();
        int error = packed_get(outer, &cursor, &inner);
        assert_int_equal(error == 0, length == whole);
        assert_true(error == 0 || error == PvmNoData);
        assert_int_equal(inner == NULL, error < 0);
        message_free(inner);
        assert_int_equal(shortage_live(), before);
    }
}

UNIT_TEST(foreign_outer_message_cannot_be_decoded)
{
    OWN struct message *outer = body_make_hex(0x0658eb59, "00000000" HEADER_HEX, 32);
    struct message *inner = NULL;
    struct cursor cursor = {0, 0};
    assert_int_equal(packed_get(outer, &cursor, &inner), PvmBadMsg);
}

/* Shortage ------------------------------------------------------------------------------------- */

static struct message *scenario_message;

static void put_scenario(void)
{
    OWN struct message *outer = message_new(MESSAGE_XDR, 16);
    int error = outer ? packed_put(outer, scenario_message) : PvmNoMem;
    assert_int_equal(error, shortage_was_met() ? PvmNoMem : 0);
}

static void get_scenario(void)
{
    OWN struct message *inner = NULL;
    struct cursor cursor = {0, 0};
    int error = packed_get(scenario_message, &cursor, &inner);
    assert_int_equal(error, shortage_was_met() ? PvmNoMem : 0);
    assert_int_equal(!inner, shortage_was_met());
}

UNIT_TEST(shortage_is_an_error)
{
    scenario_message = make_inner("abcdefghijklmnopqrstuvwxyz", 3);
    shortage_try_each(put_scenario, 3);
    OWN struct message *outer = make_outer(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    assert_int_equal(packed_put(outer, scenario_message), 0);
    message_free(scenario_message);
    scenario_message = outer;
    shortage_try_each(get_scenario, 10);
}
