/* history_file.c - a file of the user's alone. */
#include "console/history_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME ".pvm_history"

/* "a+" of a file for its owner alone; NULL when it cannot be had, or is no file. */
static FILE *private_open(const char *path, int flags)
{
    struct stat about;
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | flags, 0600);
    if (fd < 0)
        return NULL;
    FILE *file = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? fdopen(fd, "a+") : NULL;
    if (file)
        rewind(file);
    else
        close(fd);
    return file;
}

static long lines_count(struct history_file *history)
{
    long count = 0;
    rewind(history->file);
    while (getline(&history->line, &history->size, history->file) >= 0)
        count++;
    rewind(history->file);
    return count;
}

/* Puts a file with the lines that are kept in the place of one that has grown. */
static void history_cut(struct history_file *history, const char *path)
{
    char other[PATH_MAX];
    if (snprintf(other, sizeof other, "%s.%d", path, (int)getpid()) >= (int)sizeof other)
        return;
    FILE *file = private_open(other, O_EXCL);
    if (!file)
        return;
    char *line;
    while ((line = history_file_next(history)))
        fprintf(file, "%s\n", line);
    if (fflush(file) == 0 && rename(other, path) == 0) {
        fclose(history->file);
        history->file = file;
    } else {
        fclose(file);
        unlink(other);
    }
}

void history_file_open(struct history_file *history)
{
    char path[PATH_MAX];
    const char *home = getenv("HOME");

    *history = (struct history_file){.file = NULL};
    if (!home || *home != '/' || snprintf(path, sizeof path, "%s/" NAME, home) >= (int)sizeof path)
        return;
    history->file = private_open(path, 0);
    long count = history->file ? lines_count(history) : 0;
    long too_old = count > HISTORY_LINES ? count - HISTORY_LINES : 0;
    history->skip = too_old;
    if (too_old > HISTORY_LINES) {
        history_cut(history, path);
        history->skip = lines_count(history) - HISTORY_LINES;
    }
}

void history_file_close(struct history_file *history)
{
    if (history->file)
        fclose(history->file);
    free(history->line);
    *history = (struct history_file){.file = NULL};
}

char *history_file_next(struct history_file *history)
{
    ssize_t length;
    while (history->file &&
           (length = getline(&history->line, &history->size, history->file)) >= 0) {
        if (history->skip-- > 0)
            continue;
        if (length > 0 && history->line[length - 1] == '\n')
            history->line[length - 1] = '\0';
        return history->line;
    }
    return NULL;
}

void history_file_add(struct history_file *history, const char *line)
{
    if (!history->file)
        return;
    fprintf(history->file, "%s\n", line);
    fflush(history->file);
}
