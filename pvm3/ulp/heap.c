/* heap.c - a heap that grows while it is used, and lists of free small blocks in front of it. */
#include "ulp/heap.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "ulp/blocks.h"
#include "ulp/program_file.h"
#include "ulp/region.h"

/* No page is larger. */
#define PAGE ((size_t)65536)

/* The heap grows by so much at least, and by this part of what it has. */
#define STEP_LEAST ((size_t)65536)
#define STEP_PART  8

/* The allocator uses less than this of what the heap grows by. */
#define SLACK 256

/* No region has so many bytes. */
#define MOST ((size_t)1 << 40)

/* A block of so many bytes has its pages dropped when it is freed, as its memory is worth it. */
#define LARGE ((size_t)262144)

/* There are lists for blocks of up to so many units, each of so many blocks at most. */
#define SMALL_UNITS 65
#define LIST_MOST   16
#define UNITS_LEAST 3

struct spare {
    struct spare *next;
};

struct heap {
    atomic_bool full;           /* it has been */
    bool keeps_pages;           /* of free blocks */
    atomic_flag held;           /* a thread uses the heap, which the others leave alone */
    unsigned char *_Atomic end; /* of what the allocator has */
    unsigned char *limit;
    struct spare *spares[SMALL_UNITS + 1]; /* by the size in units */
    unsigned char counts[SMALL_UNITS + 1];
    _Alignas(BLOCKS_UNIT) unsigned char memory[]; /* the allocator's */
};

static struct blocks *heap_blocks(struct heap *heap)
{
    return (struct blocks *)heap->memory;
}

struct heap *heap_begin(struct region *region)
{
    unsigned char *end = region->rest + program_file_page();
    if (!region_open(region->rest, end))
        return NULL;
    struct heap *heap = memset(region->rest, 0, sizeof *heap);
    atomic_flag_clear(&heap->held);
    heap->end = end;
    heap->limit = region->limit;
    blocks_begin(heap->memory, (size_t)(end - heap->memory));
    region->heap = heap;
    return heap;
}

/*
 * As a rule one thread uses a heap, so nearly nobody waits here, and a mutex would cost as much as
 * the rest of malloc.
 */
void heap_hold(struct heap *heap)
{
    while (atomic_flag_test_and_set_explicit(&heap->held, memory_order_acquire))
        sched_yield();
}

void heap_let_go(struct heap *heap)
{
    atomic_flag_clear_explicit(&heap->held, memory_order_release);
}

/* The units of the smallest block that has so many bytes. */
static size_t units_of(size_t size)
{
    size_t units = (size + BLOCKS_OVERHEAD + BLOCKS_UNIT - 1) / BLOCKS_UNIT;
    return units < UNITS_LEAST ? UNITS_LEAST : units;
}

/* Taking. -------------------------------------------------------------------------------------- */

/* By how much the heap grows: by more than is needed, if there is that much left. */
static size_t heap_step(const struct heap *heap, size_t needed, size_t left)
{
    size_t step = (size_t)(heap->end - heap->memory) / STEP_PART;
    step = step > STEP_LEAST ? step : STEP_LEAST;
    step = step > needed && step <= left ? step : needed;
    return (step + PAGE - 1) & ~(PAGE - 1);
}

/* While the heap is held. False if the region is full, or without memory. */
static bool heap_grow(struct heap *heap, size_t needed)
{
    size_t left = (size_t)(heap->limit - heap->end), step = heap_step(heap, needed, left);
    if (step > left || !region_open(heap->end, heap->end + step))
        return false;
    heap->end = heap->end + step;
    blocks_grow(heap_blocks(heap), step);
    return true;
}

/* While the heap is held. NULL if there is none of this size. */
static void *heap_take_spare(struct heap *heap, size_t units)
{
    struct spare *found = heap->spares[units];
    if (found) {
        heap->spares[units] = found->next;
        heap->counts[units]--;
    }
    return found;
}

void *heap_take(struct heap *heap, size_t size, size_t alignment)
{
    if (size > MOST || alignment > MOST)
        return NULL;
    size_t units = units_of(size);
    void *block = NULL;
    heap_hold(heap);
    if (units <= SMALL_UNITS && alignment <= BLOCKS_UNIT)
        block = heap_take_spare(heap, units);
    if (!block)
        block = blocks_take(heap_blocks(heap), size, alignment);
    if (!block && heap_grow(heap, size + 2 * alignment + SLACK))
        block = blocks_take(heap_blocks(heap), size, alignment);
    heap_let_go(heap);
    return block;
}

/*
 * The pages that lie wholly in between become fresh ones, which are zero. False: there are none, or
 * they are kept.
 */
static bool drop_pages(const struct heap *heap, unsigned char *from, unsigned char *end,
                       unsigned char **first, unsigned char **last)
{
    *first = from + (-(uintptr_t)from & (PAGE - 1));
    *last = end - ((uintptr_t)end & (PAGE - 1));
    return !heap->keeps_pages && madvise(*first, (size_t)(*last - *first), MADV_DONTNEED) == 0;
}

void *heap_take_zeros(struct heap *heap, size_t size)
{
    unsigned char *block = heap_take(heap, size, HEAP_ALIGNMENT), *first, *last;
    if (!block)
        return NULL;
    if (size < LARGE || !drop_pages(heap, block, block + size, &first, &last))
        return memset(block, 0, size);
    memset(block, 0, (size_t)(first - block));
    memset(last, 0, (size_t)(block + size - last));
    return block;
}

/* Changing and giving back. -------------------------------------------------------------------- */

bool heap_resize(struct heap *heap, void *block, size_t size)
{
    size_t has = heap_block_size(heap, block);
    if (size <= has && size >= has / 2)
        return true;
    unsigned char *place = block, *first, *last;
    if (has >= size + LARGE)
        drop_pages(heap, place + size, place + has, &first, &last);
    heap_hold(heap);
    bool done = size <= MOST && blocks_resize(heap_blocks(heap), block, size);
    heap_let_go(heap);
    return done || size < has;
}

/* While the heap is held. False if the lists have no room for the block. */
static bool heap_add_spare(struct heap *heap, struct spare *spare, size_t units)
{
    if (units > SMALL_UNITS || heap->counts[units] == LIST_MOST)
        return false;
    spare->next = heap->spares[units];
    heap->spares[units] = spare;
    heap->counts[units]++;
    return true;
}

void heap_give_back(struct heap *heap, void *block)
{
    size_t size = heap_block_size(heap, block);
    unsigned char *first, *last;
    if (size >= LARGE)
        drop_pages(heap, block, (unsigned char *)block + size, &first, &last);
    heap_hold(heap);
    if (!heap_add_spare(heap, block, units_of(size)))
        blocks_give_back(heap_blocks(heap), block);
    heap_let_go(heap);
}

void heap_keep_pages(struct heap *heap, bool keep)
{
    heap->keeps_pages = keep;
}

void heap_has_been_full(struct heap *heap)
{
    atomic_store_explicit(&heap->full, true, memory_order_relaxed);
}

bool heap_is_full(const struct heap *heap)
{
    return atomic_load_explicit(&heap->full, memory_order_relaxed);
}

unsigned char *heap_end(const struct heap *heap)
{
    return heap->end;
}

bool heap_arrives(struct region *region, unsigned char *end)
{
    if (end < region->rest || end > region->limit || !region_open(region->rest, end))
        return false;
    region->heap = (struct heap *)(void *)region->rest;
    return true;
}

size_t heap_block_size(const struct heap *heap, const void *block)
{
    return blocks_size((const struct blocks *)heap->memory, block);
}
