/*
 * region.h - the addresses of a user-level process. Its stack, its image and its heap lie in one
 * region, and region number N lies at the same addresses on all hosts. So no pointer changes when
 * a user-level process moves. From the lowest address on:
 *
 *     guard | stack, thread-local variables | guard | record | guard | image | guard | heap ... | guard
 *
 * A guard cannot be touched. The stack comes with the thread. The record is a struct ulp. The image
 * is placed when the program is known. The heap has the rest, which cannot be touched before
 * region_open has opened it.
 *
 * The program does not begin at the top of the stack: what pvmulp and the C library have there is
 * not the program's, and differs from process to process.
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
    bool comes; /* it has come from another process: the number is not this process's, */
    bool gone;  /* or is not any more */
    unsigned char *stack, *stack_end;
    unsigned char *rest, *limit; /* what is free, for the image and then for the heap */
    struct heap *heap;           /* which begins at `rest`; NULL: not yet */
};

/*
 * Takes the size of regions from PVM_ULP_REGION, which is to be the same on all hosts. If its value
 * is not good, says so on stderr, and the default stays.
 */
void regions_begin(void);

/* The bytes of a guard. Pages are no larger anywhere. */
#define REGION_GUARD ((size_t)65536)

/* So many bytes at the top of a stack are not the program's. */
#define REGION_STACK_BASE ((size_t)65536)

/*
 * Takes a region with a stack of `size` bytes, whole pages. The lowest byte of the stack. NULL if
 * there can be none, which is said once on stderr.
 */
void *region_take_stack(size_t size);

/*
 * Likewise the region with this number, which another process has given away. NULL if its addresses
 * are taken, or without memory.
 */
void *region_take_stack_at(unsigned number, size_t size);

/* The number of a region. */
unsigned region_number(const struct region *region);

/* The lowest byte of the stack of this region. */
void *region_stack_at(unsigned number);

/* Whether the number of the region of a stack is not this process's. */
bool region_is_gone(void *stack);

/* Gives back the region of a stack, on which no thread stands. */
void region_give_back(void *stack);

/* Of an address where regions may lie: its region; NULL: something else lies there. */
struct region *region_at(const void *address);

/* The region that has the address; NULL: none. */
static inline struct region *region_of(const void *address)
{
    return (uintptr_t)address - REGIONS_FIRST < REGIONS_SPAN ? region_at(address) : NULL;
}

/* The region on whose stack the calling thread stands; NULL: none that a program may use. */
struct region *region_of_thread(void);

/* Where the record, or then the image, of so many bytes is to lie; NULL if it has no room. */
void *region_place(struct region *region, size_t size);

/* Where the stack of the program ends, as it grows downwards from there. */
static inline void *region_program_stack(const struct region *region)
{
    return region->stack_end - REGION_STACK_BASE;
}

/* These whole pages of a region may be used from now on. False without memory. */
bool region_open(unsigned char *from, unsigned char *end);

/* Drops record, image and heap. The stack stays. */
void region_empty(struct region *region);

#endif
