/*
 * cache_line.h - the size of the memory that processors exchange as a whole.
 *
 * Of two fields in one line, each of which a thread writes, every write makes the other thread wait
 * for the line. So what threads share begins a line of its own.
 */
#ifndef CORE_CACHE_LINE_H
#define CORE_CACHE_LINE_H

#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64

/* Begins to bring the line of `address`, which need not be valid, to be written by this thread. */
static inline void cache_line_fetch(const void *address)
{
    __builtin_prefetch(address, 1);
}

/* Likewise, to be read. */
static inline void cache_line_fetch_to_read(const void *address)
{
    __builtin_prefetch(address, 0);
}

/* Memory of `size` bytes, all 0, that begins a line; NULL without memory. Freed by free. */
static inline void *cache_line_allocate(size_t size)
{
    size_t whole = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, whole);
    return memory ? memset(memory, 0, whole) : NULL;
}

#endif
