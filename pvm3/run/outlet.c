/* outlet.c - a queue of bytes and its descriptor. */
#include "run/outlet.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/memory.h"

/* A file takes what it gets. */
#define FILE_PIECE (1 << 20)

void outlet_start(struct outlet *outlet, int fd)
{
    struct stat status;
    *outlet = (struct outlet){.fd = fd, .piece = PIPE_BUF, .writer = -1};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        outlet->piece = FILE_PIECE;
}

size_t outlet_waiting(const struct outlet *outlet)
{
    return outlet->end - outlet->begin;
}

static void outlet_make_room(struct outlet *outlet, size_t length)
{
    if (outlet->room - outlet->end >= length)
        return;
    size_t waiting = outlet_waiting(outlet);
    if (waiting > 0)
        memmove(outlet->text, outlet->text + outlet->begin, waiting);
    outlet->begin = 0;
    outlet->end = waiting;
    if (outlet->room - waiting >= length)
        return;
    outlet->room = 2 * (waiting + length);
    outlet->text = memory_resize(outlet->text, outlet->room, 1);
}

static void outlet_append(struct outlet *outlet, const char *text, size_t length)
{
    outlet_make_room(outlet, length);
    memcpy(outlet->text + outlet->end, text, length);
    outlet->end += length;
}

void outlet_add(struct outlet *outlet, int writer, const char *text, size_t length)
{
    if (length == 0 || outlet->error != 0)
        return;
    if (outlet->within_line && outlet->writer != writer)
        outlet_append(outlet, "\n", 1);
    outlet_append(outlet, text, length);
    outlet->within_line = text[length - 1] != '\n';
    outlet->writer = writer;
}

/* False when no more can be written now. */
static bool outlet_write_piece(struct outlet *outlet)
{
    size_t waiting = outlet_waiting(outlet);
    size_t size = waiting < outlet->piece ? waiting : outlet->piece;
    ssize_t written = write(outlet->fd, outlet->text + outlet->begin, size);
    if (written >= 0) {
        outlet->begin += (size_t)written;
    } else if (errno != EINTR && errno != EAGAIN) {
        outlet->error = errno;
        outlet->begin = outlet->end;
    }
    return written >= 0 || errno == EINTR;
}

static bool outlet_is_ready(const struct outlet *outlet, int patience)
{
    struct pollfd fd = {.fd = outlet->fd, .events = POLLOUT};
    return poll(&fd, 1, patience) == 1;
}

void outlet_write(struct outlet *outlet)
{
    while (outlet_waiting(outlet) > 0 && outlet_is_ready(outlet, 0) && outlet_write_piece(outlet))
        ;
}

void outlet_finish(struct outlet *outlet)
{
    while (outlet_waiting(outlet) > 0)
        if (outlet_is_ready(outlet, -1))
            outlet_write_piece(outlet);
    free(outlet->text);
    outlet->text = NULL;
}
