/*
 * test_message.c - bodies grow at their end, share without copies, and never change what they have
 * shared.
 */
#include "core/message.h"

#include <pvm3.h>

#include "body.h"
#include "shortage.h"
#include "unit.h"

#define SMALL 12 /* a fragment capacity that fills quickly, and forms no runs */
#define RUN   16 /* one that does */

/* Appends `size` bytes as the encoders do: a piece at a time. */
static void append(struct message *message, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t granted = 0;
        unsigned char *to = message_reserve(message, size, 1, &granted);
        assert_non_null(to);
        assert_in_range(granted, 1, size);
        memcpy(to, from, granted);
        message_commit(message, granted);
        from += granted;
        size -= granted;
    }
}

static struct message *make(const void *bytes, size_t size, size_t fragment)
{
    struct message *message = message_new(MESSAGE_XDR, fragment);
    assert_non_null(message);
    append(message, bytes, size);
    return message;
}

UNIT_TEST(new_message_is_empty)
{
    const struct message_header blank = {.encoding = 0x1234};
    OWN struct message *message = message_new(0x1234, 100);
    struct cursor cursor = {0, 0};
    size_t available = 1;
    assert_memory_equal(&message->header, &blank, sizeof blank);
    assert_int_equal(message->fragment, 100);
    assert_int_equal(message->buffer, 0);
    assert_null(message->next);
    body_expect_fragments(message, NULL, 0);
    body_expect_hex(message, "");
    assert_null(message_peek(message, &cursor, &available));
    assert_int_equal(available, 0);
    assert_int_equal(message_remaining(message, cursor), 0);
    message_free(NULL);
}

/* Reserving ------------------------------------------------------------------------------------ */

UNIT_TEST(reserved_bytes_count_after_commit_only)
{
    OWN struct message *message = make("ab", 2, SMALL);
    size_t granted = 0;
    unsigned char *first = message_reserve(message, 5, 5, &granted);
    assert_int_equal(granted, 5);
    assert_int_equal(message->length, 2);
    assert_ptr_equal(message_reserve(message, 3, 1, &granted), first); /* nothing was taken */
    memcpy(first, "cdx", 3);
    message_commit(message, 2);
    body_expect_bytes(message, "abcd", 4);
}

UNIT_TEST(segment_is_filled_to_the_fragment_capacity)
{
    unsigned char bytes[3 * SMALL + 1];
    body_fill(bytes, sizeof bytes, 1);
    OWN struct message *message = make(bytes, sizeof bytes, SMALL);
    EXPECT_FRAGMENTS(message, SMALL, SMALL, SMALL, 1);
    body_expect_bytes(message, bytes, sizeof bytes);
}

UNIT_TEST(too_little_room_starts_the_next_segment)
{
    OWN struct message *message = make("123456789", 9, SMALL);
    size_t granted = 0;
    assert_non_null(message_reserve(message, 8, 3, &granted)); /* three are left */
    assert_int_equal(granted, 3);
    EXPECT_FRAGMENTS(message, 9);
    unsigned char *next = message_reserve(message, 8, 4, &granted);
    assert_int_equal(granted, 8);
    memcpy(next, "abcdefgh", 8);
    message_commit(message, 8);
    EXPECT_FRAGMENTS(message, 9, 8);
    body_expect_bytes(message, "123456789abcdefgh", 17);
}

UNIT_TEST(more_than_a_fragment_in_one_piece_is_refused)
{
    OWN struct message *message = make("x", 1, SMALL);
    size_t granted = 77;
    assert_null(message_reserve(message, SMALL + 1, SMALL + 1, &granted));
    EXPECT_FRAGMENTS(message, 1); /* and leaves nothing behind */
    assert_non_null(message_reserve(message, SMALL, SMALL, &granted));
    assert_int_equal(granted, SMALL);
}

UNIT_TEST(fragment_ends_though_the_chunk_goes_on)
{
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    size_t granted = 0;
    unsigned char *first = message_reserve(message, 3 * SMALL, 1, &granted);
    assert_int_equal(granted, SMALL);
    memcpy(first, "abcde", 5);
    message_commit(message, 5);
    assert_ptr_equal(message_reserve(message, 3 * SMALL, 1, &granted), first + 5);
    assert_int_equal(granted, SMALL - 5);
}

