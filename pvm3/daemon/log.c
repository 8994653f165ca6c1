/* log.c - lines with a date. */
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 5000

static struct {
    int fd;             /* -1 when lines go to stderr */
    char *path;         /* NULL when there is no file */
    bool ready;         /* lines go to the file only */
    bool worth_keeping; /* the file was there before, or something happened */
    bool full;
    long written;
    long limit; /* bytes; 0 is without end */
    uint32_t tid;
    unsigned mask;
} state = {.fd = -1};

static bool log_is_ours(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == getuid();
}

static int log_open_file(const char *path)
{
    const int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = open(path, flags | O_CREAT | O_EXCL, 0600);
    if (fd >= 0 || errno != EEXIST)
        return fd;
    state.worth_keeping = true;
    fd = open(path, flags);
    if (fd >= 0 && !log_is_ours(fd)) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

void log_open(const char *path, long limit)
{
    state.limit = limit;
    state.fd = log_open_file(path);
    if (state.fd < 0)
        fprintf(stderr,
                "pvmd: cannot write the log %s: %s; it goes to the standard error instead\n", path,
                strerror(errno));
    else
        state.path = strdup(path);
}

void log_close(void)
{
    if (state.fd >= 0)
        close(state.fd);
    if (state.path && !state.worth_keeping)
        unlink(state.path);
    free(state.path);
    state.path = NULL;
    state.fd = -1;
}

void log_set_tid(uint32_t tid)
{
    state.tid = tid;
}

void log_set_ready(void)
{
    state.ready = true;
}

unsigned log_mask(void)
{
    return state.mask;
}

void log_set_mask(unsigned mask)
{
    state.mask = mask;
}

static int log_put_prefix(char line[LINE_SIZE])
{
    int size = state.tid ? snprintf(line, LINE_SIZE, "[t%x] ", state.tid)
                         : snprintf(line, LINE_SIZE, "[pvmd pid%ld] ", (long)getpid());
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    return size + (int)strftime(line + size, (size_t)(LINE_SIZE - size), "%m/%d %H:%M:%S ", &local);
}

static void log_emit_to(int fd, const char *line, size_t size)
{
    /*
     * A log that cannot be written must not stop the daemon, and there is no further place to tell
     * it.
     */
    ssize_t written = write(fd, line, size);
    (void)written;
}

static void log_emit(const char *line, size_t size, bool loud)
{
    static const char truncated[] = "*** logging truncated\n";
    if (loud || state.fd < 0)
        log_emit_to(STDERR_FILENO, line, size);
    if (state.fd < 0 || state.full)
        return;
    state.written += (long)size;
    state.full = state.limit > 0 && state.written > state.limit;
    if (state.full)
        log_emit_to(state.fd, truncated, sizeof truncated - 1);
    else
        log_emit_to(state.fd, line, size);
}

static void __attribute__((format(printf, 2, 0)))
log_line(bool loud, const char *format, va_list arguments)
{
    char line[LINE_SIZE];
    int start = log_put_prefix(line);
    size_t room = (size_t)(LINE_SIZE - start) - 1;
    int size = vsnprintf(line + start, room, format, arguments);
    size_t length = size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
    length += (size_t)start;
    line[length++] = '\n';
    log_emit(line, length, loud);
}

void log_write(const char *format, ...)
{
    va_list arguments;
    state.worth_keeping = true;
    va_start(arguments, format);
    log_line(!state.ready, format, arguments);
    va_end(arguments);
}

void log_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(false, format, arguments);
    va_end(arguments);
}

void log_debug(enum log_class class, const char *format, ...)
{
    if (!(state.mask & class))
        return;
    va_list arguments;
    state.worth_keeping = true;
    va_start(arguments, format);
    log_line(!state.ready, format, arguments);
    va_end(arguments);
}

void log_output(uint32_t tid, const char *text, size_t length)
{
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        size_t line = end ? (size_t)(end - text) : length;
        log_write("[t%x] %.*s", tid, (int)line, text);
        line += end != NULL;
        text += line;
        length -= line;
    }
}
