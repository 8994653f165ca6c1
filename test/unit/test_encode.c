/*
 * test_encode.c - the bytes of items, where fragments end, and
 * what comes back.
 *
 * The fragment lengths are those that 3.4.6 was seen to make of the same calls.
 */
#include "core/encode.h"

#include <pvm3.h>
#include <sys/mman.h>

#include "core/signature.h"

#include "body.h"
#include "shortage.h"
#include "unit.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(long) == 8,
               "the raw bytes below are those of a little-endian machine with 64-bit longs");

#define ALIEN 0x0658eb59u
#define MANY  4000 /* items of the largest type in a test */

static _Alignas(16) char zeros[MANY * 16];

static struct message *make_small(uint32_t encoding, size_t fragment)
{
    struct message *message = message_new(encoding, fragment);
    assert_non_null(message);
    return message;
}

static struct message *make(uint32_t encoding)
{
    return make_small(encoding, MESSAGE_FRAGMENT_DEFAULT);
}

static void pack(struct message *message, int type, const void *items, int count)
{
    assert_int_equal(encode_pack(message, type, items, count, 1), 0);
}

static void pack_string_of(struct message *message, int letters)
{
    char *string = calloc(1, (size_t)letters + 1);
    memset(string, 'x', (size_t)letters);
    assert_int_equal(encode_pack_string(message, string), 0);
    free(string);
}

static int take_int(const struct message *message, struct cursor *cursor)
{
    int value = 0;
    assert_int_equal(encode_unpack(message, cursor, PVM_INT, &value, 1, 1), 0);
    return value;
}

static void expect_end(const struct message *message, struct cursor cursor)
{
    size_t available;
    assert_null(message_peek(message, &cursor, &available));
}

/* Bytes ---------------------------------------------------------------------------------------- */

UNIT_TEST(sizes_of_items)
{
    const size_t sizes[] = {[PVM_BYTE] = 1,
                            [PVM_SHORT] = 2,
                            [PVM_INT] = 4,
                            [PVM_FLOAT] = 4,
                            [PVM_CPLX] = 8,
                            [PVM_DOUBLE] = 8,
                            [PVM_DCPLX] = 16,
                            [PVM_LONG] = sizeof(long),
                            [PVM_USHORT] = 2,
                            [PVM_UINT] = 4,
                            [PVM_ULONG] = sizeof(long)};
    for (int type = PVM_BYTE; type <= PVM_ULONG; type++)
        assert_int_equal(encode_item_size(type), sizes[type]);
    assert_int_equal(encode_item_size(PVM_STR), 0);
    assert_int_equal(encode_item_size(-1), 0);
    assert_int_equal(encode_item_size(PVM_ULONG + 1), 0);
}

static void pack_one_of_each(struct message *message)
{
    const short small = -2;
    const unsigned short unsigned_small = 0xfffe;
    const unsigned number = 0xdeadbeef;
    const long large = -3;
    const unsigned long unsigned_large = 0xfedcba98;
    const float single[] = {1.0f, -2.25f};
    const double twice[] = {1.0, -2.25};
    pack(message, PVM_SHORT, &small, 1);
    pack(message, PVM_USHORT, &unsigned_small, 1);
    pack(message, PVM_UINT, &number, 1);
    pack(message, PVM_LONG, &large, 1);
    pack(message, PVM_ULONG, &unsigned_large, 1);
    pack(message, PVM_FLOAT, single, 1);
    pack(message, PVM_CPLX, single, 1);
    pack(message, PVM_DOUBLE, twice, 1);
    pack(message, PVM_DCPLX, twice, 1);
}

UNIT_TEST(every_type_in_xdr)
{
    OWN struct message *message = make(MESSAGE_XDR);
    pack_one_of_each(message);
    body_expect_hex(message, "fffffffe fffffffe deadbeef fffffffd fedcba98"
                             "3f800000 3f800000 c0100000"
                             "3ff0000000000000 3ff0000000000000 c002000000000000");
}

UNIT_TEST(every_type_raw)
{
    OWN struct message *message = make(signature_native());
    pack_one_of_each(message);
    body_expect_hex(message, "feff feff efbeadde fdffffffffffffff 98badcfe00000000"
                             "0000803f 0000803f 000010c0"
                             "000000000000f03f 000000000000f03f 00000000000002c0");
}

