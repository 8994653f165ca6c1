/*
 * chunk.h - a piece of memory that messages share by counting references.
 *
 * Source of the idea: paper 000 (PM-PVM), shared messages with reference counts; DESIGN 4.2.
 * Threads: hold and release may be called by any thread. The bytes carry no lock: one owner appends
 * behind what has been shared, and nobody changes what has been shared.
 */
#ifndef CORE_CHUNK_H
#define CORE_CHUNK_H

#include <stdatomic.h>
#include <stddef.h>

#include "core/pool.h"

struct chunk {
    atomic_uint references;
    struct pool *home;   /* where it goes in the end; NULL: it is freed */
    unsigned char *data; /* behind this header */
    size_t capacity;     /* bytes at data */
};

/*
 * A chunk of `capacity` bytes, contents undefined, with one reference. NULL when memory is short.
 */
struct chunk *chunk_new(size_t capacity);

/*
 * The same from `pool`, whose chunks have one capacity, and back to it in the end. The pool
 * outlives the chunk; pool_finish discards by free.
 */
struct chunk *chunk_new_from(struct pool *pool, size_t capacity);

/* One reference more; returns `chunk`. NULL is allowed. */
struct chunk *chunk_hold(struct chunk *chunk);

/* One reference less; the last one frees the chunk. NULL is allowed. */
void chunk_release(struct chunk *chunk);

/* True when the caller holds the only reference. */
static inline int chunk_is_unshared(const struct chunk *chunk)
{
    return atomic_load_explicit(&chunk->references, memory_order_acquire) == 1;
}

#endif
