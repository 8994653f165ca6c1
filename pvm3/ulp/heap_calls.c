/* heap_calls.c - the calls of programs, and the two by which libraries free what programs have. */
#include "ulp/heap_calls.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ulp/calls.h"
#include "ulp/heap.h"
#include "ulp/region.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

/* A sanitizer has functions of its own in place of the C library's: only programs are served then. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define process_malloc  malloc
#define process_realloc realloc
#define process_free    free
#else
#define FOR_LIBRARIES   __attribute__((visibility("default"), noinline))
#define process_malloc  __libc_malloc
#define process_realloc __libc_realloc
#define process_free    __libc_free
void *process_malloc(size_t size);
void *process_realloc(void *block, size_t size);
void process_free(void *block);
#endif

/* The heap of the calling thread's program; NULL: that of the process. */
static struct heap *own_heap(void)
{
    const struct ulp *ulp = room_owner();
    return ulp ? ulp->heap : NULL;
}

/* The heap that has a block; NULL: that of the process. */
static struct heap *heap_of(const void *block)
{
    const struct region *region = region_of(block);
    return region ? region->heap : NULL;
}

/* Taking. -------------------------------------------------------------------------------------- */

static void say_full(struct heap *heap)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    heap_has_been_full(heap);
    if (!atomic_flag_test_and_set(&said))
        fprintf(
            stderr,
            "pvmulp: the region of a user-level process is full (PVM_ULP_REGION): it has memory "
            "elsewhere, and cannot move to another host\n");
}

void *heap_call_take(struct heap *heap, size_t size, size_t alignment)
{
    void *block = heap ? heap_take(heap, size, alignment) : NULL;
    if (block)
        return block;
    block = alignment > HEAP_ALIGNMENT ? memalign(alignment, size) : process_malloc(size);
    if (heap && block)
        say_full(heap);
    return block;
}

void *heap_call_malloc(size_t size)
{
    return heap_call_take(own_heap(), size, HEAP_ALIGNMENT);
}

static void *own_calloc(size_t count, size_t size)
{
    size_t all;
    struct heap *heap = own_heap();
    bool sound = heap && !__builtin_mul_overflow(count, size, &all);
    void *block = sound ? heap_take_zeros(heap, all) : NULL;
    if (block)
        return block;
    block = calloc(count, size);
    if (heap && block)
        say_full(heap);
    return block;
}

static bool is_alignment(size_t alignment)
{
    return alignment > 0 && (alignment & (alignment - 1)) == 0;
}

static void *own_aligned(size_t alignment, size_t size)
{
    if (is_alignment(alignment))
        return heap_call_take(own_heap(), size, alignment);
    errno = EINVAL;
    return NULL;
}

static int own_posix_memalign(void **place, size_t alignment, size_t size)
{
    int before = errno;
    if (!is_alignment(alignment) || alignment % sizeof(void *) != 0)
        return EINVAL;
    void *block = heap_call_take(own_heap(), size, alignment);
    errno = before;
    if (!block)
        return ENOMEM;
    *place = block;
    return 0;
}

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void *own_valloc(size_t size)
{
    return own_aligned(page(), size);
}

static void *own_pvalloc(size_t size)
{
    return own_aligned(page(), (size + page() - 1) & ~(page() - 1));
}

/* Freeing and changing. ------------------------------------------------------------------------ */

static void own_free(void *block)
{
    struct heap *heap = heap_of(block);
    if (heap)
        heap_give_back(heap, block);
    else
        process_free(block);
}

/* A block that cannot grow where it is. Without memory it stays as it is. */
static void *move(struct heap *heap, void *block, size_t size)
{
    size_t has = heap_block_size(heap, block);
    void *moved = heap_call_take(heap, size, HEAP_ALIGNMENT);
    if (!moved)
        return NULL;
    memcpy(moved, block, has < size ? has : size);
    heap_give_back(heap, block);
    return moved;
}

/* A null pointer has been dealt with. */
static void *change(void *block, size_t size)
{
    struct heap *heap = heap_of(block);
    if (!heap)
        return process_realloc(block, size);
    if (size > 0)
        return heap_resize(heap, block, size) ? block : move(heap, block, size);
    heap_give_back(heap, block);
    return NULL;
}

void *heap_call_realloc(void *block, size_t size)
{
    return block ? change(block, size) : heap_call_malloc(size);
}

static void *own_reallocarray(void *block, size_t count, size_t size)
{
    size_t all;
    if (!__builtin_mul_overflow(count, size, &all))
        return heap_call_realloc(block, all);
    errno = ENOMEM;
    return NULL;
}

static size_t own_malloc_usable_size(void *block)
{
    const struct heap *heap = heap_of(block);
    return heap ? heap_block_size(heap, block) : malloc_usable_size(block);
}

/* Who calls them. ------------------------------------------------------------------------------ */

static const struct call calls[] = {
    {"malloc", (void *)heap_call_malloc},
    {"calloc", (void *)own_calloc},
    {"realloc", (void *)heap_call_realloc},
    {"reallocarray", (void *)own_reallocarray},
    {"free", (void *)own_free},
    {"cfree", (void *)own_free},
    {"memalign", (void *)own_aligned},
    {"aligned_alloc", (void *)own_aligned},
    {"posix_memalign", (void *)own_posix_memalign},
    {"valloc", (void *)own_valloc},
    {"pvalloc", (void *)own_pvalloc},
    {"malloc_usable_size", (void *)own_malloc_usable_size},
};

void *heap_call_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}

#ifdef FOR_LIBRARIES

/* The dynamic linker looks at the program of a process first: all libraries find these. */
FOR_LIBRARIES void *malloc(size_t size)
{
    return room_lends() ? heap_call_malloc(size) : process_malloc(size);
}

FOR_LIBRARIES void free(void *block)
{
    own_free(block);
}

FOR_LIBRARIES void *realloc(void *block, size_t size)
{
    return block ? change(block, size) : malloc(size);
}

#endif

/* A child of fork finds the heap of its program whole, even if others free blocks of it. ------- */

static void hold_own(void)
{
    struct heap *heap = own_heap();
    if (heap)
        heap_hold(heap);
}

static void let_go_own(void)
{
    struct heap *heap = own_heap();
    if (heap)
        heap_let_go(heap);
}

void heap_calls_begin(void)
{
    pthread_atfork(hold_own, let_go_own, let_go_own);
}