/* A message of 3.4.6, byte by byte. */
UNIT_TEST(published_example)
{
    OWN struct message *message = make(MESSAGE_XDR);
    const short small = -1;
    const unsigned short unsigned_small = 0xffff;
    const long large = -3;
    const double number = -2.25;
    pack(message, PVM_BYTE, "abcde", 5);
    pack(message, PVM_SHORT, &small, 1);
    pack(message, PVM_USHORT, &unsigned_small, 1);
    pack(message, PVM_LONG, &large, 1);
    pack(message, PVM_DOUBLE, &number, 1);
    body_expect_hex(message, "61626364 65000000 ffffffff ffffffff fffffffd c0020000 00000000");
}

/* In front of the items stands their type, and unless there is one their count. */
UNIT_TEST(trace_encoding_is_xdr)
{
    OWN struct message *message = make(MESSAGE_TRACE);
    struct cursor cursor = {0, 0};
    pack(message, PVM_INT, (const int[]){258}, 1);
    pack(message, PVM_DOUBLE, (const double[]){1.0, -2.25}, 2);
    body_expect_hex(message, "00000006 00000102"
                             "00000084 00000002 3ff00000 00000000 c0020000 00000000");
    assert_int_equal(take_int(message, &cursor), 6);
    assert_int_equal(take_int(message, &cursor), 258);
}

UNIT_TEST(byte_runs_are_padded_in_xdr_only)
{
    OWN struct message *xdr = make(MESSAGE_XDR);
    OWN struct message *raw = make(signature_native());
    for (int count = 0; count <= 5; count++) {
        pack(xdr, PVM_BYTE, "abcde", count);
        pack(raw, PVM_BYTE, "abcde", count);
    }
    body_expect_hex(xdr, "61000000 61620000 61626300 61626364 61626364 65000000");
    body_expect_bytes(raw, "aababcabcdabcde", 15);
}

UNIT_TEST(strings)
{
    OWN struct message *xdr = make(MESSAGE_XDR);
    OWN struct message *raw = make(signature_native());
    const char *const texts[] = {"", "abc", "abcd"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_int_equal(encode_pack_string(xdr, texts[i]), 0);
        assert_int_equal(encode_pack_string(raw, texts[i]), 0);
    }
    body_expect_hex(xdr, "00000001 00000000 00000004 61626300 00000005 61626364 00000000");
    body_expect_hex(raw, "01000000 00 04000000 61626300 05000000 6162636400");
}

UNIT_TEST(unsigned_numbers_come_back_as_on_3_4_6)
{
    OWN struct message *message = make(MESSAGE_XDR);
    struct cursor cursor = {0, 0};
    const long large[] = {4294967291, 7};
    const unsigned short small = 65535;
    long back[2] = {-1, -1};
    unsigned number = 0;
    pack(message, PVM_LONG, large, 2);
    pack(message, PVM_USHORT, &small, 1);
    assert_int_equal(encode_unpack(message, &cursor, PVM_LONG, back, 2, 1), 0);
    assert_true(back[0] == 4294967291 && back[1] == 7);
    assert_int_equal(encode_unpack(message, &cursor, PVM_UINT, &number, 1, 1), 0);
    assert_int_equal(number, 0xffffffff);
}

UNIT_TEST(negative_longs_come_back_when_they_are_known)
{
    OWN struct message *message = make(MESSAGE_XDR);
    struct cursor cursor = {0, 0};
    const long items[] = {-5, INT32_MIN, INT32_MAX};
    long back[3] = {0};
    pack(message, PVM_LONG, items, 3);
    assert_int_equal(message->header.longs, MESSAGE_LONGS_NEGATIVE);
    assert_int_equal(encode_unpack(message, &cursor, PVM_LONG, back, 3, 1), 0);
    assert_memory_equal(back, items, sizeof items);
    cursor = (struct cursor){0, 0};
    assert_int_equal(encode_unpack(message, &cursor, PVM_ULONG, back, 1, 1), 0);
    assert_int_equal(back[0], 4294967291);
    message->header.longs = MESSAGE_LONGS_UNKNOWN;
    cursor = (struct cursor){0, 0};
    assert_int_equal(encode_unpack(message, &cursor, PVM_LONG, back, 1, 1), 0);
    assert_int_equal(back[0], 4294967291);
}

