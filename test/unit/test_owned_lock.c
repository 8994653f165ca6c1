/* test_owned_lock.c - who owns a lock, and how it is lost; it excludes before, then and after. */
#include "ck/base/owned_lock.h"

#include <time.h>

#include "unit.h"

#define THREADS 3
#define ROUNDS  200
#define TURNS   200

static struct owned_lock lock;
static unsigned long total;

UNIT_STEP(start)
{
    assert_true(owned_lock_is_possible());
    owned_lock_init(&lock, LOCK_INBOX, true);
    total = 0;
    return 0;
}

UNIT_STEP(finish)
{
    owned_lock_destroy(&lock);
    return 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static void *count(void *argument)
{
    for (int i = 0; i < TURNS; i++) {
        owned_lock_acquire(&lock);
        total++;
        owned_lock_release(&lock);
    }
    return argument;
}

TEST(the_owner_leaves_the_mutex_alone)
{
    owned_lock_acquire(&lock);
    assert_true(lock_is_free(&lock.lock));
    assert_false(owned_lock_is_free(&lock));
    owned_lock_release(&lock);
    assert_true(owned_lock_is_free(&lock));
    assert_false(owned_lock_is_shared(&lock));
}

static void *take(void *argument)
{
    owned_lock_acquire(&lock);
    assert_false(lock_is_free(&lock.lock));
    owned_lock_release(&lock);
    return argument;
}

TEST(another_thread_ends_that_for_good)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, take, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(owned_lock_is_shared(&lock));
    owned_lock_acquire(&lock);
    assert_false(owned_lock_is_free(&lock));
    owned_lock_release(&lock);
    assert_true(owned_lock_is_free(&lock));
}

TEST(a_lock_of_nobody_is_shared)
{
    owned_lock_destroy(&lock);
    owned_lock_init(&lock, LOCK_INBOX, false);
    assert_true(owned_lock_is_shared(&lock));
    take(NULL);
}

/* The total is the owner's for as long as it is inside. */
static void *add_one(void *argument)
{
    owned_lock_acquire(&lock);
    assert_int_equal(total, 1);
    total++;
    owned_lock_release(&lock);
    return argument;
}

TEST(who_takes_it_away_waits_for_the_owner)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    pthread_t thread;
    owned_lock_acquire(&lock);
    assert_int_equal(pthread_create(&thread, NULL, add_one, NULL), 0);
    while (!owned_lock_is_shared(&lock))
        sched_yield();
    nanosleep(&moment, NULL); /* it sleeps by now, mostly */
    total++;
    owned_lock_release(&lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(total, 2);
}

/* At any moment of the owner's turns. */
TEST(one_thread_at_a_time)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
        count(NULL);
        for (size_t i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(total, (THREADS + 1) * TURNS);
        finish(NULL);
        start(NULL);
    }
}