UNIT_TEST(more_than_there_is_memory_is_refused)
{
    OWN struct message *message = make("abc", 3, SMALL);
    size_t granted;
    assert_null(message_reserve(message, SIZE_MAX, SMALL, &granted));
    assert_null(message_reserve(message, SIZE_MAX - SMALL, SMALL, &granted));
    body_expect_bytes(message, "abc", 3);
}

UNIT_TEST(announced_bytes_lie_in_one_chunk)
{
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    unsigned char bytes[10 * SMALL];
    body_fill(bytes, sizeof bytes, 3);
    append(message, bytes, sizeof bytes);
    assert_int_equal(message->segment_count, 10);
    assert_int_equal(message->segments[0].chunk->capacity, sizeof bytes);
    for (size_t i = 1; i < 10; i++) {
        assert_ptr_equal(message->segments[i].chunk, message->segments[0].chunk);
        assert_ptr_equal(message->segments[i].data, message->segments[i - 1].data + SMALL);
    }
    body_expect_bytes(message, bytes, sizeof bytes);
}

UNIT_TEST(memory_grows_by_doubling)
{
    unsigned long before = shortage_allocations();
    OWN struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    for (int i = 0; i < 100000; i++)
        append(message, &i, sizeof i);
    assert_int_equal(message->length, 400000);
    /*
     * The message, chunks of 1, 1, 2, 4, ... 64 fragments, and the list of segments doubled from 4
     * to 128.
     */
    assert_in_range(shortage_allocations() - before, 1 + 8, 1 + 8 + 5);
    struct cursor cursor = {0, 0};
    for (int i = 0; i < 100000; i++) {
        size_t available;
        const unsigned char *bytes = message_peek(message, &cursor, &available);
        assert_true(available >= sizeof i && memcmp(bytes, &i, sizeof i) == 0);
        cursor.offset += sizeof i;
    }
}

/* Sharing -------------------------------------------------------------------------------------- */

UNIT_TEST(appended_slice_is_shared_and_never_grown)
{
    struct chunk *chunk = chunk_new(SMALL);
    memcpy(chunk->data, "0123456789ab", SMALL);
    struct message *message = make("x", 1, SMALL);
    assert_int_equal(message_append(message, chunk, chunk->data + 2, 4), 0);
    assert_false(chunk_is_unshared(chunk));
    append(message, "yz", 2);
    EXPECT_FRAGMENTS(message, 1, 4, 2);
    body_expect_bytes(message, "x2345yz", 7);
    assert_memory_equal(chunk->data, "0123456789ab", SMALL);
    message_free(message);
    assert_true(chunk_is_unshared(chunk));
    chunk_release(chunk);
}

UNIT_TEST(own_segment_behind_a_slice_grows_again)
{
    struct chunk *chunk = chunk_new(3);
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    memcpy(chunk->data, "abc", 3);
    assert_int_equal(message_append(message, chunk, chunk->data, 3), 0);
    chunk_release(chunk);
    append(message, "d", 1);
    append(message, "e", 1);
    EXPECT_FRAGMENTS(message, 3, 2);
    body_expect_bytes(message, "abcde", 5);
}

UNIT_TEST(rest_is_what_lies_behind_the_cursor)
{
    unsigned char bytes[2 * SMALL + 5];
    body_fill(bytes, sizeof bytes, 9);
    OWN struct message *from = make(bytes, sizeof bytes, SMALL);
    for (size_t at = 0; at <= sizeof bytes; at++) {
        OWN struct message *message = make("head", 4, SMALL);
        struct cursor cursor = {at / SMALL, at % SMALL};
        assert_int_equal(message_append_rest(message, from, cursor), 0);
        assert_int_equal(message->length, 4 + sizeof bytes - at);
        unsigned char *found = body_bytes(message);
        assert_memory_equal(found, "head", 4);
        assert_memory_equal(found + 4, bytes + at, sizeof bytes - at);
        free(found);
    }
    body_expect_bytes(from, bytes, sizeof bytes);
}

