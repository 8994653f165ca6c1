/* usage.c - what the kernel counts of processes. */
#include "top/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What of a line of /proc/PID/stat is used. */
struct stat_line {
    char name[USAGE_NAME];
    char state;
    unsigned long long user_ticks, system_ticks, start_ticks;
    long threads, pages;
};

const char *activity_name(enum activity activity)
{
    static const char *const names[ACTIVITY_COUNT] = {
        [ACTIVITY_UNKNOWN] = "-",       [ACTIVITY_COMPUTES] = "computes",
        [ACTIVITY_INPUT] = "input",     [ACTIVITY_THREAD] = "thread",
        [ACTIVITY_SLEEPS] = "sleeps",   [ACTIVITY_DISK] = "disk",
        [ACTIVITY_STOPPED] = "stopped", [ACTIVITY_ENDED] = "ended",
    };
    return names[activity];
}

/* Reads the beginning of a file in a folder. False if it cannot be read. */
static bool file_read(int folder, const char *name, char *text, size_t size)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* The name stands in parentheses, and can have any of its own. */
static bool stat_read(int folder, const char *name, struct stat_line *line)
{
    char text[1024];
    if (!file_read(folder, name, text, sizeof text))
        return false;
    const char *begin = strchr(text, '('), *end = strrchr(text, ')');
    if (!begin || !end)
        return false;
    snprintf(line->name, sizeof line->name, "%.*s", (int)(end - begin - 1), begin + 1);
    return sscanf(end,
                  ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %ld %*d "
                  "%llu %*u %ld",
                  &line->state, &line->user_ticks, &line->system_ticks, &line->threads,
                  &line->start_ticks, &line->pages) == 6;
}

/* Whether a thread of the process with this folder runs. */
static bool thread_runs(int process)
{
    char name[NAME_MAX + sizeof "/stat"];
    struct stat_line line;
    int fd = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *threads = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    bool runs = false;
    while (threads && !runs && (entry = readdir(threads))) {
        snprintf(name, sizeof name, "%s/stat", entry->d_name);
        runs = entry->d_name[0] != '.' && stat_read(fd, name, &line) && line.state == 'R';
    }
    if (threads)
        closedir(threads);
    return runs;
}

/* By the function of the kernel in which the main thread waits. */
static enum activity wait_name(int process)
{
    char place[128];
    if (!file_read(process, "wchan", place, sizeof place) || strcmp(place, "0") == 0)
        return ACTIVITY_SLEEPS;
    if (strstr(place, "poll") || strstr(place, "select"))
        return ACTIVITY_INPUT;
    return strstr(place, "futex") ? ACTIVITY_THREAD : ACTIVITY_SLEEPS;
}

static enum activity activity_of(int process, const struct stat_line *line)
{
    if (line->state == 'R' || (line->threads > 1 && thread_runs(process)))
        return ACTIVITY_COMPUTES;
    switch (line->state) {
    case 'D':
        return ACTIVITY_DISK;
    case 'T':
    case 't':
        return ACTIVITY_STOPPED;
    case 'Z':
    case 'X':
        return ACTIVITY_ENDED;
    default:
        return wait_name(process);
    }
}

static bool process_read(int process, double now, struct usage *usage)
{
    struct stat_line line;
    if (!stat_read(process, "stat", &line))
        return false;
    double ticks = (double)sysconf(_SC_CLK_TCK);
    double age = now - (double)line.start_ticks / ticks;
    *usage = (struct usage){
        .threads = (int)line.threads,
        .activity = activity_of(process, &line),
        .processor = (double)(line.user_ticks + line.system_ticks) / ticks,
        .age = age > 0 ? age : 0,
        .memory = (double)line.pages * (double)sysconf(_SC_PAGESIZE),
    };
    memcpy(usage->name, line.name, sizeof usage->name);
    return true;
}

bool usage_read(const char *proc, int pid, double now, struct usage *usage)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%d", proc, pid);
    int process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool found = process >= 0 && process_read(process, now, usage);
    if (process >= 0)
        close(process);
    if (found)
        usage->pid = pid;
    return found;
}

/* A line such as "MemTotal:   16384 kB". */
static double memory_line(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    return line ? strtod(line + strlen(name), NULL) * 1024 : 0;
}

void usage_read_memory(const char *proc, double *total, double *available)
{
    char text[512] = "", path[PATH_MAX];
    snprintf(path, sizeof path, "%s/meminfo", proc);
    file_read(AT_FDCWD, path, text, sizeof text);
    *total = memory_line(text, "MemTotal:");
    *available = memory_line(text, "MemAvailable:");
}
