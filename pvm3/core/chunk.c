/* chunk.c - reference-counted memory. */
#include "core/chunk.h"

#include <stdint.h>
#include <stdlib.h>

#include "core/annotate.h"
#include "core/references.h"

static void chunk_free(struct chunk *chunk)
{
    free(chunk);
}

static void chunk_to_pool(struct chunk *chunk)
{
    ANNOTATE_UNUSED(chunk->data, chunk->capacity);
    if (!pool_give(chunk->home, chunk))
        free(chunk);
}

struct chunk *chunk_new(size_t capacity)
{
    if (capacity > SIZE_MAX - sizeof(struct chunk))
        return NULL;
    struct chunk *chunk = malloc(sizeof *chunk + capacity);
    if (!chunk)
        return NULL;
    references_start(&chunk->references, 1);
    chunk->foreign = false;
    chunk->dispose = chunk_free;
    chunk->home = NULL;
    chunk->data = (unsigned char *)(chunk + 1);
    chunk->capacity = capacity;
    return chunk;
}

struct chunk *chunk_new_from(struct pool *pool, size_t capacity)
{
    struct chunk *chunk = pool_take(pool);
    if (chunk) {
        ANNOTATE_USED(chunk->data, capacity);
        references_start(&chunk->references, 1);
        return chunk;
    }
    chunk = chunk_new(capacity);
    if (chunk) {
        chunk->dispose = chunk_to_pool;
        chunk->home = pool;
    }
    return chunk;
}

struct chunk *chunk_new_by(struct chunk_maker *maker, size_t capacity)
{
    struct chunk *chunk = NULL;
    if (maker && atomic_load_explicit(&maker->wanted, memory_order_relaxed))
        chunk = maker->make(maker, capacity);
    return chunk ? chunk : chunk_new(capacity);
}

struct chunk *chunk_hold(struct chunk *chunk)
{
    if (chunk)
        references_hold(&chunk->references);
    return chunk;
}

void chunk_release(struct chunk *chunk)
{
    if (!chunk || !references_drop(&chunk->references))
        return;
    ANNOTATE_RENEWED(chunk, sizeof *chunk);
    chunk->dispose(chunk);
}