UNIT_TEST(longs_that_32_bits_cannot_tell_are_refused)
{
    OWN struct message *message = make(MESSAGE_XDR);
    const long wide[] = {1, 1L << 32}, low[] = {INT32_MIN - 1L}, high = 3000000000, negative = -1;
    const unsigned long unsigned_wide = ~0ul;
    assert_int_equal(encode_pack(message, PVM_LONG, wide, 2, 1), PvmOverflow);
    message_clear(message);
    assert_int_equal(encode_pack(message, PVM_LONG, low, 1, 1), PvmOverflow);
    assert_int_equal(encode_pack(message, PVM_ULONG, &unsigned_wide, 1, 1), PvmOverflow);
    assert_int_equal(message->length, 0);
    pack(message, PVM_LONG, &high, 1);
    assert_int_equal(encode_pack(message, PVM_LONG, &negative, 1, 1), PvmOverflow);
    message_clear(message);
    pack(message, PVM_LONG, &negative, 1);
    pack(message, PVM_ULONG, &high, 1);
    assert_int_equal(encode_pack(message, PVM_LONG, &high, 1, 1), PvmOverflow);
    message->header.longs |= MESSAGE_LONGS_UNKNOWN;
    pack(message, PVM_LONG, &high, 1);
}

/* Fragments ------------------------------------------------------------------------------------ */

/*
 * In the default encoding no item crosses the end of a fragment, but a complex one between its two
 * parts, bytes and strings anywhere. Otherwise every item may.
 */
UNIT_TEST(fragments_end_where_those_of_3_4_6_do)
{
    const uint32_t raw = signature_native();
    const struct {
        uint32_t encoding;
        size_t fragment; /* capacity; 0: by default */
        struct {
            int type, count; /* of a string, letters */
        } packed[2];
        size_t lengths[4];
    } cases[] = {
        {MESSAGE_XDR, 0, {{PVM_INT, 1}, {PVM_DOUBLE, 600}}, {4028, 776}},
        {MESSAGE_XDR, 0, {{PVM_SHORT, 3}, {PVM_DOUBLE, 1000}}, {4028, 3984}},
        {MESSAGE_XDR, 0, {{PVM_LONG, 3000}}, {4032, 4032, 3936}},
        {MESSAGE_XDR, 0, {{PVM_INT, 1}, {PVM_DCPLX, 600}}, {4028, 4032, 1544}},
        {MESSAGE_XDR, 0, {{PVM_INT, 1}, {PVM_CPLX, 600}}, {4032, 772}},
        {MESSAGE_XDR, 0, {{PVM_BYTE, 4030}, {PVM_INT, 1}}, {4032, 4}},
        {MESSAGE_XDR, 0, {{PVM_BYTE, 4033}, {PVM_INT, 1}}, {4032, 8}},
        {MESSAGE_XDR, 0, {{PVM_BYTE, 3}, {PVM_BYTE, 10001}}, {4032, 4032, 1944}},
        {MESSAGE_XDR, 0, {{PVM_STR, 4031}}, {4032, 4}},
        {MESSAGE_XDR, 0, {{PVM_INT, 1007}, {PVM_STR, 10}}, {4032, 12}},
        {MESSAGE_XDR, 12, {{PVM_INT, 1}, {PVM_DOUBLE, 3}}, {12, 8, 8}},
        {raw, 0, {{PVM_INT, 1}, {PVM_DOUBLE, 600}}, {4032, 772}},
        {raw, 0, {{PVM_BYTE, 4030}, {PVM_INT, 1}}, {4032, 2}},
        {raw, 12, {{PVM_INT, 1}, {PVM_DOUBLE, 3}}, {12, 12, 4}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t count = 0;
        OWN struct message *message = make_small(
            cases[i].encoding, cases[i].fragment ? cases[i].fragment : MESSAGE_FRAGMENT_DEFAULT);
        for (size_t k = 0; k < 2 && cases[i].packed[k].count > 0; k++) {
            if (cases[i].packed[k].type == PVM_STR)
                pack_string_of(message, cases[i].packed[k].count);
            else
                pack(message, cases[i].packed[k].type, zeros, cases[i].packed[k].count);
        }
        while (cases[i].lengths[count] > 0)
            count++;
        body_expect_fragments(message, cases[i].lengths, count);
    }
}

UNIT_TEST(smallest_fragments_hold_one_word)
{
    OWN struct message *message = make_small(MESSAGE_XDR, 52 - MESSAGE_FRAGMENT_OVERHEAD);
    const int numbers[] = {1, 2, 3};
    const double number = 1.0;
    pack(message, PVM_INT, numbers, 3);
    EXPECT_FRAGMENTS(message, 4, 4, 4);
    assert_int_equal(encode_pack(message, PVM_DOUBLE, &number, 1, 1), PvmNoMem);
    EXPECT_FRAGMENTS(message, 4, 4, 4);
    pack(message, PVM_INT, numbers, 2);
    body_expect_hex(message, "00000001 00000002 00000003 00000001 00000002");
}

UNIT_TEST(small_fragments)
{
    OWN struct message *xdr = make_small(MESSAGE_XDR, 12);
    OWN struct message *raw = make_small(signature_native(), 12);
    pack(xdr, PVM_INT, zeros, 1);
    pack(xdr, PVM_DOUBLE, zeros, 3);
    EXPECT_FRAGMENTS(xdr, 12, 8, 8);
    pack(raw, PVM_INT, zeros, 1);
    pack(raw, PVM_DOUBLE, zeros, 3);
    EXPECT_FRAGMENTS(raw, 12, 12, 4);
}

/*
 * Seen on 3.4.6 with PvmFragSize 54: padding counts from the start of the fragment and never opens
 * another one.
 */
UNIT_TEST(padding_is_the_fragments_own)
{
    OWN struct message *message = make_small(MESSAGE_XDR, 6);
    struct cursor cursor = {0, 0};
    char bytes[9] = "";
    pack(message, PVM_BYTE, "abcdefgh", 3);
    pack(message, PVM_BYTE, "ABCDEFGH", 5);
    pack(message, PVM_INT, (const int[]){1, 2}, 2);
    EXPECT_FRAGMENTS(message, 6, 4, 4, 4);
    body_expect_hex(message, "616263004142 43444500 00000001 00000002");
    assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, bytes, 3, 1), 0);
    assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, bytes + 3, 5, 1), 0);
    assert_string_equal(bytes, "abcABCDE");
    assert_int_equal(take_int(message, &cursor), 1);
    assert_int_equal(take_int(message, &cursor), 2);
    message_clear(message);
    pack(message, PVM_BYTE, "abcdef", 5);
    EXPECT_FRAGMENTS(message, 6);
    body_expect_hex(message, "616263646500");
}

