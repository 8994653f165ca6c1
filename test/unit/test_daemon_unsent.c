/* test_daemon_unsent.c - does the system hold back as little as a connection's rate allows? */
#include "daemon/base/unsent.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

#define KILOBYTE 1000u
#define MEGABYTE 1000000u

static uint32_t adapted(uint32_t present, uint64_t rate)
{
    struct unsent unsent = {.bytes = present};
    unsent_adapt(&unsent, rate, UNSENT_PAUSE);
    return unsent.bytes;
}

UNIT_TEST(it_falls_to_a_moment_of_the_rate)
{
    assert_int_equal(adapted(2 * MEGABYTE, 250 * MEGABYTE), 500 * KILOBYTE);
    assert_int_equal(adapted(MEGABYTE, 12 * MEGABYTE), UNSENT_LEAST);
    assert_int_equal(adapted(MEGABYTE, 0), UNSENT_LEAST);
}

UNIT_TEST(small_changes_are_none)
{
    assert_int_equal(adapted(UNSENT_LEAST, 0), UNSENT_LEAST);
    assert_int_equal(adapted(MEGABYTE, 251 * MEGABYTE), MEGABYTE);
    assert_int_equal(adapted(MEGABYTE, 999 * MEGABYTE), MEGABYTE);
    assert_int_equal(adapted(MEGABYTE, 1000 * MEGABYTE), 2 * MEGABYTE);
}

/* What it was allowed for a burst is taken back before it is much. */
UNIT_TEST(it_grows_by_steps_and_not_soon)
{
    struct unsent unsent;
    int64_t now = 1000;
    unsent_start(&unsent, now);
    for (uint32_t expected = UNSENT_LEAST; expected < UNSENT_MOST; expected *= 2) {
        unsent_adapt(&unsent, UINT64_MAX, now + UNSENT_PAUSE - 1);
        assert_int_equal(unsent.bytes, expected);
        now += UNSENT_PAUSE;
        unsent_adapt(&unsent, UINT64_MAX, now);
        assert_int_equal(unsent.bytes, 2 * expected);
    }
    unsent_adapt(&unsent, UINT64_MAX, now + UNSENT_PAUSE);
    assert_int_equal(unsent.bytes, UNSENT_MOST);
}

/* A connection of this host with itself. */
static void connect_two(int *near, int *far)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    *near = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(connect(*near, (struct sockaddr *)&address, size), 0);
    *far = accept(listener, NULL, NULL);
    assert_true(*far >= 0);
    close(listener);
}

static uint32_t as_set(int fd)
{
    uint32_t bytes = 0;
    socklen_t size = sizeof bytes;
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, &size), 0);
    return bytes;
}

/* The other end takes everything, each time that no more is taken here. */
UNIT_TEST(the_system_is_told)
{
    static char bytes[1 << 16];
    int near, far;
    struct unsent unsent;
    connect_two(&near, &far);
    unsent_start(&unsent, 0);
    unsent_set(&unsent, near);
    assert_int_equal(as_set(near), UNSENT_LEAST);
    for (int full = 0; full < 100; full++) {
        while (send(near, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
            continue;
        assert_int_equal(errno, EAGAIN);
        unsent_look(&unsent, near, full * UNSENT_PAUSE);
        assert_in_range(unsent.bytes, UNSENT_LEAST, UNSENT_MOST);
        assert_int_equal(as_set(near), unsent.bytes);
        while (recv(far, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
            continue;
    }
    close(near);
    close(far);
}

UNIT_TEST(what_is_no_connection_changes_nothing)
{
    int pair[2];
    struct unsent unsent = {.bytes = MEGABYTE};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    unsent_look(&unsent, pair[0], UNSENT_PAUSE);
    assert_int_equal(unsent.bytes, MEGABYTE);
    close(pair[0]);
    close(pair[1]);
}
