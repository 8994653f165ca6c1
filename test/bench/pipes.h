/* pipes.h - numbers through pipes between a benchmark and its children; who cannot go on ends. */
#ifndef PIPES_H
#define PIPES_H

#include <errno.h>
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

#endif
