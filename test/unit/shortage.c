/* shortage.c - stands between the program and the C library's allocator. */
#include "shortage.h"

#include <stdatomic.h>

#include "unit.h"

static unsigned countdown; /* 0: nothing fails; 1: the next allocation fails */
static bool was_met;
static atomic_long live;
static atomic_ulong allocations;

/* The names are the linker's: see --wrap in its manual. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static bool shortage_strikes(void)
{
    allocations++;
    if (countdown == 0 || --countdown > 0)
        return false;
    was_met = true;
    return true;
}

static void *shortage_counted(void *memory)
{
    live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return shortage_strikes() ? NULL : shortage_counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return shortage_strikes() ? NULL : shortage_counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (shortage_strikes())
        return NULL;
    return memory ? __real_realloc(memory, size) : shortage_counted(__real_realloc(NULL, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return shortage_strikes() ? NULL : shortage_counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
    live -= memory != NULL;
    __real_free(memory);
}

void shortage_try_each(void (*scenario)(void), unsigned least)
{
    unsigned failing = 0;
    do {
        long before = live;
        countdown = ++failing;
        was_met = false;
        scenario();
        countdown = 0;
        assert_int_equal(live, before);
    } while (was_met);
    assert_true(failing > least);
}

bool shortage_was_met(void)
{
    return was_met;
}

long shortage_live(void)
{
    return live;
}

unsigned long shortage_allocations(void)
{
    return allocations;
}
