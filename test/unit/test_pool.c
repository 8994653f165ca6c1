/* test_pool.c - what is given comes back, nothing twice, and never more than the pool may keep. */
#include "core/pool.h"

#include <pthread.h>

#include "core/chunk.h"
#include "core/message.h"

#include "shortage.h"
#include "unit.h"

#define THREADS 4
#define TURNS   20000
#define MOST    5

UNIT_TEST(nothing_comes_from_an_empty_pool)
{
    struct pool pool;
    pool_start(&pool, MOST);
    assert_null(pool_take(&pool));
    pool_finish(&pool, free);
}

UNIT_TEST(pool_keeps_a_bounded_number)
{
    struct pool pool;
    char pieces[MOST + 1];
    pool_start(&pool, MOST);
    for (int i = 0; i < MOST; i++)
        assert_true(pool_give(&pool, &pieces[i]));
    assert_false(pool_give(&pool, &pieces[MOST]));
    for (int i = MOST - 1; i >= 0; i--)
        assert_ptr_equal(pool_take(&pool), &pieces[i]);
    assert_null(pool_take(&pool));
    pool_finish(&pool, free);
}

UNIT_TEST(pool_that_somebody_is_at_is_left_alone)
{
    struct pool pool;
    char piece;
    pool_start(&pool, MOST);
    assert_true(pool_give(&pool, &piece));
    assert_false(atomic_exchange(&pool.busy, true));
    assert_null(pool_take(&pool));
    assert_false(pool_give(&pool, &piece));
    atomic_store(&pool.busy, false);
    assert_ptr_equal(pool_take(&pool), &piece);
    pool_finish(&pool, free);
}

static int discarded;

static void count_discarded(void *piece)
{
    (void)piece;
    discarded++;
}

/* Another thread, which takes a piece and gives it back. */
static void *borrow(void *argument)
{
    struct pool *pool = argument;
    void *piece = pool_take(pool);
    if (piece)
        assert_true(pool_give(pool, piece));
    return piece;
}

static void *in_a_thread(struct pool *pool)
{
    pthread_t thread;
    void *piece;
    assert_int_equal(pthread_create(&thread, NULL, borrow, pool), 0);
    assert_int_equal(pthread_join(thread, &piece), 0);
    return piece;
}

/* Once the process has had two threads: until then nobody keeps anything apart. */
UNIT_TEST(threads_keep_pieces_for_themselves)
{
    static struct pool_parts parts;
    struct pool pool;
    char pieces[POOL_PART + 1];
    discarded = 0;
    pool_start(&pool, MOST);
    pool_divide(&pool, &parts);
    assert_null(in_a_thread(&pool));
    for (int i = 0; i < POOL_PART; i++)
        assert_true(pool_give(&pool, &pieces[i]));
    assert_int_equal(pool.count, 0);
    assert_null(in_a_thread(&pool));
    assert_true(pool_give(&pool, &pieces[POOL_PART])); /* the own part is full */
    assert_int_equal(pool.count, 1);
    assert_ptr_equal(in_a_thread(&pool), &pieces[POOL_PART]);
    for (int i = POOL_PART - 1; i >= 0; i--)
        assert_ptr_equal(pool_take(&pool), &pieces[i]);
    pool_finish(&pool, count_discarded);
    assert_int_equal(discarded, 1); /* that of the other thread */
}

