/*
 * region.h - the addresses of a user-level process. Its stack, its image and its heap lie in one
 * region, and region number N lies at the same addresses on all hosts. So no pointer changes when
 * a user-level process moves. From the lowest address on:
 *
 *     guard | stack, thread-local variables | guard | image | guard | heap ... | guard
 *
 * A guard cannot be touched. The stack comes with the thread. The image is placed when the program
 * is known. The heap has the rest, which cannot be touched before region_open has opened it.
 *
 * Threads: any thread may take and give back regions; the rest is for the thread that runs the
 * user-level process.
 */
#ifndef ULP_REGION_H
#define ULP_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where regions lie. The kernel maps what has no address of its own from the top of the addresses
 * down, from a third of them up, or from a sixth of them down. ThreadSanitizer leaves less.
 */
#if defined(__SANITIZE_THREAD__)
#define REGIONS_FIRST ((uintptr_t)0x560000000000)
#define REGIONS_SPAN  ((uintptr_t)0x008000000000)
#else
#define REGIONS_FIRST ((uintptr_t)0x160000000000)
#define REGIONS_SPAN  ((uintptr_t)0x140000000000)
#endif

struct heap;

struct region {
    atomic_bool mapped;
    bool stays; /* for ever: threads of the program have outlived it */
    unsigned char *stack, *stack_end;
    unsigned char *rest, *limit; /* what is free, for the image and then for the heap */
    struct heap *heap;           /* which begins at `rest`; NULL: not yet */
};

/*
 * Takes the size of regions from PVM_ULP_REGION, which is to be the same on all hosts. If its value
 * is not good, says so on stderr, and the default stays.
 */
void regions_begin(void);

/*
 * Takes a region with a stack of `size` bytes, whole pages. The lowest byte of the stack. NULL if
 * there can be none, which is said once on stderr.
 */
void *region_take_stack(size_t size);

/* Gives back the region of a stack, on which no thread stands. */
void region_give_back(void *stack);

/* Of an address where regions may lie: its region; NULL: something else lies there. */
struct region *region_at(const void *address);

/* The region that has the address; NULL: none. */
static inline struct region *region_of(const void *address)
{
    return (uintptr_t)address - REGIONS_FIRST < REGIONS_SPAN ? region_at(address) : NULL;
}

/* Its number, which nobody else has. */
unsigned region_number(const struct region *region);

/* The region on whose stack the calling thread stands; NULL: none that a program may use. */
struct region *region_of_thread(void);

/* Where an image of so many bytes, whole pages, is to lie; NULL if it has no room. */
void *region_place_image(struct region *region, size_t span);

/* These whole pages of a region may be used from now on. False without memory. */
bool region_open(unsigned char *from, unsigned char *end);

/* Drops image and heap. The stack stays. */
void region_empty(struct region *region);

#endif
