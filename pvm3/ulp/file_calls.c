/* file_calls.c - the calls and their names. */
#include "ulp/file_calls.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ulp/blocking_calls.h"
#include "ulp/calls.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

static struct files *own(void)
{
    return &room_owner()->files;
}

/* Descriptors. --------------------------------------------------------------------------------- */

/* Whether the flags of open call for a mode behind them. */
static bool has_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

static int own_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return files_add(own(), open(path, flags, mode));
}

static int own_open_checked(const char *path, int flags)
{
    return files_add(own(), open(path, flags, 0));
}

static int own_openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return files_add(own(), openat(folder, path, flags, mode));
}

static int own_creat(const char *path, mode_t mode)
{
    return files_add(own(), creat(path, mode));
}

static int own_mkstemp(char *path)
{
    return files_add(own(), mkstemp(path));
}

static int own_dup(int descriptor)
{
    return files_add(own(), dup(descriptor));
}

static int own_socket(int domain, int type, int protocol)
{
    return files_add(own(), socket(domain, type, protocol));
}

static int own_accept(int descriptor, struct sockaddr *address, socklen_t *size)
{
    blocking_call_begin(blocking_call_is_ready(descriptor, POLLIN));
    int fresh = accept(descriptor, address, size);
    blocking_call_end();
    return files_add(own(), fresh);
}

static int own_pipe(int *descriptors)
{
    int result = pipe(descriptors);
    if (result == 0) {
        files_add(own(), descriptors[0]);
        files_add(own(), descriptors[1]);
    }
    return result;
}

static int own_close(int descriptor)
{
    files_drop(own(), descriptor);
    return close(descriptor);
}

/* Streams. ------------------------------------------------------------------------------------- */

static FILE *own_fopen(const char *path, const char *mode)
{
    return files_add_stream(own(), fopen(path, mode));
}

/* From now on the stream closes the descriptor. */
static FILE *own_fdopen(int descriptor, const char *mode)
{
    FILE *stream = fdopen(descriptor, mode);
    if (stream)
        files_drop(own(), descriptor);
    return files_add_stream(own(), stream);
}

static FILE *own_tmpfile(void)
{
    return files_add_stream(own(), tmpfile());
}

static int own_fclose(FILE *stream)
{
    files_drop_stream(own(), stream);
    return fclose(stream);
}

static const struct call calls[] = {
    {"open", (void *)own_open},
    {"open64", (void *)own_open},
    {"__open_2", (void *)own_open_checked},
    {"__open64_2", (void *)own_open_checked},
    {"openat", (void *)own_openat},
    {"openat64", (void *)own_openat},
    {"creat", (void *)own_creat},
    {"creat64", (void *)own_creat},
    {"mkstemp", (void *)own_mkstemp},
    {"mkstemp64", (void *)own_mkstemp},
    {"dup", (void *)own_dup},
    {"socket", (void *)own_socket},
    {"accept", (void *)own_accept},
    {"pipe", (void *)own_pipe},
    {"close", (void *)own_close},
    {"fopen", (void *)own_fopen},
    {"fopen64", (void *)own_fopen},
    {"fdopen", (void *)own_fdopen},
    {"tmpfile", (void *)own_tmpfile},
    {"tmpfile64", (void *)own_tmpfile},
    {"fclose", (void *)own_fclose},
};

void *file_call_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}
