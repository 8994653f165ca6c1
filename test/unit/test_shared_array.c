/*
 * test_shared_array.c - an array of the application in a message: where it is read, when it is
 * released, and what others see of it.
 */
#include "core/shared_array.h"

#include <limits.h>
#include <pvm3.h>

#include "core/encode.h"
#include "core/signature.h"

#include "body.h"
#include "shortage.h"
#include "unit.h"

#define SMALL 40 /* a fragment */
#define BYTES 1003

static unsigned char array[BYTES];
static int releases;

static void release(void *memory)
{
    assert_ptr_equal(memory, array);
    releases++;
}

UNIT_STEP(start)
{
    body_fill(array, sizeof array, 1);
    releases = 0;
    return 0;
}

static struct message *make(uint32_t encoding)
{
    struct message *message = message_new(encoding, SMALL);
    assert_non_null(message);
    return message;
}

/* Between two ints; then as it arrives. */
static void put(struct message *message, size_t bytes)
{
    static const int before = 7, behind = 9;
    assert_int_equal(encode_pack(message, PVM_INT, &before, 1, 1), 0);
    assert_int_equal(shared_array_put(message, array, bytes, release), 0);
    assert_int_equal(encode_pack(message, PVM_INT, &behind, 1, 1), 0);
    if (message->header.encoding == MESSAGE_IN_PLACE)
        message->header.encoding = signature_native();
}

static void expect_int(struct message *message, struct cursor *cursor, int expected)
{
    int value;
    assert_int_equal(encode_unpack(message, cursor, PVM_INT, &value, 1, 1), 0);
    assert_int_equal(value, expected);
}

/* Returns where the array was found. */
static const void *get(struct message *message, size_t expected)
{
    struct cursor cursor = {0, 0};
    const void *found;
    size_t bytes;
    expect_int(message, &cursor, 7);
    assert_int_equal(shared_array_get(message, &cursor, &found, &bytes), 0);
    assert_int_equal(bytes, expected);
    if (expected > 0)
        assert_memory_equal(found, array, expected);
    expect_int(message, &cursor, 9);
    assert_int_equal(message_remaining(message, cursor), 0);
    return found;
}

static uint32_t encodings(size_t i)
{
    return (const uint32_t[]){MESSAGE_XDR, signature_native(), MESSAGE_IN_PLACE}[i];
}

#define ENCODINGS 3

UNIT_TEST_BETWEEN(is_read_where_it_lies, start, NULL)
{
    for (size_t i = 0; i < ENCODINGS; i++) {
        for (size_t bytes = BYTES; bytes > BYTES - 5; bytes--) {
            struct message *message = make(encodings(i));
            put(message, bytes);
            struct message *view = message_view(message);
            assert_ptr_equal(get(message, bytes), array);
            message_free(message);
            assert_int_equal(releases, 0);
            assert_ptr_equal(get(view, bytes), array);
            message_free(view);
            assert_int_equal(releases, 1);
            releases = 0;
        }
    }
}

/* As an int and bytes, wherever they come from and whatever pieces they are in. */
UNIT_TEST_BETWEEN(is_copied_elsewhere, start, NULL)
{
    for (size_t i = 0; i < 2; i++) {
        for (size_t bytes = 0; bytes < 200; bytes++) {
            OWN struct message *packed = make(encodings(i));
            int size = (int)bytes;
            const int before = 7, behind = 9;
            encode_pack(packed, PVM_INT, &before, 1, 1);
            encode_pack(packed, PVM_INT, &size, 1, 1);
            encode_pack(packed, PVM_BYTE, array, size, 1);
            encode_pack(packed, PVM_INT, &behind, 1, 1);
            const void *found = get(packed, bytes);
            assert_int_equal((uintptr_t)found % _Alignof(max_align_t), 0);
            assert_ptr_equal(get(packed, bytes) != NULL, bytes > 0);
        }
    }
}

