/* region.c - regions are mapped whole, without memory, and opened in parts. */
#include "ulp/region.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/environment.h"
#include "ulp/region_numbers.h"

/* Sizes of a region in megabytes. */
#define MEGABYTES_DEFAULT 256
#define MEGABYTES_LEAST   16
#define MEGABYTES_MOST    65536

/* For pages that only cost something when they are used. */
#define MAP_EMPTY (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static size_t region_size = (size_t)MEGABYTES_DEFAULT << 20;

/* By their numbers. */
static struct region regions[REGION_NUMBERS];

unsigned region_number(const struct region *region)
{
    return (unsigned)(region - regions);
}

/* Its lowest address. */
static unsigned char *region_memory(const struct region *region)
{
    return (unsigned char *)(REGIONS_FIRST + region_number(region) * region_size);
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

/* False, and errno is EEXIST if its addresses are taken. */
static bool region_map(struct region *region)
{
    void *wanted = region_memory(region);
    void *memory = mmap(wanted, region_size, PROT_NONE, MAP_EMPTY | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == wanted) {
        atomic_store(&region->mapped, true);
        return true;
    }
    if (memory != MAP_FAILED) { /* by a kernel that does not know the flag */
        munmap(memory, region_size);
        errno = EEXIST;
    }
    return false;
}

/* Maps any region whose addresses are free. NULL if there is none. */
static struct region *region_map_any(void)
{
    unsigned number;
    while (region_number_take((unsigned)(REGIONS_SPAN / region_size), &number)) {
        struct region *region = &regions[number];
        if (region_map(region))
            return region;
        if (errno != EEXIST) {
            say_none(strerror(errno));
            region_number_give_back(number);
            return NULL;
        }
        say_taken(region_memory(region));
    }
    say_none("all are in use or taken");
    return NULL;
}

static void region_unmap(struct region *region)
{
    bool own = !region->comes && !region->gone;
    atomic_store(&region->mapped, false);
    munmap(region_memory(region), region_size);
    if (own)
        region_number_give_back(region_number(region));
}

bool region_open(unsigned char *from, unsigned char *end)
{
    return mprotect(from, (size_t)(end - from), PROT_READ | PROT_WRITE) == 0;
}

/* A region. ------------------------------------------------------------------------------------ */

/* Behind the stack there is nothing. */
static void region_clear(struct region *region)
{
    region->rest = region->stack_end + REGION_GUARD;
    region->limit = region_memory(region) + region_size - REGION_GUARD;
    region->heap = NULL;
}

/* In a region that is mapped, which is unmapped if this fails. */
static void *region_make_stack(struct region *region, size_t size)
{
    region->stack = region_memory(region) + REGION_GUARD;
    region->stack_end = region->stack + size;
    if (!region_open(region->stack, region->stack_end)) {
        say_none(strerror(errno));
        region_unmap(region);
        return NULL;
    }
    region_clear(region);
    return region->stack;
}

void *region_take_stack(size_t size)
{
    if (size > region_size / 2) {
        say_none("PVM_THREAD_STACK is more than half of PVM_ULP_REGION");
        return NULL;
    }
    struct region *region = region_map_any();
    if (!region)
        return NULL;
    region->comes = region->gone = false;
    return region_make_stack(region, size);
}

void *region_take_stack_at(unsigned number, size_t size)
{
    if (number >= REGION_NUMBERS || number >= REGIONS_SPAN / region_size || size > region_size / 2)
        return NULL;
    struct region *region = &regions[number];
    if (atomic_load(&region->mapped) || !region_map(region))
        return NULL;
    region->comes = true;
    region->gone = false;
    return region_make_stack(region, size);
}

void *region_stack_at(unsigned number)
{
    return region_memory(&regions[number]) + REGION_GUARD;
}

bool region_is_gone(void *stack)
{
    const struct region *region = region_of(stack);
    return region->gone || region->comes;
}

void region_give_back(void *stack)
{
    struct region *region = region_of(stack);
    if (!region->stays)
        region_unmap(region);
}

struct region *region_at(const void *address)
{
    size_t number = ((uintptr_t)address - REGIONS_FIRST) / region_size;
    if (number >= REGION_NUMBERS ||
        !atomic_load_explicit(&regions[number].mapped, memory_order_relaxed))
        return NULL;
    return &regions[number];
}

struct region *region_of_thread(void)
{
    struct region *region = region_of(__builtin_frame_address(0));
    return region && !region->stays ? region : NULL;
}

void *region_place(struct region *region, size_t size)
{
    unsigned char *place = region->rest;
    size = (size + REGION_GUARD - 1) & ~(REGION_GUARD - 1);
    if (size + 2 * REGION_GUARD > (size_t)(region->limit - place)) {
        say_none("the program has no room in PVM_ULP_REGION");
        return NULL;
    }
    region->rest += size + REGION_GUARD;
    return place;
}

void region_empty(struct region *region)
{
    unsigned char *end = region_memory(region) + region_size;
    mmap(region->stack_end, (size_t)(end - region->stack_end), PROT_NONE, MAP_EMPTY | MAP_FIXED, -1,
         0);
    region_clear(region);
}