/* In place ------------------------------------------------------------------------------------- */

UNIT_TEST(in_place_data_stay_where_they_are)
{
    struct message *message = make(MESSAGE_IN_PLACE);
    int numbers[3000] = {0};
    double number = 0.0;
    pack(message, PVM_INT, numbers, 3000);
    pack(message, PVM_DOUBLE, &number, 0);
    pack(message, PVM_DOUBLE, &number, 1);
    pack(message, PVM_BYTE, "x", 1);
    EXPECT_FRAGMENTS(message, 12000, 8, 1);
    assert_ptr_equal(message->segments[0].data, numbers);
    assert_ptr_equal(message->segments[1].data, &number);
    number = -2.25;
    numbers[2999] = 77;
    assert_memory_equal(message->segments[1].data, &number, sizeof number);
    message_free(message);
    assert_int_equal(numbers[2999], 77);
}

/* An array packed item by item travels as what it is. */
UNIT_TEST(in_place_neighbours_are_one_segment)
{
    OWN struct message *message = make(MESSAGE_IN_PLACE);
    int numbers[100] = {0};
    for (int i = 0; i < 50; i++)
        pack(message, PVM_INT, numbers + i, 1);
    pack(message, PVM_INT, numbers + 60, 1);
    pack(message, PVM_INT, numbers + 59, 1);
    pack(message, PVM_INT, numbers + 60, 2);
    EXPECT_FRAGMENTS(message, 200, 4, 12);
    assert_ptr_equal(message->segments[2].data, numbers + 59);
    assert_int_equal(message->length, 216);
}

UNIT_TEST(in_place_takes_neither_strides_nor_strings)
{
    OWN struct message *message = make(MESSAGE_IN_PLACE);
    int number = 0;
    const int strides[] = {0, 2, -1};
    for (size_t i = 0; i < COUNT_OF(strides); i++)
        assert_int_equal(encode_pack(message, PVM_INT, &number, 1, strides[i]), PvmNotImpl);
    assert_int_equal(encode_pack_string(message, "text"), PvmNotImpl);
    body_expect_fragments(message, NULL, 0);
}

