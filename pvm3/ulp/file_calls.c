/* file_calls.c - the calls and their names. */
#include "ulp/file_calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "ulp/blocking_calls.h"
#include "ulp/calls.h"
#include "ulp/file_numbers.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

static struct files *own(void)
{
    return &room_owner()->files;
}

/* Descriptors. --------------------------------------------------------------------------------- */

/* A regular file gets a number that is likely to be free in another process, too. */
static int number_for(int descriptor)
{
    const struct ulp *ulp = room_owner();
    struct stat status;
    bool may_go = descriptor > STDERR_FILENO && ulp->region && !ulp_has_process(ulp);
    if (!may_go || fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode))
        return descriptor;
    return file_number_for(region_number(ulp->region), descriptor);
}

static int add(int descriptor)
{
    return files_add(own(), number_for(descriptor));
}

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
    return add(open(path, flags, mode));
}

static int own_openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return add(openat(folder, path, flags, mode));
}

/* Defines own_NAME, which notes the descriptor that NAME gives. */
#define OPENS(name, parameters, arguments)                                                         \
    static int own_##name parameters                                                               \
    {                                                                                              \
        return add(name arguments);                                                                \
    }

OPENS(creat, (const char *path, mode_t mode), (path, mode))
OPENS(mkstemp, (char *path), (path))
OPENS(mkostemp, (char *path, int flags), (path, flags))
OPENS(dup, (int descriptor), (descriptor))
OPENS(socket, (int domain, int type, int protocol), (domain, type, protocol))
OPENS(eventfd, (unsigned value, int flags), (value, flags))
OPENS(timerfd_create, (int clock, int flags), (clock, flags))
OPENS(signalfd, (int descriptor, const sigset_t *signals, int flags), (descriptor, signals, flags))
OPENS(epoll_create, (int size), (size))
OPENS(epoll_create1, (int flags), (flags))
OPENS(memfd_create, (const char *name, unsigned flags), (name, flags))

static int own_open_checked(const char *path, int flags)
{
    return add(open(path, flags, 0));
}

static int own_openat_checked(int folder, const char *path, int flags)
{
    return add(openat(folder, path, flags, 0));
}

static int own_accept4(int descriptor, struct sockaddr *address, socklen_t *size, int flags)
{
    blocking_call_begin(blocking_call_is_ready(descriptor, POLLIN));
    int fresh = accept4(descriptor, address, size, flags);
    blocking_call_end();
    return add(fresh);
}

static int own_accept(int descriptor, struct sockaddr *address, socklen_t *size)
{
    return own_accept4(descriptor, address, size, 0);
}

static int add_pair(int result, const int *descriptors)
{
    if (result == 0) {
        files_add(own(), descriptors[0]);
        files_add(own(), descriptors[1]);
    }
    return result;
}

static int own_pipe2(int *descriptors, int flags)
{
    return add_pair(pipe2(descriptors, flags), descriptors);
}

static int own_pipe(int *descriptors)
{
    return own_pipe2(descriptors, 0);
}

static int own_socketpair(int domain, int type, int protocol, int *descriptors)
{
    return add_pair(socketpair(domain, type, protocol, descriptors), descriptors);
}

/* The program says which number. Standard files are the process's. */
static int own_dup3(int descriptor, int number, int flags)
{
    int result = dup3(descriptor, number, flags);
    if (result <= STDERR_FILENO)
        return result;
    files_drop(own(), result);
    return files_add(own(), result);
}

static int own_dup2(int descriptor, int number)
{
    return descriptor == number ? dup2(descriptor, number) : own_dup3(descriptor, number, 0);
}

/* What a lock of the descriptor is noted as. */
static const void *lock_of(int descriptor)
{
    return (const void *)((uintptr_t)descriptor + 1);
}

/* A lock lasts until the file is closed, as far as is noted. */
static int note_lock(int result, int descriptor)
{
    if (result == 0)
        files_add_tie(own(), lock_of(descriptor), "it has locked a file");
    return result;
}

static int own_flock(int descriptor, int operation)
{
    blocking_call_begin(operation & LOCK_NB);
    int result = flock(descriptor, operation);
    blocking_call_end();
    return note_lock(result, descriptor);
}

static int own_lockf(int descriptor, int command, off_t size)
{
    blocking_call_begin(command != F_LOCK);
    int result = lockf(descriptor, command, size);
    blocking_call_end();
    return note_lock(result, descriptor);
}

static int own_fcntl(int descriptor, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    blocking_call_begin(command != F_SETLKW && command != F_OFD_SETLKW);
    int result = fcntl(descriptor, command, argument);
    blocking_call_end();
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return files_add(own(), result);
    bool locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
                 command == F_OFD_SETLKW;
    return locks ? note_lock(result, descriptor) : result;
}

static int own_close(int descriptor)
{
    files_drop(own(), descriptor);
    files_drop_tie(own(), lock_of(descriptor));
    return close(descriptor);
}

/* Streams. ------------------------------------------------------------------------------------- */

/*
 * Around a call that makes a stream, which is to lie in the region, whole. What a conversion of
 * characters needs stays in the C library.
 */
static void stream_begin(const char *mode)
{
    room_lend(!strstr(mode, "ccs="));
}

