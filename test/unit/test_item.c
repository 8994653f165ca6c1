/* test_item.c - the short way leads where the long way does. */
#include <pvm3.h>

#include "core/encode.h"
#include "core/item.h"

#include "body.h"
#include "unit.h"

#define FRAGMENT 16 /* two doubles: the ends of segments come often */
#define TURNS    40

static const uint32_t encodings[] = {MESSAGE_XDR, 0, MESSAGE_IN_PLACE, 0x1234567};

static uint32_t encoding_of(size_t index)
{
    return encodings[index] ? encodings[index] : signature_native();
}

static void pack(struct message *message, int type, const void *item, bool *short_way)
{
    *short_way = item_pack(message, type, item, 1);
    if (!*short_way)
        assert_int_equal(encode_pack(message, type, item, 1, 1), 0);
}

static void expect_same(const struct message *message, const struct message *other)
{
    unsigned char *bytes = body_bytes(other);
    body_expect_bytes(message, bytes, other->length);
    free(bytes);
    assert_int_equal(message->segment_count, other->segment_count);
    for (size_t i = 0; i < message->segment_count; i++)
        assert_int_equal(message->segments[i].length, other->segments[i].length);
}

/*
 * The same body comes of both ways, and the same items out of it. Gives how many went the short
 * way.
 */
static int compare(uint32_t encoding, int type)
{
    unsigned char items[TURNS][16];
    body_fill(items, sizeof items, (unsigned)type);
    for (int i = 0; i < TURNS; i++)
        memset(items[i] + 4, 0, 4); /* of a long, 32 bits can be packed */
    struct message *mixed = message_new(encoding, FRAGMENT);
    struct message *plain = message_new(encoding, FRAGMENT);
    int shorts = 0;
    for (int i = 0; i < TURNS; i++) {
        bool short_way;
        pack(mixed, type, items[i], &short_way);
        shorts += short_way;
        assert_int_equal(encode_pack(plain, type, items[i], 1, 1), 0);
    }
    expect_same(mixed, plain);
    struct cursor one = {0, 0}, other = {0, 0};
    for (int i = 0; i < TURNS; i++) {
        unsigned char seen[16] = {0}, expected[16] = {0};
        if (!item_unpack(mixed, &one, type, seen, 1))
            assert_int_equal(encode_unpack(mixed, &one, type, seen, 1, 1), 0);
        assert_int_equal(encode_unpack(plain, &other, type, expected, 1, 1), 0);
        assert_memory_equal(seen, expected, sizeof seen);
    }
    message_free(mixed);
    message_free(plain);
    return shorts;
}

UNIT_TEST(both_ways_lead_to_the_same)
{
    int shorts[2][PVM_ULONG + 1] = {0};
    for (size_t encoding = 0; encoding < 2; encoding++)
        for (int type = PVM_BYTE; type <= PVM_ULONG; type++)
            shorts[encoding][type] = compare(encoding_of(encoding), type);
    /* All of them, the first of a segment, too. */
    assert_int_equal(shorts[0][PVM_INT], TURNS);
    assert_int_equal(shorts[0][PVM_DOUBLE], TURNS);
    assert_int_equal(shorts[0][PVM_SHORT], TURNS);
    assert_int_equal(shorts[1][PVM_BYTE], TURNS);
    assert_int_equal(shorts[1][PVM_LONG], TURNS);
    assert_int_equal(shorts[0][PVM_BYTE] + shorts[0][PVM_LONG] + shorts[1][PVM_DCPLX], 0);
}

UNIT_TEST(other_encodings_have_no_short_way)
{
    const double number = 1.0;
    double seen = 2.0;
    for (size_t i = 2; i < COUNT_OF(encodings); i++) {
        OWN struct message *message = message_new(encoding_of(0), FRAGMENT);
        assert_int_equal(encode_pack(message, PVM_INT, &number, 1, 1), 0);
        message->header.encoding = encodings[i];
        struct cursor cursor = {0, 0};
        assert_false(item_pack(message, PVM_INT, &number, 1));
        assert_false(item_unpack(message, &cursor, PVM_INT, &seen, 1));
        assert_int_equal(message->length, 4);
        assert_true(cursor.offset == 0 && seen == 2.0);
    }
}

UNIT_TEST(end_of_a_message_is_left_to_the_long_way)
{
    const int number = 7;
    double seen = 2.0;
    struct cursor cursor = {0, 0};
    OWN struct message *message = message_new(MESSAGE_XDR, FRAGMENT);
    assert_false(item_unpack(message, &cursor, PVM_INT, &seen, 1));
    assert_true(item_pack(message, PVM_INT, &number, 1));
    assert_false(item_unpack(message, &cursor, PVM_DOUBLE, &seen, 1));
    assert_true(seen == 2.0 && cursor.offset == 0);
}

UNIT_TEST(a_few_raw_items_that_fit_go_the_short_way)
{
    int items[FRAGMENT], seen[FRAGMENT] = {0};
    struct cursor cursor = {0, 0};
    OWN struct message *message = message_new(signature_native(), FRAGMENT);
    OWN struct message *xdr = message_new(MESSAGE_XDR, FRAGMENT);
    body_fill((unsigned char *)items, sizeof items, 1);
    assert_false(item_pack(xdr, PVM_INT, items, 2));
    assert_false(item_pack(message, PVM_INT, items, 0));
    assert_false(item_pack(message, PVM_INT, items, FRAGMENT / 4 + 1));
    assert_int_equal(message->segment_count, 0);
    assert_true(item_pack(message, PVM_INT, items, 3));
    assert_false(item_pack(message, PVM_INT, items + 3, 2)); /* a part of it goes to this segment */
    assert_int_equal(encode_pack(message, PVM_INT, items + 3, 2, 1), 0);
    assert_int_equal(message->segment_count, 2);
    assert_false(item_unpack(message, &cursor, PVM_INT, seen, 5));
    assert_true(item_unpack(message, &cursor, PVM_INT, seen, 2));
    assert_int_equal(encode_unpack(message, &cursor, PVM_INT, seen + 2, 3, 1), 0);
    assert_memory_equal(seen, items, 5 * sizeof *items);
}
