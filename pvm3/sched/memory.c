/* memory.c - memory of a program that cannot go on without. */
#include "sched/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void *memory_check(void *memory)
{
    if (!memory) {
        fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
        exit(EXIT_FAILURE);
    }
    return memory;
}

void *memory_take(size_t count, size_t size)
{
    return memory_check(calloc(count ? count : 1, size));
}

void *memory_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    return memory_check(reallocarray(array, *room, size));
}