/* What 3.4.6 reads is what it would have packed itself. */
UNIT_TEST_BETWEEN(is_read_as_an_int_and_bytes, start, NULL)
{
    for (size_t i = 0; i < ENCODINGS; i++) {
        OWN struct message *message = make(encodings(i));
        unsigned char bytes[BYTES];
        struct cursor cursor = {0, 0};
        put(message, BYTES);
        expect_int(message, &cursor, 7);
        expect_int(message, &cursor, BYTES);
        assert_int_equal(encode_unpack(message, &cursor, PVM_BYTE, bytes, BYTES, 1), 0);
        assert_memory_equal(bytes, array, BYTES);
        expect_int(message, &cursor, 9);
    }
}

/* The memory is never taken for a message to come. */
UNIT_TEST_BETWEEN(is_not_written_to, start, NULL)
{
    OWN struct message *message = make(signature_native());
    unsigned char before[BYTES];
    memcpy(before, array, BYTES);
    assert_int_equal(shared_array_put(message, array, BYTES, release), 0);
    message_renew(message, signature_native(), SMALL);
    assert_int_equal(releases, 1);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(encode_pack(message, PVM_INT, &i, 1, 1), 0);
    assert_memory_equal(array, before, BYTES);
}

UNIT_TEST_BETWEEN(is_copied_into_an_event, start, NULL)
{
    OWN struct message *message = make(MESSAGE_TRACE);
    assert_int_equal(shared_array_put(message, array, BYTES, release), 0);
    assert_int_equal(releases, 1);
}

UNIT_TEST_BETWEEN(wrong_sizes_are_refused, start, NULL)
{
    static const int sizes[] = {-1, INT_MIN, 1, INT_MAX};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        OWN struct message *message = make(MESSAGE_XDR);
        const void *found = NULL;
        struct cursor cursor = {0, 0};
        size_t bytes;
        int result = shared_array_get(message, &cursor, &found, &bytes);
        assert_int_equal(result, PvmNoData);
        encode_pack(message, PVM_INT, &sizes[i], 1, 1);
        result = shared_array_get(message, &cursor, &found, &bytes);
        assert_int_equal(result, sizes[i] < 0 ? PvmBadMsg : PvmNoData);
        assert_int_equal(cursor.segment + cursor.offset, 0);
        assert_null(found);
    }
    OWN struct message *message = make(MESSAGE_XDR);
    assert_int_equal(shared_array_put(message, array, (size_t)INT_MAX + 1, release), PvmOverflow);
    assert_int_equal(releases, 0);
    assert_int_equal(message->length, 0);
}

/* All or nothing. */
static void tries_to_put(void)
{
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    if (!message)
        return;
    int error = shared_array_put(message, array, BYTES, release);
    assert_true(error == 0 || (error == PvmNoMem && shortage_was_met()));
    assert_int_equal(message->length, error == 0 ? BYTES + 5u : 0u);
    message_clear(message);
    assert_int_equal(releases, error == 0);
    releases = 0;
}

UNIT_TEST_BETWEEN(shortage_puts_nothing, start, NULL)
{
    shortage_try_each(tries_to_put, 3);
}

static struct message *scattered;

static void tries_to_get(void)
{
    OWN struct message *message = message_view(scattered);
    struct cursor cursor = {0, 0};
    const void *found = NULL;
    size_t bytes;
    if (!message)
        return;
    int error = shared_array_get(message, &cursor, &found, &bytes);
    assert_true(error == 0 || (error == PvmNoMem && shortage_was_met()));
    if (error == 0)
        assert_memory_equal(found, "abcdefgh", bytes);
    else
        assert_int_equal(cursor.segment + cursor.offset, 0);
}

UNIT_TEST_BETWEEN(shortage_gets_nothing, start, NULL)
{
    scattered = body_make(MESSAGE_XDR, "\0\0\0\10abcdefghijklmnop", 20, 7);
    shortage_try_each(tries_to_get, 2);
    message_free(scattered);
}