UNIT_TEST(in_place_data_cannot_be_unpacked)
{
    OWN struct message *message = make(MESSAGE_IN_PLACE);
    struct cursor cursor = {0, 0};
    int number = 5;
    pack(message, PVM_INT, &number, 1);
    for (int type = PVM_BYTE; type <= PVM_ULONG; type++)
        assert_int_equal(encode_unpack(message, &cursor, type, zeros, 1, 1), PvmBadMsg);
    assert_int_equal(encode_string_size(message, cursor), PvmBadMsg);
}

/*
 * The length field of a frame has 32 bits: what is longer travels in several. The memory is never
 * touched.
 */
UNIT_TEST(in_place_data_beyond_a_frame_are_cut)
{
    const int count = 300000000;
    const size_t size = (size_t)count * 16;
    void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct message *message = make(MESSAGE_IN_PLACE);
    assert_ptr_not_equal(memory, MAP_FAILED);
    pack(message, PVM_DCPLX, memory, count);
    assert_int_equal(message->length, size);
    const unsigned char *next = memory;
    for (size_t i = 0; i < message->segment_count; i++) {
        assert_ptr_equal(message->segments[i].data, next);
        assert_in_range(message->segments[i].length, 1,
                        FRAME_LENGTH_LIMIT - FRAME_MESSAGE_HEADER_SIZE);
        next += message->segments[i].length;
    }
    assert_ptr_equal(next, (unsigned char *)memory + size);
    message_free(message);
    munmap(memory, size);
}

/* Strides -------------------------------------------------------------------------------------- */

UNIT_TEST(strides_choose_items)
{
    const int numbers[] = {0, 1, 2, 3, 4, 5, 6};
    const char text[] = "abcdefg";
    const double pairs[] = {0, 1, 2, 3, 4, 5};
    OWN struct message *message = make(MESSAGE_XDR);
    assert_int_equal(encode_pack(message, PVM_INT, numbers, 3, 3), 0);
    assert_int_equal(encode_pack(message, PVM_INT, numbers + 6, 3, -2), 0);
    assert_int_equal(encode_pack(message, PVM_INT, numbers + 5, 2, 0), 0);
    assert_int_equal(encode_pack(message, PVM_BYTE, text, 3, 2), 0);
    assert_int_equal(encode_pack(message, PVM_DCPLX, pairs, 2, 2), 0);
    body_expect_hex(message,
                    "00000000 00000003 00000006 00000006 00000004 00000002 00000005 00000005"
                    "61636500"
                    "0000000000000000 3ff0000000000000 4010000000000000 4014000000000000");
}

UNIT_TEST(strides_place_items)
{
    OWN struct message *message = make(MESSAGE_XDR);
    struct cursor cursor = {0, 0};
    int spread[7] = {-1, -1, -1, -1, -1, -1, -1};
    int same = -1;
    char text[8] = ".......";
    pack(message, PVM_INT, (const int[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    pack(message, PVM_BYTE, "abc", 3);
    pack(message, PVM_INT, (const int[]){9}, 1);
    assert_int_equal(encode_unpack(message, &cursor, PVM_INT, spread, 3, 3), 0);
    assert_int_equal(encode_unpack(message, &cursor, PVM_INT, spread + 5, 2, -1), 0);
    assert_int_equal(encode_unpack(message, &cursor, PVM_INT, &same, 3, 0), 0);
    assert_memory_equal(spread, ((const int[]){1, -1, -1, 2, 5, 4, 3}), sizeof spread);
    assert_int_equal(same, 8);
    assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, text, 3, 2), 0);
    assert_string_equal(text, "a.b.c..");
    assert_int_equal(take_int(message, &cursor), 9); /* the padding was skipped */
    expect_end(message, cursor);
}

UNIT_TEST(nothing_packs_and_unpacks_to_nothing)
{
    const uint32_t encodings[] = {MESSAGE_XDR, MESSAGE_IN_PLACE, MESSAGE_TRACE, signature_native(),
                                  ALIEN};
    for (size_t i = 0; i < COUNT_OF(encodings); i++) {
        OWN struct message *message = make(encodings[i]);
        struct cursor cursor = {0, 0};
        for (int type = PVM_BYTE; type <= PVM_ULONG; type++) {
            pack(message, type, NULL, 0);
            bool decodable =
                encodings[i] != MESSAGE_IN_PLACE && (encodings[i] != ALIEN || type == PVM_BYTE);
            int result = decodable ? 0 : PvmBadMsg;
            assert_int_equal(encode_unpack(message, &cursor, type, NULL, 0, 1), result);
            assert_int_equal(encode_unpack(message, &cursor, type, NULL, 0, 2), result);
        }
        body_expect_fragments(message, NULL, 0);
    }
}

/* Ends ----------------------------------------------------------------------------------------- */

UNIT_TEST(what_lies_before_the_end_is_stored)
{
    const int strides[] = {1, 2};
    for (size_t i = 0; i < COUNT_OF(strides); i++) {
        OWN struct message *message = make_small(MESSAGE_XDR, 8);
        struct cursor cursor = {0, 0};
        int stride = strides[i];
        int found[10];
        memset(found, -1, sizeof found);
        pack(message, PVM_INT, (const int[]){1, 2, 3}, 3);
        assert_int_equal(encode_unpack(message, &cursor, PVM_INT, found, 5, stride), PvmNoData);
        for (int item = 0; item < 5; item++)
            assert_int_equal(found[item * stride], item < 3 ? item + 1 : -1);
        expect_end(message, cursor);
        assert_int_equal(encode_unpack(message, &cursor, PVM_INT, found, 1, 1), PvmNoData);
        assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, found, 1, 1), PvmNoData);
        assert_int_equal(encode_unpack(message, &cursor, PVM_INT, found, 0, 1), 0);
    }
}

