/* test_daemon_line_writer.c - what becomes of lines when there is no room for them? */
#include "daemon/base/line_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

static const char line[] = "0123456789012345678901234567890\n";
#define LINE_SIZE (sizeof line - 1)

static bool put(struct line_writer *writer)
{
    return line_writer_put(writer, line, LINE_SIZE);
}

/* Everything that can be read now. */
static char *drain(int fd)
{
    static char text[1 << 20];
    size_t size = 0;
    ssize_t part;
    while ((part = read(fd, text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)part;
    text[size] = '\0';
    return text;
}

/* Fills what is behind `fd`, empties it by way of `reader`, and goes on. */
static void fill_and_go_on(int fd, int reader)
{
    struct line_writer writer = {.fd = fd};
    char told[64];
    fcntl(reader, F_SETFL, O_NONBLOCK);
    assert_true(put(&writer));
    while (put(&writer))
        continue;
    assert_int_equal(writer.error, EAGAIN);
    assert_false(put(&writer));
    assert_false(put(&writer));
    drain(reader);
    assert_true(put(&writer));
    snprintf(told, sizeof told, "*** 3 lines are missing here: %s\n", strerror(EAGAIN));
    const char *text = drain(reader);
    text += writer.cut || *text == '\n';
    assert_memory_equal(text, told, strlen(told));
    assert_string_equal(text + strlen(told), line);
    close(fd);
    close(reader);
}

UNIT_TEST(a_full_pipe_is_not_waited_for)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fill_and_go_on(ends[1], ends[0]);
}

UNIT_TEST(a_full_socket_is_not_waited_for)
{
    int ends[2], room = 4096;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    fill_and_go_on(ends[0], ends[1]);
}

UNIT_TEST(nobody_is_at_the_other_end)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    struct line_writer writer = {.fd = ends[1]};
    assert_false(put(&writer));
    assert_int_equal(writer.error, EPIPE);
    close(ends[1]);
}

UNIT_TEST(a_full_disk_loses_lines_and_says_so)
{
    struct line_writer writer = {.fd = open("/dev/full", O_WRONLY | O_CLOEXEC)};
    assert_false(put(&writer));
    assert_false(put(&writer));
    assert_int_equal(writer.error, ENOSPC);
    assert_int_equal(writer.lost, 2);
    close(writer.fd);
}

/* The last line before the end of the room is there in part: what follows begins a line. */
UNIT_TEST(a_file_that_may_not_grow_gets_whole_lines_later)
{
    char path[] = "/tmp/line_writer.XXXXXX", expected[256];
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    struct line_writer writer = {.fd = mkstemp(path)};
    assert_true(writer.fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = LINE_SIZE + 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_true(put(&writer));
    assert_false(put(&writer));
    assert_false(put(&writer));
    assert_int_equal(writer.error, EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(put(&writer));
    snprintf(expected, sizeof expected, "%s%.10s\n*** 2 lines are missing here: %s\n%s", line, line,
             strerror(EFBIG), line);
    assert_int_equal(lseek(writer.fd, 0, SEEK_SET), 0);
    assert_string_equal(drain(writer.fd), expected);
    close(writer.fd);
}
