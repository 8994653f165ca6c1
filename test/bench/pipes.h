/* pipes.h - a benchmark and its children: numbers through pipes, sleep, and an end on failure. */
#ifndef PIPES_H
#define PIPES_H

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

static inline void put(int fd, int value)
{
    if (write(fd, &value, sizeof value) != sizeof value)
        fail("a task is gone");
}

static inline int get(int fd)
{
    int value;
    if (read(fd, &value, sizeof value) != sizeof value)
        fail("a task is gone");
    return value;
}

/* Waits until a process of one thread sleeps. */
static inline void await_sleep(pid_t pid)
{
    char name[64], state = ' ';
    snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
    while (state != 'S') {
        sched_yield();
        FILE *file = fopen(name, "r");
        if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            fail("a child is gone");
        fclose(file);
    }
}

#endif