UNIT_TEST(every_type_ends_with_the_body)
{
    const uint32_t encodings[] = {MESSAGE_XDR, signature_native()};
    for (size_t i = 0; i < COUNT_OF(encodings); i++)
        for (int type = PVM_BYTE; type <= PVM_ULONG; type++)
            for (size_t length = 0; length < 16; length++) {
                OWN struct message *message = body_make(encodings[i], zeros, length, 5);
                struct cursor cursor = {0, 0};
                char found[17 * 16];
                assert_int_equal(encode_unpack(message, &cursor, type, found, 17, 1), PvmNoData);
                expect_end(message, cursor);
            }
}

/*
 * A daemon that cuts a long fragment into packets may cut a double between its words; 3.4.6 joins
 * them.
 */
UNIT_TEST(doubles_are_joined_across_segments)
{
    const size_t cuts[] = {4, 8, 12, 16, 20};
    for (size_t i = 0; i < COUNT_OF(cuts); i++) {
        OWN struct message *message = body_make_hex(
            MESSAGE_XDR, "00000007 4000000000000000 4008000000000000 4010000012345678 00000009",
            cuts[i]);
        struct cursor cursor = {0, 0};
        double numbers[4] = {0};
        assert_int_equal(take_int(message, &cursor), 7);
        assert_int_equal(encode_unpack(message, &cursor, PVM_DOUBLE, numbers, 3, 1), 0);
        assert_true(numbers[0] == 2.0 && numbers[1] == 3.0 && numbers[2] == 0x1.0000012345678p2);
        assert_int_equal(take_int(message, &cursor), 9);
        assert_int_equal(encode_unpack(message, &cursor, PVM_DOUBLE, numbers, 1, 1), PvmNoData);
    }
}

UNIT_TEST(half_a_double_is_no_data)
{
    OWN struct message *message = body_make_hex(MESSAGE_XDR, "3ff0000000000000 40000000", 4);
    struct cursor cursor = {0, 0};
    double numbers[2] = {0, -1.0};
    assert_int_equal(encode_unpack(message, &cursor, PVM_DOUBLE, numbers, 2, 1), PvmNoData);
    assert_true(numbers[0] == 1.0 && numbers[1] == -1.0);
    expect_end(message, cursor);
}

UNIT_TEST(filling_behind_the_last_word_is_skipped)
{
    struct message *message =
        body_make_hex(MESSAGE_XDR, "00000001 eeee 00000002 eeee 3ff00000 eeee", 6);
    struct cursor cursor = {0, 0};
    double number = 0;
    assert_int_equal(take_int(message, &cursor), 1);
    assert_int_equal(take_int(message, &cursor), 2);
    assert_int_equal(encode_unpack(message, &cursor, PVM_DOUBLE, &number, 1, 1), PvmNoData);
    message_free(message);
}

