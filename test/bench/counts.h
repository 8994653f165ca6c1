/*
 * counts.h - how often does a program, with all its libraries, allocate memory, and how many bytes
 * does it copy? What is here takes the place of the functions of the C library in the program that
 * includes it.
 */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static atomic_long allocations, copied;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    return __libc_realloc(memory, size);
}

/* What else the C library has to copy with; the compiler must not see that they are the same. */
static void *(*volatile copy_plainly)(void *to, const void *from, size_t size) = mempcpy;
static void (*volatile copy_overlapping)(const void *from, void *to, size_t size) = bcopy;

void *memcpy(void *to, const void *from, size_t size)
{
    atomic_fetch_add_explicit(&copied, (long)size, memory_order_relaxed);
    copy_plainly(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    atomic_fetch_add_explicit(&copied, (long)size, memory_order_relaxed);
    copy_overlapping(from, to, size);
    return to;
}

#endif