UNIT_TEST(rest_behind_the_last_segment_is_nothing)
{
    OWN struct message *from = make("abc", 3, SMALL);
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    assert_int_equal(message_append_rest(message, from, (struct cursor){1, 0}), 0);
    body_expect_fragments(message, NULL, 0);
}

UNIT_TEST(fragments_in_one_chunk_are_one_segment)
{
    unsigned char bytes[6 * RUN + 4];
    body_fill(bytes, sizeof bytes, 3);
    OWN struct message *message = make(bytes, sizeof bytes, RUN);
    assert_int_equal(message->segment_count, 1);
    EXPECT_FRAGMENTS(message, RUN, RUN, RUN, RUN, RUN, RUN, 4);
    OWN struct message *singly = message_new(MESSAGE_XDR, RUN);
    size_t granted;
    assert_non_null(message_reserve(singly, sizeof bytes, 1, &granted)); /* the memory for it */
    for (size_t i = 0; i < sizeof bytes; i++)
        append(singly, bytes + i, 1);
    assert_int_equal(singly->segment_count, 1);
    EXPECT_FRAGMENTS(singly, RUN, RUN, RUN, RUN, RUN, RUN, 4);
    body_expect_bytes(singly, bytes, sizeof bytes);
}

UNIT_TEST(item_that_would_cross_ends_a_run)
{
    OWN struct message *message = make("head", 4, RUN);
    size_t granted;
    unsigned char *to = message_reserve(message, 5 * 8, 8, &granted);
    assert_int_equal(granted, RUN - 4); /* one of them, and half of another */
    memset(to, 1, 8);
    message_commit(message, 8);
    to = message_reserve(message, 4 * 8, 8, &granted);
    assert_int_equal(granted, 2 * RUN);
    memset(to, 2, granted);
    message_commit(message, granted);
    EXPECT_FRAGMENTS(message, 4 + 8, RUN, RUN);
    assert_int_equal(message->segment_count, 2);
}

UNIT_TEST(rest_from_amid_a_run_begins_with_the_rest_of_a_fragment)
{
    unsigned char bytes[2 * RUN + 5];
    body_fill(bytes, sizeof bytes, 8);
    OWN struct message *from = make(bytes, sizeof bytes, RUN);
    assert_int_equal(from->segment_count, 1);
    for (size_t at = 0; at < sizeof bytes; at++) {
        OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
        assert_int_equal(message_append_rest(message, from, (struct cursor){0, at}), 0);
        body_expect_bytes(message, bytes + at, sizeof bytes - at);
        size_t left = sizeof bytes - at, lengths[3], count = 0;
        for (size_t next = RUN - at % RUN; left > 0; next = RUN) {
            lengths[count] = left < next ? left : next;
            left -= lengths[count++];
        }
        body_expect_fragments(message, lengths, count);
    }
}

UNIT_TEST(view_has_the_header_and_the_chunks)
{
    const struct message_header header = {MESSAGE_XDR, 1, 2, 3, 4, 5, 6, MESSAGE_LONGS_HIGH, 0};
    struct message *message = make("abcdefghijklmno", 15, SMALL);
    message->header = header;
    message->buffer = 42;
    OWN struct message *view = message_view(message);
    assert_memory_equal(&view->header, &header, sizeof header);
    assert_int_equal(view->buffer, 0);
    assert_int_equal(view->fragment, SMALL);
    EXPECT_FRAGMENTS(view, SMALL, 3);
    assert_ptr_equal(view->segments[0].data, message->segments[0].data); /* no copy */
    assert_ptr_equal(view->segments[1].data, message->segments[1].data);
    message_free(message);
    body_expect_bytes(view, "abcdefghijklmno", 15);
}