UNIT_TEST(raw_items_are_joined_across_segments)
{
    unsigned char bytes[48];
    body_fill(bytes, sizeof bytes, 4);
    for (size_t cut = 1; cut <= 20; cut++) {
        OWN struct message *message = body_make(signature_native(), bytes, sizeof bytes, cut);
        struct cursor cursor = {0, 0};
        unsigned char found[48];
        assert_int_equal(encode_unpack(message, &cursor, PVM_DCPLX, found, 3, 1), 0);
        assert_memory_equal(found, bytes, sizeof bytes);
    }
}

/* Wherever bytes lie in their pages, they are copied whole: more than what goes in one piece. */
UNIT_TEST(raw_items_are_copied_whatever_their_distance)
{
    enum { SIZE = 5000, DISTANCES = 40, PAGE = 4096 };
    static unsigned char from[SIZE], to[PAGE + DISTANCES + SIZE + 1];
    body_fill(from, sizeof from, 5);
    for (size_t distance = 0; distance < DISTANCES; distance++) {
        OWN struct message *message = body_make(signature_native(), from, SIZE, SIZE);
        struct cursor cursor = {0, 0};
        uintptr_t apart = (uintptr_t)message->segments[0].data - (uintptr_t)to;
        unsigned char *found = to + apart % PAGE + distance;
        memset(to, 0, sizeof to);
        assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, found, SIZE, 1), 0);
        assert_memory_equal(found, from, SIZE);
        assert_int_equal(found[SIZE], 0);
    }
}

/* Foreign encodings ---------------------------------------------------------------------------- */

UNIT_TEST(alien_messages_give_bytes_only)
{
    OWN struct message *message = body_make_hex(ALIEN, "61626364 65666768", 3);
    struct cursor cursor = {0, 0};
    char text[9] = "";
    for (int type = PVM_BYTE + 1; type <= PVM_ULONG; type++) {
        assert_int_equal(encode_unpack(message, &cursor, type, zeros, 1, 1), PvmBadMsg);
        assert_int_equal(encode_unpack(message, &cursor, type, zeros, 1, 2), PvmBadMsg);
    }
    assert_int_equal(encode_string_size(message, cursor), PvmBadMsg);
    assert_int_equal(encode_unpack_string(message, &cursor, text), PvmBadMsg);
    assert_int_equal(cursor.segment + cursor.offset, 0);
    assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, text, 5, 1), 0);
    assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, text + 5, 3, 1), 0); /* no padding */
    assert_string_equal(text, "abcdefgh");
    assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, text, 1, 1), PvmNoData);
}

UNIT_TEST(bytes_are_taken_whatever_the_encoding)
{
    const uint32_t encodings[] = {MESSAGE_XDR, MESSAGE_IN_PLACE, signature_native(), ALIEN};
    for (size_t i = 0; i < COUNT_OF(encodings); i++) {
        OWN struct message *message = body_make_hex(encodings[i], "6162636465", 2);
        struct cursor cursor = {0, 0};
        char text[9] = "";
        assert_int_equal(encode_take_bytes(message, &cursor, text, 3), 3);
        assert_int_equal(message_remaining(message, cursor), 2);
        assert_int_equal(encode_take_bytes(message, &cursor, text + 3, 5), 2);
        assert_string_equal(text, "abcde");
        assert_int_equal(encode_take_bytes(message, &cursor, text, 5), 0);
    }
}

/* Strings -------------------------------------------------------------------------------------- */

UNIT_TEST(strings_come_back)
{
    const uint32_t encodings[] = {MESSAGE_XDR, signature_native()};
    for (size_t i = 0; i < COUNT_OF(encodings); i++)
        for (int letters = 0; letters < 40; letters++) {
            OWN struct message *message = make_small(encodings[i], 16);
            struct cursor cursor = {0, 0};
            char found[41] = "";
            pack_string_of(message, letters);
            pack(message, PVM_INT, (const int[]){4711}, 1);
            assert_int_equal(encode_string_size(message, cursor), letters + 1);
            assert_int_equal(cursor.segment + cursor.offset, 0);
            assert_int_equal(encode_unpack_string(message, &cursor, found), 0);
            assert_int_equal(strlen(found), letters);
            assert_int_equal(strspn(found, "x"), letters);
            assert_int_equal(take_int(message, &cursor), 4711);
            expect_end(message, cursor);
        }
}

static void expect_string_error(uint32_t encoding, const char *hex, int error)
{
    OWN struct message *message = body_make_hex(encoding, hex, 3 + (encoding == MESSAGE_XDR));
    struct cursor cursor = {0, 0};
    char none = '#';
    assert_int_equal(encode_string_size(message, cursor), error);
    assert_int_equal(encode_unpack_string(message, &cursor, &none), error);
    assert_int_equal(none, '#');
}