/* The buffer of a regular file is made now, and not when it is needed. */
static FILE *stream_end(FILE *stream)
{
    struct stat status;
    if (stream && room_lends() && fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode))
        setvbuf(stream, NULL, _IOFBF, 0);
    room_lend(false);
    return stream;
}

static FILE *own_fopen(const char *path, const char *mode)
{
    stream_begin(mode);
    FILE *stream = stream_end(fopen(path, mode));
    if (stream)
        stream->_fileno = number_for(stream->_fileno);
    return files_add_stream(own(), stream);
}

/* From now on the stream closes the descriptor. */
static FILE *own_fdopen(int descriptor, const char *mode)
{
    stream_begin(mode);
    FILE *stream = stream_end(fdopen(descriptor, mode));
    if (stream)
        files_drop(own(), descriptor);
    return files_add_stream(own(), stream);
}

/* Standard streams are the process's. */
static FILE *own_freopen(const char *path, const char *mode, FILE *stream)
{
    if (stream == stdin || stream == stdout || stream == stderr)
        return freopen(path, mode, stream);
    files_drop_stream(own(), stream);
    stream_begin(mode);
    return files_add_stream(own(), stream_end(freopen(path, mode, stream)));
}

static FILE *own_tmpfile(void)
{
    return files_add_stream(own(), tmpfile());
}

static const char in_memory[] = "it has an open stream that writes to memory or reads it";

static FILE *own_open_memstream(char **text, size_t *size)
{
    FILE *stream = open_memstream(text, size);
    files_add_tie(own(), stream, in_memory);
    return stream;
}

static FILE *own_fmemopen(void *memory, size_t size, const char *mode)
{
    FILE *stream = fmemopen(memory, size, mode);
    files_add_tie(own(), stream, in_memory);
    return stream;
}

static int own_fclose(FILE *stream)
{
    files_drop_stream(own(), stream);
    files_drop_tie(own(), stream);
    return fclose(stream);
}

/* What cannot go along. ------------------------------------------------------------------------ */

static const char reads_folder[] = "it reads a folder";

static DIR *own_opendir(const char *path)
{
    DIR *folder = opendir(path);
    files_add_tie(own(), folder, reads_folder);
    return folder;
}

static DIR *own_fdopendir(int descriptor)
{
    DIR *folder = fdopendir(descriptor);
    if (folder)
        files_drop(own(), descriptor);
    files_add_tie(own(), folder, reads_folder);
    return folder;
}

static int own_closedir(DIR *folder)
{
    files_drop_tie(own(), folder);
    return closedir(folder);
}

static void *own_mmap(void *wanted, size_t size, int protection, int flags, int descriptor,
                      off_t offset)
{
    void *memory = mmap(wanted, size, protection, flags, descriptor, offset);
    if (memory != MAP_FAILED)
        files_add_tie(own(), memory,
                      flags & MAP_ANONYMOUS ? "it has memory of mmap" : "it has mapped a file");
    return memory;
}

/* One of which a part is left stays noted. */
static int own_munmap(void *memory, size_t size)
{
    int result = munmap(memory, size);
    if (result == 0)
        files_drop_tie(own(), memory);
    return result;
}

static void *own_shmat(int segment, const void *wanted, int flags)
{
    void *memory = shmat(segment, wanted, flags);
    if ((intptr_t)memory != -1)
        files_add_tie(own(), memory, "it has attached shared memory");
    return memory;
}

static int own_shmdt(const void *memory)
{
    files_drop_tie(own(), memory);
    return shmdt(memory);
}

#define CALL(name)                                                                                 \
    {                                                                                              \
#name, (void *)own_##name                                                                  \
    }

static const struct call calls[] = {
    CALL(open),
    {"open64", (void *)own_open},
    {"__open_2", (void *)own_open_checked},
    {"__open64_2", (void *)own_open_checked},
    CALL(openat),
    {"openat64", (void *)own_openat},
    {"__openat_2", (void *)own_openat_checked},
    {"__openat64_2", (void *)own_openat_checked},
    CALL(creat),
    {"creat64", (void *)own_creat},
    CALL(mkstemp),
    {"mkstemp64", (void *)own_mkstemp},
    CALL(mkostemp),
    {"mkostemp64", (void *)own_mkostemp},
    CALL(dup),
    CALL(dup2),
    CALL(dup3),
    CALL(fcntl),
    {"fcntl64", (void *)own_fcntl},
    CALL(socket),
    CALL(socketpair),
    CALL(accept),
    CALL(accept4),
    CALL(pipe),
    CALL(pipe2),
    CALL(eventfd),
    CALL(timerfd_create),
    CALL(signalfd),
    CALL(epoll_create),
    CALL(epoll_create1),
    CALL(memfd_create),
    CALL(flock),
    CALL(lockf),
    {"lockf64", (void *)own_lockf},
    CALL(close),
    CALL(fopen),
    {"fopen64", (void *)own_fopen},
    CALL(fdopen),
    CALL(freopen),
    {"freopen64", (void *)own_freopen},
    CALL(tmpfile),
    {"tmpfile64", (void *)own_tmpfile},
    CALL(open_memstream),
    CALL(fmemopen),
    CALL(fclose),
    CALL(opendir),
    CALL(fdopendir),
    CALL(closedir),
    CALL(mmap),
    {"mmap64", (void *)own_mmap},
    CALL(munmap),
    CALL(shmat),
    CALL(shmdt),
};

void *file_call_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}
