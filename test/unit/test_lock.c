/*
 * test_lock.c - locks exclude, threads sleep by the monotonic clock, and debug builds insist on the
 * order.
 */
#include "ck/base/sleepers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#define THREADS 4
#define TURNS   20000

static struct lock lock;
static struct sleepers sleepers;
static unsigned long total;

UNIT_STEP(start)
{
    lock_init(&lock, LOCK_INBOX);
    sleepers_start(&sleepers);
    total = 0;
    return 0;
}

UNIT_STEP(finish)
{
    sleepers_finish(&sleepers);
    lock_destroy(&lock);
    return 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

/* Before the others, which start threads. */
TEST(one_thread_alone_needs_no_mutex)
{
    const struct timespec past = {0, 1};
    bool alone = __libc_single_threaded;
    lock_acquire(&lock);
    assert_true(lock.alone == alone);
    assert_int_equal(sleepers_sleep(&sleepers, &lock, &past), ETIMEDOUT); /* for this it does */
    assert_false(lock.alone);
    assert_false(lock_is_free(&lock));
    lock_release(&lock);
    assert_true(lock_is_free(&lock));
}

static void *count(void *argument)
{
    for (int i = 0; i < TURNS; i++) {
        lock_acquire(&lock);
        total++;
        lock_release(&lock);
    }
    return argument;
}

TEST(one_thread_at_a_time)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(total, THREADS * TURNS);
}

TEST(a_patient_lock_is_a_lock)
{
    lock_destroy(&lock);
    lock_init_patient(&lock, LOCK_INBOX);
    one_thread_at_a_time(state);
}

static void *signal_once(void *argument)
{
    lock_acquire(&lock);
    total = 1;
    sleepers_wake_one(&sleepers);
    lock_release(&lock);
    return argument;
}

TEST(wait_gives_the_lock_up)
{
    pthread_t thread;
    lock_acquire(&lock);
    assert_int_equal(pthread_create(&thread, NULL, signal_once, NULL), 0);
    while (total == 0)
        assert_int_equal(sleepers_sleep(&sleepers, &lock, NULL), 0);
    lock_release(&lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/*
 * One second after the machine was started is past by the monotonic clock, whatever the calendar
 * says.
 */
TEST(deadline_in_the_past_is_over)
{
    const struct timespec past = {1, 0};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_true(now.tv_sec > past.tv_sec);
    lock_acquire(&lock);
    assert_int_equal(sleepers_sleep(&sleepers, &lock, &past), ETIMEDOUT);
    lock_release(&lock);
}

#ifdef PVM_DEBUG

/* Not all pairs are tried, since each takes a process of its own. */
#define RANK_STEP 3

/*
 * What becomes of a process that takes a lock of rank `second` while it holds one of rank
 * `first`.
 */
static int status_of_order(unsigned first, unsigned second)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        struct lock locks[2];
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL); /* not the handler of the test's framework */
        fclose(stderr);
        lock_init(&locks[0], first);
        lock_init(&locks[1], second);
        lock_acquire(&locks[0]);
        lock_acquire(&locks[1]);
        lock_release(&locks[1]);
        lock_acquire(&locks[1]); /* a released lock may be taken again */
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

UNIT_TEST(wrong_order_ends_the_program)
{
    for (unsigned first = 0; first < LOCK_RANKS; first += RANK_STEP)
        for (unsigned second = 0; second < LOCK_RANKS; second += RANK_STEP) {
            int status = status_of_order(first, second);
            if (first < second)
                assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            else
                assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        }
}

#endif
