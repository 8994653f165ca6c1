/*
 * blocks.h - blocks of memory in one piece of it, which can grow: rbtree_best_fit of
 * Boost.Interprocess, as C sees it. All that it knows lies in that piece.
 *
 * Threads: a value, without locks.
 */
#ifndef ULP_BLOCKS_H
#define ULP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct blocks;

/* Every block is aligned to this, and has a whole number of it less BLOCKS_OVERHEAD. */
#define BLOCKS_UNIT     16
#define BLOCKS_OVERHEAD 8

/* The memory is aligned to BLOCKS_UNIT. A kilobyte does for the start. */
struct blocks *blocks_begin(void *memory, size_t size);

/* The piece has so many bytes more, behind those that it has: a multiple of BLOCKS_UNIT. */
void blocks_grow(struct blocks *blocks, size_t more);

/* A block of at least `size` bytes. The alignment is a power of two. NULL without memory. */
void *blocks_take(struct blocks *blocks, size_t size, size_t alignment);

/* Makes the block this size where it is. False if it cannot be. */
bool blocks_resize(struct blocks *blocks, void *block, size_t size);

void blocks_give_back(struct blocks *blocks, void *block);

/* How many bytes of a block can be used. */
size_t blocks_size(const struct blocks *blocks, const void *block);

#ifdef __cplusplus
}
#endif
#endif