/* A foreign sender may leave it out: the cursor stays within the body. */
UNIT_TEST(padding_may_be_missing_at_the_end)
{
    OWN struct message *bytes = body_make_hex(MESSAGE_XDR, "616263", 3);
    OWN struct message *string = body_make_hex(MESSAGE_XDR, "00000003 616200", 7);
    struct cursor cursor = {0, 0};
    char found[4] = "";
    assert_int_equal(encode_unpack(bytes, &cursor, PVM_BYTE, found, 3, 1), 0);
    assert_string_equal(found, "abc");
    assert_int_equal(message_remaining(bytes, cursor), 0);
    cursor = (struct cursor){0, 0};
    assert_int_equal(encode_unpack_string(string, &cursor, found), 0);
    assert_string_equal(found, "ab");
    assert_int_equal(message_remaining(string, cursor), 0);
}

UNIT_TEST(hostile_string_lengths_are_errors)
{
    expect_string_error(MESSAGE_XDR, "", PvmNoData);
    expect_string_error(MESSAGE_XDR, "000000", PvmNoData);
    expect_string_error(MESSAGE_XDR, "00000005 61626300", PvmNoData);
    expect_string_error(MESSAGE_XDR, "7fffffff 61626300", PvmNoData);
    expect_string_error(MESSAGE_XDR, "80000000 61626300", PvmBadMsg);
    expect_string_error(MESSAGE_XDR, "ffffffff 61626300", PvmBadMsg);
    expect_string_error(signature_native(), "ffffffff 61626300", PvmBadMsg);
    expect_string_error(signature_native(), "05000000 61626300", PvmNoData);
}

UNIT_TEST(empty_length_is_an_empty_run)
{
    OWN struct message *message = body_make_hex(MESSAGE_XDR, "00000000 00000001", 4);
    struct cursor cursor = {0, 0};
    char none = '#';
    assert_int_equal(encode_unpack_string(message, &cursor, &none), 0);
    assert_int_equal(none, '#');
    assert_int_equal(take_int(message, &cursor), 1);
}

/*
 * Seen on 3.4.6: the length of a string that is not there has been read, and the next item follows
 * it.
 */
UNIT_TEST(broken_string_is_left_behind_its_length)
{
    OWN struct message *message = body_make_hex(MESSAGE_XDR, "000001f4 00000001 00000002", 12);
    struct cursor cursor = {0, 0};
    char none[1];
    assert_int_equal(encode_unpack_string(message, &cursor, none), PvmNoData);
    assert_int_equal(take_int(message, &cursor), 1);
}

/* Shortage ------------------------------------------------------------------------------------- */

static uint32_t scenario_encoding;

/* What had room stays packed, item by item. */
static void pack_scenario(void)
{
    int numbers[100];
    int error = 0;
    OWN struct message *message = message_new(scenario_encoding, 12);
    body_fill(numbers, sizeof numbers, 1);
    for (int i = 0; message && i < 100 && error == 0; i += 5)
        error = encode_pack(message, PVM_INT, numbers + i, 5, i == 0 ? 1 : -1);
    if (message && error == 0)
        error = encode_pack_string(message, "a string that is longer than three fragments");
    assert_int_equal(!message || error < 0, shortage_was_met());
    assert_true(error == 0 || error == PvmNoMem);
    if (message && error < 0)
        assert_int_equal(message->length % 4, 0);
}

static void in_place_scenario(void)
{
    int apart[80] = {0};
    int error = 0;
    OWN struct message *message = message_new(MESSAGE_IN_PLACE, MESSAGE_FRAGMENT_DEFAULT);
    size_t packed = 0;
    while (message && packed < 40 && error == 0) {
        error = encode_pack(message, PVM_INT, apart + 2 * packed, 1, 1);
        packed += error == 0;
    }
    assert_int_equal(!message || error < 0, shortage_was_met());
    if (message)
        assert_int_equal(message->segment_count, packed);
}

UNIT_TEST(packing_in_a_shortage_is_an_error)
{
    scenario_encoding = MESSAGE_XDR;
    shortage_try_each(pack_scenario, 8);
    scenario_encoding = signature_native();
    shortage_try_each(pack_scenario, 8);
    shortage_try_each(in_place_scenario, 5);
}
