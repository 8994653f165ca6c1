/* region.c - regions are mapped whole, without memory, and opened in parts. */
#include "ulp/region.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/environment.h"
#include "ulp/program_file.h"
#include "ulp/region_numbers.h"

/* Sizes of a region in megabytes. */
#define MEGABYTES_DEFAULT 256
#define MEGABYTES_LEAST   16
#define MEGABYTES_MOST    65536

/* Pages are no larger anywhere. */
#define GUARD ((size_t)65536)

/* Where the heap begins, aligned like a block of it. */
#define HEAP_OFFSET ((sizeof(struct region) + 63) / 64 * 64)

/* For pages that only cost something when they are used. */
#define MAP_EMPTY (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static size_t region_size = (size_t)MEGABYTES_DEFAULT << 20;

/* Whether there is a region of this number here. */
static atomic_bool mapped[REGION_NUMBERS];

static unsigned region_number(const void *address)
{
    return (unsigned)(((uintptr_t)address - REGIONS_FIRST) / region_size);
}

void regions_begin(void)
{
    const char *value = environment_get("PVM_ULP_REGION", NULL);
    long megabytes = environment_get_number("PVM_ULP_REGION", 0);
    bool good = megabytes >= MEGABYTES_LEAST && megabytes <= MEGABYTES_MOST &&
                (megabytes & (megabytes - 1)) == 0;
    if (good)
        region_size = (size_t)megabytes << 20;
    else if (value)
        fprintf(
            stderr,
            "pvmulp: PVM_ULP_REGION=%s is not good: it is to be a power of two from %d to %d, in "
            "megabytes; %d is used\n",
            value, MEGABYTES_LEAST, MEGABYTES_MOST, MEGABYTES_DEFAULT);
}

/* Mapping. ------------------------------------------------------------------------------------- */

static void say_taken(const void *address)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        fprintf(stderr,
                "pvmulp: the addresses from %p on are taken on this host: they and others that are "
                "taken are passed over\n",
                address);
}

static void say_none(const char *why)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        fprintf(stderr,
                "pvmulp: no region of addresses for a user-level process: %s; it runs without one, "
                "and cannot move to another host\n",
                why);
}

/* Maps the region of this number. NULL, and errno is EEXIST if its addresses are taken. */
static unsigned char *region_map(unsigned number)
{
    void *wanted = (void *)(REGIONS_FIRST + number * region_size);
    void *memory = mmap(wanted, region_size, PROT_NONE, MAP_EMPTY | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == wanted) {
        atomic_store(&mapped[number], true);
        return memory;
    }
    if (memory != MAP_FAILED) { /* by a kernel that does not know the flag */
        munmap(memory, region_size);
        errno = EEXIST;
    }
    return NULL;
}

/* Maps any region whose addresses are free. NULL if there is none. */
static unsigned char *region_map_any(void)
{
    unsigned number;
    while (region_number_take((unsigned)(REGIONS_SPAN / region_size), &number)) {
        unsigned char *memory = region_map(number);
        if (memory)
            return memory;
        if (errno != EEXIST) {
            say_none(strerror(errno));
            region_number_give_back(number);
            return NULL;
        }
        say_taken((void *)(REGIONS_FIRST + number * region_size));
    }
    say_none("all are in use or taken");
    return NULL;
}

static void region_unmap(struct region *region)
{
    unsigned number = region_number(region);
    atomic_store(&mapped[number], false);
    munmap(region, region_size);
    region_number_give_back(number);
}

bool region_open(unsigned char *from, unsigned char *end)
{
    return mprotect(from, (size_t)(end - from), PROT_READ | PROT_WRITE) == 0;
}

/* A region --------------------------------------------------------------------------------------*/

static void region_lay_out(struct region *region, unsigned char *stack)
{
    region->stack = stack;
    region->heap = (struct heap *)((unsigned char *)region + HEAP_OFFSET);
    region->limit = stack - GUARD;
}

void *region_take_stack(size_t size)
{
    if (size > region_size / 2) {
        say_none("PVM_THREAD_STACK is more than half of PVM_ULP_REGION");
        return NULL;
    }
    unsigned char *memory = region_map_any();
    if (!memory)
        return NULL;
    unsigned char *end = memory + region_size - GUARD, *stack = end - size;
    if (!region_open(memory, memory + program_file_page()) || !region_open(stack, end)) {
        say_none(strerror(errno));
        region_unmap((struct region *)memory);
        return NULL;
    }
    region_lay_out((struct region *)memory, stack);
    return stack;
}

void region_give_back(void *stack)
{
    struct region *region = region_of(stack);
    if (!region->stays)
        region_unmap(region);
}

struct region *region_at(const void *address)
{
    unsigned number = region_number(address);
    bool here =
        number < REGION_NUMBERS && atomic_load_explicit(&mapped[number], memory_order_relaxed);
    return here ? (struct region *)((uintptr_t)address & ~(uintptr_t)(region_size - 1)) : NULL;
}

struct region *region_of_thread(void)
{
    struct region *region = region_of(__builtin_frame_address(0));
    return region && !region->stays ? region : NULL;
}

void *region_place_image(struct region *region, size_t span)
{
    if (span + GUARD > (size_t)(region->limit - (unsigned char *)region->heap))
        return NULL;
    unsigned char *image = region->limit - span;
    region->limit = image - GUARD;
    return image;
}

void region_empty(struct region *region)
{
    unsigned char *first = (unsigned char *)region + program_file_page();
    mmap(first, (size_t)(region->stack - first), PROT_NONE, MAP_EMPTY | MAP_FIXED, -1, 0);
    region_lay_out(region, region->stack);
}
