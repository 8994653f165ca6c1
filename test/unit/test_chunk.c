/* test_chunk.c - chunks live as long as somebody holds them, and no longer. */
#include "core/chunk.h"

#include <pthread.h>

#include "shortage.h"
#include "unit.h"

#define THREADS 4
#define TURNS   20000

UNIT_TEST(new_chunk_is_writable_to_its_end)
{
    struct chunk *chunk = chunk_new(4033);
    assert_non_null(chunk);
    assert_int_equal(chunk->capacity, 4033);
    memset(chunk->data, 0xa5, chunk->capacity);
    assert_int_equal(chunk->data[4032], 0xa5);
    assert_true(chunk_is_unshared(chunk));
    chunk_release(chunk);
}

UNIT_TEST(last_release_frees)
{
    long before = shortage_live();
    struct chunk *chunk = chunk_new(8);
    assert_ptr_equal(chunk_hold(chunk), chunk);
    assert_ptr_equal(chunk_hold(chunk), chunk);
    chunk_release(chunk);
    assert_false(chunk_is_unshared(chunk));
    assert_int_equal(shortage_live(), before + 1);
    chunk_release(chunk);
    assert_true(chunk_is_unshared(chunk));
    assert_int_equal(shortage_live(), before + 1);
    chunk_release(chunk);
    assert_int_equal(shortage_live(), before);
}

UNIT_TEST(no_chunk_is_released_in_peace)
{
    chunk_release(chunk_hold(NULL));
}

UNIT_TEST(sizes_beyond_memory_are_refused)
{
    unsigned long before = shortage_allocations();
    for (size_t less = 0; less < sizeof(struct chunk); less++)
        assert_null(chunk_new(SIZE_MAX - less));
    /* They were refused before the sum with the header wraps to a small size. */
    assert_int_equal(shortage_allocations(), before);
}

static void shortage_scenario(void)
{
    struct chunk *chunk = chunk_new(1);
    assert_int_equal(!chunk, shortage_was_met());
    chunk_release(chunk);
}

UNIT_TEST(shortage_gives_no_chunk)
{
    shortage_try_each(shortage_scenario, 1);
}

static void *hold_and_release(void *argument)
{
    struct chunk *chunk = argument;
    for (int i = 0; i < TURNS; i++) {
        chunk_hold(chunk);
        chunk_release(chunk);
    }
    chunk_release(chunk);
    return NULL;
}

UNIT_TEST(any_thread_may_hold_and_release)
{
    pthread_t threads[THREADS];
    struct chunk *chunk = chunk_new(1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hold_and_release, chunk_hold(chunk)), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(chunk_is_unshared(chunk));
    chunk_release(chunk);
}