/* A short copy equals its original, shares nothing with it, and takes no memory. */
UNIT_TEST(short_copy_equals_its_original)
{
    const struct message_header header = {MESSAGE_XDR, 1, 2, 3, 4, 5, 6, MESSAGE_LONGS_HIGH, 0};
    OWN struct message *message = make("abcd", 4, SMALL);
    message->header = header;
    unsigned long before = shortage_allocations();
    struct message copy;
    unsigned char body[16];
    assert_false(message_copy_short(message, &copy, body, 3));
    assert_true(message_copy_short(message, &copy, body, 4));
    assert_memory_equal(&copy.header, &header, sizeof header);
    assert_int_equal(copy.fragment, SMALL);
    assert_int_equal(copy.segments[0].fragment, message->segments[0].fragment);
    EXPECT_FRAGMENTS(&copy, 4);
    assert_true(message_is_at(&copy, body));
    assert_int_equal(message_room(&copy), 0);
    message_free(message);
    body_expect_bytes(&copy, "abcd", 4);
    message = message_new(MESSAGE_XDR, SMALL);
    assert_true(message_copy_short(message, &copy, NULL, 0));
    body_expect_bytes(&copy, "", 0);
    assert_int_equal(shortage_allocations(), before + 1);
    message_free(message);
    message = make("abcdefghijklmno", 15, SMALL);
    assert_int_equal(message->segment_count, 2);
    assert_false(message_copy_short(message, &copy, body, sizeof body));
}

/* Its fragments are those of the original, also where several form a run. */
static void copies(void)
{
    static unsigned char bytes[3 * MESSAGE_RUN_UNIT] = "of the application";
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    struct chunk *chunk = chunk_new(sizeof bytes);
    bool whole = message && chunk;
    if (whole) {
        memcpy(chunk->data, bytes, sizeof bytes);
        message->header.tag = 7;
        whole =
            message_append_run(message, chunk, chunk->data, sizeof bytes, MESSAGE_RUN_UNIT) == 0 &&
            message_append_memory(message, bytes, 5) == 0;
    }
    chunk_release(chunk);
    struct pool pool;
    pool_start(&pool, 1);
    struct message *copy = whole ? message_copy_from(&pool, message) : NULL;
    assert_true(copy || shortage_was_met());
    if (copy) {
        assert_memory_equal(&copy->header, &message->header, sizeof copy->header);
        EXPECT_FRAGMENTS(copy, MESSAGE_RUN_UNIT, MESSAGE_RUN_UNIT, MESSAGE_RUN_UNIT, 5);
        assert_ptr_not_equal(copy->segments[0].data, message->segments[0].data);
        assert_non_null(copy->segments[1].chunk);
        assert_memory_equal(copy->segments[0].data, bytes, sizeof bytes);
        assert_memory_equal(copy->segments[1].data, bytes, 5);
    }
    message_free(copy);
    pool_finish(&pool, message_discard);
}

UNIT_TEST(copy_has_a_body_of_its_own)
{
    copies();
    shortage_try_each(copies, 5);
}

