/*
 * pool.h - a few pieces of memory of one kind, kept for the next who needs one.
 *
 * A task that exchanges messages of a kind needs the same pieces again and again: taking them from
 * here spares the allocator, and the system the pages of large ones. What is kept is bounded.
 *
 * Threads: any thread may take and give. A thread that finds the pool in use by another thread
 * tries a few times and does not wait, since the other thread may have lost its processor:
 * pool_take then returns NULL and pool_give false, as with an empty or a full pool.
 *
 * Threads that answer each other would pass the pool itself to and fro. So a pool can have parts: a
 * few threads, the first that use it, keep some pieces each for themselves, and come to the common
 * ones when their part is empty or full.
 */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cache_line.h"

#define POOL_MOST 64

#define POOL_PARTS 4
#define POOL_PART  7

/* What one thread keeps. */
struct pool_part {
    _Alignas(CACHE_LINE) atomic_int count;
    void *kept[POOL_PART];
};

/* All zero: nobody's. */
struct pool_parts {
    _Alignas(CACHE_LINE) atomic_uintptr_t owners[POOL_PARTS]; /* threads, by pthread_self */
    struct pool_part parts[POOL_PARTS];
};

struct pool {
    _Alignas(CACHE_LINE) atomic_bool busy;
    int most; /* pieces to keep */
    int count;
    struct pool_parts *parts; /* or NULL */
    void **kept;              /* `few`, or room of the owner's */
    void *few[POOL_MOST];
};

/* An empty pool for `most` pieces, at most POOL_MOST. */
void pool_start(struct pool *pool, int most);

/* As pool_start, for as many pieces as `room` has entries; `room` outlives the pool. */
void pool_start_in(struct pool *pool, void **room, int most);

/*
 * From now on threads keep pieces for themselves in `parts`, which is all zero and outlives the
 * pool. Before there are other threads.
 */
void pool_divide(struct pool *pool, struct pool_parts *parts);

/*
 * Frees what is kept by `discard`. Nobody uses the pool any more. One that a thread was at when the
 * process forked is left as it is.
 */
void pool_finish(struct pool *pool, void (*discard)(void *piece));

/* A piece that was given before, contents as they were; NULL when the pool is empty or in use. */
void *pool_take(struct pool *pool);

/* Keeps `piece`, which nobody else may use; false when it stays the caller's to free. */
bool pool_give(struct pool *pool, void *piece);

#endif
