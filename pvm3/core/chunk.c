/* chunk.c - reference-counted memory. */
#include "core/chunk.h"

#include <stdint.h>
#include <stdlib.h>

#include "core/annotate.h"

static struct chunk *chunk_start(struct chunk *chunk, unsigned char *data, size_t capacity)
{
    atomic_init(&chunk->references, 1);
    chunk->data = data;
    chunk->capacity = capacity;
    return chunk;
}

struct chunk *chunk_new(size_t capacity)
{
    if (capacity > SIZE_MAX - sizeof(struct chunk))
        return NULL;
    struct chunk *chunk = malloc(sizeof *chunk + capacity);
    return chunk ? chunk_start(chunk, (unsigned char *)(chunk + 1), capacity) : NULL;
}

struct chunk *chunk_borrow(void *memory, size_t size)
{
    struct chunk *chunk = malloc(sizeof *chunk);
    return chunk ? chunk_start(chunk, memory, size) : NULL;
}

struct chunk *chunk_hold(struct chunk *chunk)
{
    atomic_fetch_add_explicit(&chunk->references, 1, memory_order_relaxed);
    return chunk;
}

void chunk_release(struct chunk *chunk)
{
    if (!chunk)
        return;
    ANNOTATE_RELEASE(chunk);
    if (atomic_fetch_sub_explicit(&chunk->references, 1, memory_order_acq_rel) != 1)
        return;
    ANNOTATE_ACQUIRE(chunk);
    ANNOTATE_FORGET(chunk);
    free(chunk);
}