UNIT_TEST(packing_on_does_not_change_a_view)
{
    unsigned char bytes[8 * SMALL];
    struct message *views[sizeof bytes];
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    body_fill(bytes, sizeof bytes, 5);
    for (size_t i = 0; i < sizeof bytes; i++) {
        views[i] = message_view(message);
        append(message, bytes + i, 1);
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        body_expect_bytes(views[i], bytes, i);
    message_clear(message);
    append(message, "overwritten?", 12);
    for (size_t i = 0; i < sizeof bytes; i++) {
        body_expect_bytes(views[i], bytes, i);
        message_free(views[i]);
    }
}

UNIT_TEST(packing_into_a_view_does_not_change_the_original)
{
    OWN struct message *message = make("abc", 3, SMALL);
    OWN struct message *view = message_view(message);
    append(view, "VIEW", 4);
    append(message, "own", 3);
    body_expect_bytes(message, "abcown", 6);
    body_expect_bytes(view, "abcVIEW", 7);
}

UNIT_TEST(view_of_a_view_is_as_good)
{
    struct message *message = make("abc", 3, SMALL);
    struct message *view = message_view(message);
    OWN struct message *second = message_view(view);
    message_free(message);
    message_free(view);
    body_expect_bytes(second, "abc", 3);
}

/* Reading -------------------------------------------------------------------------------------- */

UNIT_TEST(peek_steps_over_empty_segments)
{
    struct chunk *chunk = chunk_new(4);
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    const size_t lengths[] = {0, 0, 2, 0, 1, 0};
    memcpy(chunk->data, "abcd", 4);
    for (size_t i = 0, at = 0; i < COUNT_OF(lengths); at += lengths[i++])
        assert_int_equal(message_append(message, chunk, chunk->data + at, lengths[i]), 0);
    chunk_release(chunk);

    struct cursor cursor = {0, 0};
    size_t available = 0;
    assert_memory_equal(message_peek(message, &cursor, &available), "ab", 2);
    assert_int_equal(available, 2);
    cursor.offset = 1;
    assert_memory_equal(message_peek(message, &cursor, &available), "b", 1);
    assert_int_equal(available, 1);
    cursor.offset = 2;
    assert_memory_equal(message_peek(message, &cursor, &available), "c", 1);
    assert_int_equal(available, 1);
    cursor.offset = 1;
    for (int again = 0; again < 2; again++) {
        available = 1;
        assert_null(message_peek(message, &cursor, &available));
        assert_int_equal(available, 0);
        assert_int_equal(message_remaining(message, cursor), 0);
    }
}

UNIT_TEST(remaining_counts_down_with_the_cursor)
{
    unsigned char bytes[3 * SMALL + 5];
    body_fill(bytes, sizeof bytes, 0);
    OWN struct message *message = make(bytes, sizeof bytes, SMALL);
    struct cursor cursor = {0, 0};
    for (size_t left = sizeof bytes; left > 0; left--) {
        size_t available;
        assert_int_equal(message_remaining(message, cursor), left);
        assert_non_null(message_peek(message, &cursor, &available));
        assert_int_equal(message_remaining(message, cursor), left);
        assert_int_equal(available, left <= 5 ? left : (left - 6) % SMALL + 1);
        cursor.offset++;
    }
    assert_int_equal(message_remaining(message, cursor), 0);
}

/* Clearing ------------------------------------------------------------------------------------- */

/* Packs `size` bytes, `piece` at a time, into a message that is renewed; gives the allocations. */
static unsigned long renewed(struct message *message, size_t size, size_t piece)
{
    unsigned long before = shortage_allocations();
    message_renew(message, MESSAGE_XDR, 64);
    assert_int_equal(message->length + message->segment_count, 0);
    for (size_t done = 0, granted; done < size; done += granted) {
        size_t want = piece < size - done ? piece : size - done;
        unsigned char *to = message_reserve(message, want, 1, &granted);
        assert_non_null(to);
        memset(to, (int)(done & 0xff), granted);
        message_commit(message, granted);
    }
    assert_int_equal(message->length, size);
    return shortage_allocations() - before;
}

UNIT_TEST(renewed_message_needs_no_more_memory)
{
    OWN struct message *message = message_new(MESSAGE_XDR, 64);
    for (size_t size = 1; size < 100000; size *= 7) {
        renewed(message, size, 8);
        renewed(message, size, 8);
        assert_int_equal(renewed(message, size, 8), 0);
        assert_int_equal(renewed(message, size / 2, 8), 0);
        assert_int_equal(renewed(message, size, 8), 0);
    }
}

/* What a view holds is not packed over. */
UNIT_TEST(renewed_message_leaves_views_alone)
{
    OWN struct message *message = message_new(MESSAGE_XDR, 64);
    renewed(message, 100, 100);
    OWN struct message *view = message_view(message);
    unsigned char *before = body_bytes(view);
    assert_true(renewed(message, 90, 100) > 0);
    memset(message->segments[0].data, 0xee, 8);
    body_expect_bytes(view, before, 100);
    free(before);
}

/* A chunk of an unusual size is given back, and the application's memory is no measure. */
UNIT_TEST(renewed_message_keeps_a_bounded_chunk)
{
    OWN struct message *message = message_new(MESSAGE_XDR, 64);
    renewed(message, 8u << 20, 8u << 20);
    message_renew(message, MESSAGE_IN_PLACE, 64);
    assert_null(message->kept);
    message_append_memory(message, "text", 1u << 20);
    assert_int_equal(renewed(message, 8, 8), 1);
    assert_true(message->segments[0].chunk->capacity <= 64);
}

UNIT_TEST(cleared_message_starts_over)
{
    struct chunk *chunk = chunk_new(5);
    OWN struct message *message = make("abcdefghijklmnopqrstuvwxyz", 26, SMALL);
    memcpy(chunk->data, "slice", 5);
    message->header.tag = 9;
    assert_int_equal(message_append(message, chunk, chunk->data, 5), 0);
    message_clear(message);
    assert_true(chunk_is_unshared(chunk));
    chunk_release(chunk);
    body_expect_hex(message, "");
    assert_int_equal(message->header.tag, 9);
    append(message, "again", 5);
    append(message, "!", 1);
    EXPECT_FRAGMENTS(message, 6);
    body_expect_bytes(message, "again!", 6);
}

UNIT_TEST(embedded_message_lives_in_its_owner)
{
    struct message message;
    long before = shortage_live();
    memset(&message, 0xee, sizeof message);
    message_init(&message, MESSAGE_XDR, SMALL);
    for (int i = 0; i < 10; i++)
        append(&message, "abcdefghijkl", 12);
    assert_int_equal(message.segment_count, 10);
    assert_int_equal(message.length, 120);
    message_finish(&message);
    assert_int_equal(shortage_live(), before);
}

/* Shortage ------------------------------------------------------------------------------------- */

/*
 * Fills one message beyond its inline segments; memory may end at any step, and all steps before it
 * stand.
 */
static void append_scenario(void)
{
    unsigned char bytes[8 * SMALL];
    OWN struct message *message = message_new(MESSAGE_XDR, SMALL);
    size_t done = 0;
    body_fill(bytes, sizeof bytes, 1);
    while (message && done < sizeof bytes) {
        size_t granted;
        unsigned char *to = message_reserve(message, 7, 1, &granted);
        if (!to)
            break;
        granted = granted < sizeof bytes - done ? granted : sizeof bytes - done;
        memcpy(to, bytes + done, granted);
        message_commit(message, granted);
        done += granted;
    }
    assert_int_equal(done < sizeof bytes, shortage_was_met());
    if (message)
        body_expect_bytes(message, bytes, done);
}

UNIT_TEST(appending_in_a_shortage_keeps_what_was_there)
{
    shortage_try_each(append_scenario, 5);
}

static struct message *shared_source;

static void view_scenario(void)
{
    struct message *view = message_view(shared_source);
    assert_int_equal(view == NULL, shortage_was_met());
    if (view)
        body_expect_fragments(view, (const size_t[]){SMALL, SMALL, SMALL, SMALL, SMALL, 1}, 6);
    message_free(view);
    assert_int_equal(atomic_load(&shared_source->segments[0].chunk->references), 6);
}

static void rest_scenario(void)
{
    struct message *message = message_new(MESSAGE_XDR, SMALL);
    int error = message ? message_append_rest(message, shared_source, (struct cursor){0, 1}) : 0;
    assert_int_equal(!message || error < 0, shortage_was_met());
    if (error < 0) {
        assert_int_equal(error, PvmNoMem);
        body_expect_fragments(message, NULL, 0);
        assert_int_equal(message->length, 0);
    }
    message_free(message);
    assert_int_equal(atomic_load(&shared_source->segments[0].chunk->references), 6);
}

UNIT_TEST(sharing_in_a_shortage_shares_nothing)
{
    unsigned char bytes[5 * SMALL + 1];
    body_fill(bytes, sizeof bytes, 1);
    shared_source = make(bytes, sizeof bytes, SMALL); /* one chunk, held by six segments */
    shortage_try_each(view_scenario, 2);
    shortage_try_each(rest_scenario, 2);
    body_expect_bytes(shared_source, bytes, sizeof bytes);
    message_free(shared_source);
}
