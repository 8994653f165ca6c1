/*
 * test_ulp_heap.c - the heap of a user-level process: blocks keep what is in them, whoever frees
 * them; a full region; memory that the system gets back.
 */
#include "ulp/heap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ulp/region.h"

#include "unit.h"

enum { STACK = 65536, BLOCKS = 200, TURNS = 20000, LARGE = 10 << 20, THREADS = 3 };

static unsigned char *stack;
static struct heap *heap;

UNIT_STEP(start)
{
    setenv("PVM_ULP_REGION", "64", 1);
    regions_begin();
    stack = region_take_stack(STACK);
    heap = heap_begin(region_of(stack));
    return 0;
}

UNIT_STEP(finish)
{
    region_empty(region_of(stack));
    region_give_back(stack);
    return 0;
}

/* How many pages of a large block there is memory for. */
static int pages_of(const unsigned char *block)
{
    static unsigned char present[LARGE / 4096 + 1];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *first = (void *)((uintptr_t)block & ~(page - 1));
    int count = 0;
    assert_int_equal(mincore(first, LARGE, present), 0);
    for (size_t i = 0; i < LARGE / page; i++)
        count += present[i] & 1;
    return count;
}

struct block {
    unsigned char *memory;
    size_t size;
    unsigned char filled;
};

static void check(const struct block *block)
{
    for (size_t i = 0; i < block->size; i++)
        if (block->memory[i] != block->filled)
            fail_msg("byte %zu of %zu is %d, not %d", i, block->size, block->memory[i],
                     block->filled);
}

static void fill(struct block *block, size_t size, unsigned char byte)
{
    *block = (struct block){block->memory, size, byte};
    memset(block->memory, byte, size);
}

/* One that grows or shrinks keeps its beginning, wherever it is then. */
static void change(struct block *block, size_t size)
{
    if (!heap_resize(heap, block->memory, size)) {
        unsigned char *moved = heap_take(heap, size, HEAP_ALIGNMENT);
        memcpy(moved, block->memory, block->size < size ? block->size : size);
        heap_give_back(heap, block->memory);
        block->memory = moved;
    }
    block->size = block->size < size ? block->size : size;
    check(block);
}

static void play(struct block *block, unsigned random, unsigned char byte)
{
    size_t size = random % 1000 == 0 ? random % 500000 : random % 1500;
    size_t alignment = (size_t)16 << random % 5;
    if (block->memory && random % 3 == 0) {
        change(block, size);
    } else {
        if (block->memory)
            heap_give_back(heap, block->memory);
        block->memory = random % 2 ? heap_take_zeros(heap, size) : heap_take(heap, size, alignment);
        assert_non_null(block->memory);
        assert_int_equal((uintptr_t)block->memory % (random % 2 ? HEAP_ALIGNMENT : alignment), 0);
        for (size_t i = 0; random % 2 && i < size; i++)
            assert_int_equal(block->memory[i], 0);
    }
    assert_true(heap_block_size(heap, block->memory) >= size);
    fill(block, size, byte);
}

UNIT_TEST_BETWEEN(blocks_of_all_sizes, start, finish)
{
    static struct block blocks[BLOCKS];
    unsigned random = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        random = random * 1103515245 + 12345;
        struct block *block = &blocks[(random >> 16) % BLOCKS];
        if (block->memory)
            check(block);
        play(block, random >> 8, (unsigned char)turn);
    }
    for (int i = 0; i < BLOCKS; i++)
        check(&blocks[i]);
}

/* What is freed can be taken again. */
UNIT_TEST_BETWEEN(a_full_region, start, finish)
{
    enum { LEAST = 2000 };
    size_t all = 0;
    unsigned char *block = NULL, *next;
    assert_null(heap_take(heap, (size_t)1 << 45, HEAP_ALIGNMENT));
    assert_null(heap_take(heap, (size_t)64 << 20, HEAP_ALIGNMENT));
    for (size_t size = LARGE; size > LEAST; size /= 2)
        for (; (next = heap_take(heap, size, HEAP_ALIGNMENT)) != NULL; all += size)
            block = memset(next, 1, size);
    assert_true(all > (size_t)63 << 20);
    assert_true(block < region_of(stack)->limit);
    heap_give_back(heap, block);
    assert_ptr_equal(heap_take(heap, LEAST, HEAP_ALIGNMENT), block);
}

UNIT_TEST_BETWEEN(memory_goes_back, start, finish)
{
    unsigned char *block = heap_take(heap, LARGE, HEAP_ALIGNMENT);
    int before = pages_of(block);
    memset(block, 1, LARGE);
    assert_true(pages_of(block) > before + 2500);
    assert_true(heap_resize(heap, block, LARGE / 2));
    assert_true(pages_of(block) < 1400);
    heap_give_back(heap, block);
    assert_true(pages_of(block) < 100);
    block = heap_take_zeros(heap, LARGE);
    assert_true(pages_of(block) < 100);
    for (size_t i = 0; i < LARGE; i += 1000)
        assert_int_equal(block[i], 0);
}

/* Each frees what another one has taken. */
static _Atomic(void *) passed[THREADS];

static void *pass_on(void *argument)
{
    size_t place = (size_t)argument;
    for (int turn = 0; turn < TURNS; turn++) {
        size_t size = (size_t)turn % 1000 + 1;
        unsigned char *mine = heap_take(heap, size, HEAP_ALIGNMENT);
        memset(mine, (int)place, size);
        void *other = atomic_exchange(&passed[(place + 1) % THREADS], mine);
        if (other)
            heap_give_back(heap, other);
    }
    return NULL;
}

UNIT_TEST_BETWEEN(threads, start, finish)
{
    pthread_t all[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&all[i], NULL, pass_on, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    assert_non_null(heap_take(heap, LARGE, HEAP_ALIGNMENT));
}