UNIT_TEST(chunks_and_messages_come_back)
{
    long before = shortage_live();
    struct pool chunks, messages;
    pool_start(&chunks, 1);
    pool_start(&messages, 1);
    struct chunk *chunk = chunk_new_from(&chunks, 100);
    struct message *message = message_new_from(&messages, MESSAGE_XDR, 64);
    for (int i = 0; i < 10; i++)
        assert_int_equal(message_append(message, chunk, chunk->data, 10), 0);
    message_free(message);
    assert_true(chunk_is_unshared(chunk));
    chunk_release(chunk);
    unsigned long allocations = shortage_allocations();
    struct chunk *second = chunk_new_from(&chunks, 100);
    struct message *again = message_new_from(&messages, MESSAGE_IN_PLACE, 128);
    assert_ptr_equal(second, chunk);
    assert_ptr_equal(again, message);
    assert_true(chunk_is_unshared(second));
    assert_int_equal(again->header.encoding, MESSAGE_IN_PLACE);
    assert_int_equal(again->length + again->segment_count, 0);
    for (int i = 0; i < 10; i++)
        assert_int_equal(message_append(again, second, second->data, 10), 0);
    assert_int_equal(shortage_allocations(), allocations);
    message_free(again);
    chunk_release(second);
    pool_finish(&chunks, free);
    pool_finish(&messages, message_discard);
    assert_int_equal(shortage_live(), before);
}

/* Of a message that comes back only what is short, whole and nobody else's is kept. */
UNIT_TEST(memory_of_a_short_body_stays_with_a_message)
{
    static const char text[MESSAGE_SHORT + 1] = "short";
    long before = shortage_live();
    struct pool messages;
    pool_start(&messages, 2);
    struct message *message = message_new_from(&messages, MESSAGE_XDR, 64);
    assert_int_equal(message_append_copy(message, text, sizeof text), 0);
    message_free(message); /* too much to keep */
    unsigned long allocations = shortage_allocations();
    message = message_new_from(&messages, MESSAGE_XDR, 64);
    unsigned char *room = message_append_room(message, 3);
    assert_int_equal(shortage_allocations(), allocations + 1);
    struct message *view = message_view(message);
    message_free(message); /* the view has its memory, too */
    message = message_new_from(&messages, MESSAGE_XDR, 64);
    assert_ptr_not_equal(message_append_room(message, 3), room);
    message_free(view);
    message_free(message);
    allocations = shortage_allocations();
    for (int i = 0; i < 10; i++) {
        message = message_new_from(&messages, MESSAGE_XDR, 64);
        assert_non_null(message_append_room(message, MESSAGE_SHORT));
        message_free(message);
    }
    assert_int_equal(shortage_allocations(), allocations);
    message = message_new_from(&messages, MESSAGE_XDR, MESSAGE_SHORT + 1);
    size_t granted; /* a whole segment does not fit into what is kept */
    assert_non_null(message_reserve(message, 1, 1, &granted));
    assert_true(message->segments->chunk->capacity > MESSAGE_SHORT);
    message_free(message);
    pool_finish(&messages, message_discard);
    assert_int_equal(shortage_live(), before);
}

static struct pool shared;

/* A piece is a counter that only its owner touches: one that two had would lose a count. */
static void *take_and_give(void *argument)
{
    for (int taken = 0; taken < TURNS;) {
        long *piece = pool_take(&shared);
        if (piece) {
            ++*piece;
            taken++;
            while (!pool_give(&shared, piece))
                continue;
        }
    }
    return argument;
}

UNIT_TEST(room_of_the_owner_is_used_whole)
{
    static int pieces[2 * POOL_MOST + 1];
    void *room[2 * POOL_MOST];
    struct pool pool;
    pool_start_in(&pool, room, 2 * POOL_MOST);
    for (int i = 0; i < 2 * POOL_MOST; i++)
        assert_true(pool_give(&pool, &pieces[i]));
    assert_false(pool_give(&pool, &pieces[2 * POOL_MOST]));
    for (int i = 2 * POOL_MOST; i-- > 0;)
        assert_ptr_equal(pool_take(&pool), &pieces[i]);
    assert_null(pool_take(&pool));
}

UNIT_TEST(no_piece_is_two_threads_at_once)
{
    pthread_t threads[THREADS];
    long pieces[2] = {0};
    pool_start(&shared, POOL_MOST);
    for (int i = 0; i < 2; i++)
        assert_true(pool_give(&shared, &pieces[i]));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(pieces[0] + pieces[1], THREADS * TURNS);
}
