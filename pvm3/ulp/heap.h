/*
 * heap.h - the heap of a user-level process. All that it knows lies in its memory, which is part of
 * a region (region.h), and moves with it.
 *
 * In front of the allocator (blocks.h) are lists of the small blocks that were freed last, since
 * most blocks are small and live for a short time.
 *
 * Threads: any thread may call any function but heap_begin.
 */
#ifndef ULP_HEAP_H
#define ULP_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct heap;
struct region;

/* Every block is aligned to this. */
#define HEAP_ALIGNMENT 16

/* Begins the heap of a region in which the image has its place. NULL without memory. */
struct heap *heap_begin(struct region *region);

/* A block of `size` bytes. The alignment is a power of two. NULL without memory. */
void *heap_take(struct heap *heap, size_t size, size_t alignment);

/* A block of zeros. NULL without memory. */
void *heap_take_zeros(struct heap *heap, size_t size);

/* Makes the block this size where it is. False if it cannot grow there. */
bool heap_resize(struct heap *heap, void *block, size_t size);

void heap_give_back(struct heap *heap, void *block);

/*
 * Notes that the program got memory elsewhere, as this heap had none; and tells whether it has so
 * far.
 */
void heap_has_been_full(struct heap *heap);
bool heap_is_full(const struct heap *heap);

/*
 * From now on pages of free blocks are kept, or else given back to the system, as at first. By the
 * thread that uses the heap, if it is the only one.
 */
void heap_keep_pages(struct heap *heap, bool keep);

/* The end of what the heap has of its region. */
unsigned char *heap_end(const struct heap *heap);

/* The heap has come from another process with its region: it may be used up to `end`. False without memory. */
bool heap_arrives(struct region *region, unsigned char *end);

/* How many bytes of a block can be used. */
size_t heap_block_size(const struct heap *heap, const void *block);

/* In between no other thread changes the heap: a child of fork is to find it whole. */
void heap_hold(struct heap *heap);
void heap_let_go(struct heap *heap);

#endif
