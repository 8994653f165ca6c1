/* Is a doorbell heard each time without being answered, and can nobody who has it be in the way? */
#include "ck/base/doorbell.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

/* A process that does not get on is ended by SIGALRM. */
enum { SETS = 2, RINGS = 3, MUCH_TIME = 60 };

static int bell, sets[SETS];

UNIT_STEP(start)
{
    bell = doorbell_make();
    for (int i = 0; i < SETS; i++) {
        sets[i] = epoll_create1(EPOLL_CLOEXEC);
        if (!doorbell_watch(bell, sets[i]))
            return -1;
    }
    alarm(MUCH_TIME);
    return bell < 0;
}

UNIT_STEP(finish)
{
    alarm(0);
    for (int i = 0; i < SETS; i++)
        close(sets[i]);
    return close(bell);
}

static int told_of(int set)
{
    struct epoll_event events[2];
    int count = epoll_wait(set, events, 2, 0);
    if (count > 0)
        assert_null(events[0].data.ptr);
    return count;
}

static void expect_to_hear(void)
{
    for (int ring = 0; ring < RINGS; ring++) {
        for (int i = 0; i < SETS; i++)
            assert_int_equal(told_of(sets[i]), 0);
        doorbell_ring(bell);
        for (int i = 0; i < SETS; i++)
            assert_int_equal(told_of(sets[i]), 1);
    }
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(each_ring_is_heard_once_in_each_set)
{
    expect_to_hear();
    doorbell_ring(bell);
    doorbell_ring(bell);
    assert_int_equal(told_of(sets[0]), 1);
    assert_int_equal(told_of(sets[0]), 0);
}

TEST(poll_leaves_what_is_rung)
{
    struct pollfd one = {.fd = sets[0], .events = POLLIN};
    assert_int_equal(poll(&one, 1, 0), 0);
    doorbell_ring(bell);
    for (int i = 0; i < 3; i++)
        assert_int_equal(poll(&one, 1, 0), 1);
    assert_int_equal(told_of(sets[0]), 1);
    assert_int_equal(poll(&one, 1, 0), 0);
}

TEST(reader_takes_nothing_that_matters)
{
    uint64_t count;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(read(bell, &count, sizeof count), sizeof count);
        assert_int_equal(count, 1);
    }
    expect_to_hear();
}

TEST(writer_fills_nothing_that_matters)
{
    const uint64_t half = UINT64_MAX / 2, one = 1;
    assert_int_equal(write(bell, &half, sizeof half), sizeof half);
    assert_int_equal(write(bell, &one, sizeof one), -1); /* it is full */
    assert_int_equal(fcntl(bell, F_SETFL, 0), 0);        /* and who adds to it waits */
    for (int i = 0; i < SETS; i++)
        assert_int_equal(told_of(sets[i]), 1);
    expect_to_hear();
}

TEST(others_are_no_doorbells)
{
    int one[2], pair[2];
    assert_int_equal(pipe(one), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    int others[] = {one[0],
                    one[1],
                    pair[0],
                    pair[1],
                    open("/dev/zero", O_RDWR | O_CLOEXEC),
                    open("/", O_RDONLY | O_CLOEXEC),
                    open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
    assert_true(doorbell_is_one(bell));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_true(others[i] >= 0);
        assert_false(doorbell_is_one(others[i]));
        close(others[i]);
    }
    assert_false(doorbell_is_one(-1));
}
