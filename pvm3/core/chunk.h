/*
 * chunk.h - a piece of memory that messages share by counting references.
 *
 * Source of the idea: the shared messages with reference counts of Santos and Aude, "PM-PVM: A
 * Portable Multithreaded PVM", 1999.
 * Threads: hold and release may be called by any thread. The bytes carry no lock: one owner appends
 * behind what has been shared, and nobody changes what has been shared.
 */
#ifndef CORE_CHUNK_H
#define CORE_CHUNK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/annotate.h"
#include "core/pool.h"

/*
 * Where a chunk lies is its maker's business: `dispose` is called when the last reference is gone,
 * by any thread.
 */
struct chunk {
    atomic_uint references;
    bool foreign; /* a child of fork shares the memory with others, or has not got it at all */
    void (*dispose)(struct chunk *chunk);
    void *home; /* for dispose; that of a maker's chunk is the maker */
    unsigned char *data;
    size_t capacity; /* bytes at data that the holder of the only reference may write */
};

/*
 * Makes chunks of a special kind of memory. While it is `wanted`, what is packed goes there, and
 * memory of another kind is not kept for messages to come (message.h). `make` gives NULL when it
 * has no memory of this kind. Any thread may use it.
 */
struct chunk_maker {
    struct chunk *(*make)(struct chunk_maker *maker, size_t capacity);
    atomic_bool wanted;
};

/*
 * A chunk of `capacity` bytes, contents undefined, with one reference. NULL when memory is short.
 */
struct chunk *chunk_new(size_t capacity);

/*
 * Like chunk_new, from `pool`, whose chunks have one capacity. The last release gives the chunk
 * back to the pool. The pool outlives the chunk; pool_finish discards by free.
 */
struct chunk *chunk_new_from(struct pool *pool, size_t capacity);

/*
 * A chunk of `maker` if `maker` is not NULL, is wanted and has memory; otherwise one of chunk_new.
 */
struct chunk *chunk_new_by(struct chunk_maker *maker, size_t capacity);

/* True when `maker` is not NULL and is wanted, and did not make `chunk`. */
static inline bool chunk_is_unwanted(const struct chunk *chunk, const struct chunk_maker *maker)
{
    return maker && chunk->home != maker &&
           atomic_load_explicit(&maker->wanted, memory_order_relaxed);
}

/* One reference more; returns `chunk`. NULL is allowed. */
struct chunk *chunk_hold(struct chunk *chunk);

/* One reference less; the last one frees the chunk. NULL is allowed. */
void chunk_release(struct chunk *chunk);

/* True when the caller holds the only reference. */
static inline int chunk_is_unshared(const struct chunk *chunk)
{
    if (atomic_load_explicit(&chunk->references, memory_order_acquire) != 1)
        return 0;
    ANNOTATE_ACQUIRE(chunk); /* of those who released theirs */
    return 1;
}

#endif
