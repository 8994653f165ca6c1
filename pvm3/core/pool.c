/* pool.c - a stack behind a flag that nobody waits for, but for a moment. */
#include "core/pool.h"

#include "core/annotate.h"
#include "core/one_thread.h"
#include "core/rarely.h"

void pool_start(struct pool *pool, int most)
{
    pool->most = most;
    atomic_init(&pool->busy, false);
    ANNOTATE_ATOMIC(&pool->busy, sizeof pool->busy);
    pool->count = 0;
}

void pool_finish(struct pool *pool, void (*discard)(void *piece))
{
    while (!atomic_load_explicit(&pool->busy, memory_order_relaxed) && pool->count > 0)
        discard(pool->kept[--pool->count]);
}

/* As long as a few others may take for it, each for some instructions. */
#define TRIES 16

static inline bool pool_try(struct pool *pool)
{
    if (process_has_one_thread()) /* which may have been forked while another one was at it */
        return !atomic_load_explicit(&pool->busy, memory_order_relaxed);
    return !atomic_exchange_explicit(&pool->busy, true, memory_order_acquire);
}

/* Another thread is at it. */
RARELY static bool pool_try_on(struct pool *pool)
{
    bool entered = false;
    for (int tries = 1; !entered && tries < TRIES; tries++)
        entered = pool_try(pool);
    return entered;
}

static inline bool pool_enter(struct pool *pool)
{
    bool entered = pool_try(pool) || pool_try_on(pool);
    if (entered)
        ANNOTATE_ACQUIRE(pool);
    return entered;
}

static inline void pool_leave(struct pool *pool)
{
    ANNOTATE_RELEASE(pool);
    atomic_store_explicit(&pool->busy, false, memory_order_release);
}

void *pool_take(struct pool *pool)
{
    if (!pool_enter(pool))
        return NULL;
    void *piece = pool->count > 0 ? pool->kept[--pool->count] : NULL;
    pool_leave(pool);
    return piece;
}

bool pool_give(struct pool *pool, void *piece)
{
    if (!pool_enter(pool))
        return false;
    bool kept = pool->count < pool->most;
    if (kept)
        pool->kept[pool->count++] = piece;
    pool_leave(pool);
    return kept;
}
