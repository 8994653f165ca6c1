/* line_writer.c - attempts to write. */
#include "daemon/base/line_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Pipes and terminals are shared with others, who would be surprised if theirs did not block: so
 * they are opened once more. Where they cannot be, poll is asked first: a line that fits into a
 * pipe's smallest buffer does not block then, unless others write at the same time.
 */
static ssize_t line_writer_write_shared(int fd, const char *bytes, size_t size)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own >= 0) {
        ssize_t written = write(own, bytes, size);
        int error = errno;
        close(own);
        errno = error;
        return written;
    }
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    if (poll(&room, 1, 0) != 1) {
        errno = EAGAIN;
        return -1;
    }
    return write(fd, bytes, size < PIPE_BUF ? size : PIPE_BUF);
}

static ssize_t line_writer_write(int fd, const char *bytes, size_t size)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    if (S_ISSOCK(status.st_mode))
        return send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (S_ISREG(status.st_mode))
        return write(fd, bytes, size);
    return line_writer_write_shared(fd, bytes, size);
}

/* False when not all of it could be written. */
static bool line_writer_try(struct line_writer *writer, const char *bytes, size_t size)
{
    ssize_t written = line_writer_write(writer->fd, bytes, size);
    if (written == (ssize_t)size)
        return true;
    writer->error = written < 0 ? errno : ENOSPC;
    writer->cut |= written > 0;
    return false;
}

void line_writer_tell(struct line_writer *writer)
{
    char line[256];
    if (writer->lost == 0)
        return;
    int size = snprintf(line, sizeof line, "%s*** %lu lines are missing here: %s\n",
                        writer->cut ? "\n" : "", writer->lost, strerror(writer->error));
    if (!line_writer_try(writer, line, (size_t)size))
        return;
    writer->lost = 0;
    writer->cut = false;
}

bool line_writer_put(struct line_writer *writer, const char *line, size_t size)
{
    line_writer_tell(writer);
    if (writer->lost == 0 && line_writer_try(writer, line, size))
        return true;
    writer->lost++;
    return false;
}
