/*
 * pool.h - a few pieces of memory of one kind, kept for the next who needs one.
 *
 * A task that exchanges messages of a kind needs the same pieces again and again: taking them from
 * here spares the allocator, and the system the pages of large ones. What is kept is bounded.
 *
 * Threads: any thread may take and give. A thread that finds the pool in use by another thread
 * tries a few times and does not wait, since the other thread may have lost its processor:
 * pool_take then returns NULL and pool_give false, as with an empty or a full pool.
 */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/cache_line.h"

#define POOL_MOST 256

struct pool {
    _Alignas(CACHE_LINE) atomic_bool busy;
    int most; /* pieces to keep */
    int count;
    void *kept[POOL_MOST];
};

/* An empty pool for `most` pieces, at most POOL_MOST. */
void pool_start(struct pool *pool, int most);

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
