/* pool.c - a stack behind a flag that nobody waits for, but for a moment. */
#include "core/pool.h"

#include <pthread.h>

#include "core/annotate.h"
#include "core/one_thread.h"
#include "core/rarely.h"

void pool_start(struct pool *pool, int most)
{
    pool_start_in(pool, pool->few, most);
}

void pool_start_in(struct pool *pool, void **room, int most)
{
    pool->kept = room;
    pool->most = most;
    atomic_init(&pool->busy, false);
    ANNOTATE_ATOMIC(&pool->busy, sizeof pool->busy);
    pool->count = 0;
    pool->parts = NULL;
}

void pool_divide(struct pool *pool, struct pool_parts *parts)
{
    pool->parts = parts;
    for (int i = 0; i < POOL_PARTS; i++)
        ANNOTATE_ATOMIC(&parts->owners[i], sizeof parts->owners[i]);
}

/* The part of the calling thread, which becomes its own with the first use; NULL: it has none. */
static struct pool_part *pool_find_part(const struct pool *pool)
{
    struct pool_parts *parts = pool->parts;
    uintptr_t self = (uintptr_t)pthread_self();
    for (int i = 0; i < POOL_PARTS; i++) {
        uintptr_t owner = atomic_load_explicit(&parts->owners[i], memory_order_relaxed);
        if (owner == self ||
            (owner == 0 && atomic_compare_exchange_strong(&parts->owners[i], &owner, self)))
            return &parts->parts[i];
    }
    return NULL;
}

static inline struct pool_part *pool_own_part(const struct pool *pool)
{
    return process_has_one_thread() || !pool->parts ? NULL : pool_find_part(pool);
}

/* A thread may get the handle, and so the part, of one that has ended: hence the order. */
static void *pool_part_take(struct pool_part *part)
{
    int count = atomic_load_explicit(&part->count, memory_order_acquire);
    ANNOTATE_ACQUIRE(part);
    if (count == 0)
        return NULL;
    void *piece = part->kept[count - 1];
    ANNOTATE_RELEASE(part);
    atomic_store_explicit(&part->count, count - 1, memory_order_release);
    return piece;
}

static bool pool_part_give(struct pool_part *part, void *piece)
{
    int count = atomic_load_explicit(&part->count, memory_order_acquire);
    ANNOTATE_ACQUIRE(part);
    if (count == POOL_PART)
        return false;
    part->kept[count] = piece;
    ANNOTATE_RELEASE(part);
    atomic_store_explicit(&part->count, count + 1, memory_order_release);
    return true;
}

static void pool_part_finish(struct pool_part *part, void (*discard)(void *piece))
{
    void *piece;
    while ((piece = pool_part_take(part)) != NULL)
        discard(piece);
}

void pool_finish(struct pool *pool, void (*discard)(void *piece))
{
    while (!atomic_load_explicit(&pool->busy, memory_order_relaxed) && pool->count > 0)
        discard(pool->kept[--pool->count]);
    for (int i = 0; pool->parts && i < POOL_PARTS; i++)
        pool_part_finish(&pool->parts->parts[i], discard);
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
    struct pool_part *own = pool_own_part(pool);
    void *piece = own ? pool_part_take(own) : NULL;
    if (piece || !pool_enter(pool))
        return piece;
    piece = pool->count > 0 ? pool->kept[--pool->count] : NULL;
    pool_leave(pool);
    return piece;
}

bool pool_give(struct pool *pool, void *piece)
{
    struct pool_part *own = pool_own_part(pool);
    if (own && pool_part_give(own, piece))
        return true;
    if (!pool_enter(pool))
        return false;
    bool kept = pool->count < pool->most;
    if (kept)
        pool->kept[pool->count++] = piece;
    pool_leave(pool);
    return kept;
}
