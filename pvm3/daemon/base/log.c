/* log.c - lines with a date. */
#include "daemon/base/log.h"

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

#include "daemon/base/line_writer.h"

#define LINE_SIZE   5000
#define ALL_CLASSES 0x3ffff

/* By number of the bit, as 3.4.6 calls them. */
static const char class_names[][4] = {"pkt", "msg", "tsk", "slv", "hst", "sel",
                                      "net", "mpp", "sch", "app", "wai", "mem",
                                      "sem", "lck", "rtg", "mbx", "trc", "mca"};

static struct {
    struct line_writer file; /* fd -1 when lines go to stderr */
    struct line_writer errors;
    bool journal;       /* stderr leads to the journal of systemd */
    char *path;         /* NULL when there is no file */
    bool ready;         /* lines go to the file only, */
    bool seen;          /* but for this */
    bool worth_keeping; /* the file was there before, or something happened */
    bool full;
    long written;
    long limit; /* bytes; 0 is without end */
    uint32_t tid;
    unsigned mask;
    enum log_level level;
} state = {.file.fd = -1, .errors.fd = STDERR_FILENO, .level = LEVEL_INFO};

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

/* systemd names the device and the inode of the socket that leads to its journal. */
static bool log_errors_are_journal(void)
{
    char name[64];
    struct stat status;
    const char *journal = getenv("JOURNAL_STREAM");
    if (!journal || fstat(STDERR_FILENO, &status) < 0)
        return false;
    snprintf(name, sizeof name, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    return strcmp(journal, name) == 0;
}

void log_open(const char *path, long limit)
{
    state.limit = limit;
    state.journal = log_errors_are_journal();
    state.file.fd = log_open_file(path);
    if (state.file.fd < 0)
        fprintf(stderr,
                "pvmd: cannot write the log %s: %s; it goes to the standard error instead\n", path,
                strerror(errno));
    else
        state.path = strdup(path);
}

void log_close(void)
{
    if (state.file.fd >= 0) {
        line_writer_tell(&state.file);
        close(state.file.fd);
    }
    if (state.path && !state.worth_keeping)
        unlink(state.path);
    free(state.path);
    state.path = NULL;
    state.file = (struct line_writer){.fd = -1};
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

/* The journal takes the number of a priority from the beginning of a line. */
static void log_put_error(enum log_level level, const char *line, size_t size)
{
    static const char priorities[][4] = {[LEVEL_ERROR] = "<3>",
                                         [LEVEL_WARNING] = "<4>",
                                         [LEVEL_INFO] = "<6>",
                                         [LEVEL_DEBUG] = "<7>"};
    char marked[sizeof priorities[0] + LINE_SIZE];
    int length = snprintf(marked, sizeof marked, "%s%.*s", state.journal ? priorities[level] : "",
                          (int)size, line);
    line_writer_put(&state.errors, marked, (size_t)length);
}

static void log_emit(enum log_level level, const char *line, size_t size, bool loud)
{
    static const char truncated[] = "*** logging truncated\n";
    if (loud || state.seen || state.file.fd < 0)
        log_put_error(level, line, size);
    if (state.file.fd < 0 || state.full)
        return;
    state.full = state.limit > 0 && state.written + (long)size > state.limit;
    if (state.full)
        line_writer_put(&state.file, truncated, sizeof truncated - 1);
    else if (line_writer_put(&state.file, line, size))
        state.written += (long)size;
}

/* What others say may stand in a line, and is not to make a line of its own of it. */
static void log_make_one_line(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n' || text[i] == '\r')
            text[i] = '?';
}

/* `title` is what stands before the text. */
static void __attribute__((format(printf, 4, 0)))
log_line(enum log_level level, bool loud, const char *title, const char *format, va_list arguments)
{
    char line[LINE_SIZE];
    int start = log_put_prefix(line);
    start += snprintf(line + start, (size_t)(LINE_SIZE - start), "%s", title);
    size_t room = (size_t)(LINE_SIZE - start) - 1;
    int size = vsnprintf(line + start, room, format, arguments);
    size_t length = size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
    log_make_one_line(line + start, length);
    length += (size_t)start;
    line[length++] = '\n';
    log_emit(level, line, length, loud);
}

bool log_read_level(const char *text, enum log_level *level)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0) {
            *level = (enum log_level)i;
            return true;
        }
    return false;
}

void log_set_level(enum log_level level, bool seen)
{
    state.level = level;
    state.seen = seen;
    if (level == LEVEL_DEBUG && state.mask == 0)
        state.mask = ALL_CLASSES;
}

void log_error(const char *format, ...)
{
    va_list arguments;
    state.worth_keeping = true;
    va_start(arguments, format);
    log_line(LEVEL_ERROR, !state.ready, "error: ", format, arguments);
    va_end(arguments);
}

void log_write(const char *format, ...)
{
    va_list arguments;
    if (state.level < LEVEL_WARNING)
        return;
    state.worth_keeping = true;
    va_start(arguments, format);
    log_line(LEVEL_WARNING, !state.ready, "warning: ", format, arguments);
    va_end(arguments);
}

void log_note(const char *format, ...)
{
    va_list arguments;
    if (state.level < LEVEL_INFO)
        return;
    va_start(arguments, format);
    log_line(LEVEL_INFO, false, "", format, arguments);
    va_end(arguments);
}

void log_debug(enum log_class class, const char *format, ...)
{
    char title[32];
    if (!(state.mask & class))
        return;
    snprintf(title, sizeof title, "debug %s: ", class_names[__builtin_ctz(class)]);
    va_list arguments;
    state.worth_keeping = true;
    va_start(arguments, format);
    log_line(LEVEL_DEBUG, !state.ready, title, format, arguments);
    va_end(arguments);
}

/* As 3.4.6 writes it: nothing but the tid before the line. */
static void __attribute__((format(printf, 1, 2))) log_plain(const char *format, ...)
{
    va_list arguments;
    state.worth_keeping = true;
    va_start(arguments, format);
    log_line(LEVEL_INFO, !state.ready, "", format, arguments);
    va_end(arguments);
}

void log_output(uint32_t tid, const char *text, size_t length)
{
    while (length > 0 && state.level >= LEVEL_INFO) {
        const char *end = memchr(text, '\n', length);
        size_t line = end ? (size_t)(end - text) : length;
        log_plain("[t%x] %.*s", tid, (int)line, text);
        line += end != NULL;
        text += line;
        length -= line;
    }
}
