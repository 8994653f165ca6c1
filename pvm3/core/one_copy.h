/*
 * one_copy.h - does an array go to another process in one copy or in two?
 *
 * Two copies go through memory that both processes map. One copy is made by the system from the
 * memory of the one to that of the other; it looks up and holds each page for that. What is
 * faster depends on the processor, its caches, the kernel, a hypervisor below it and the size of
 * pages, and no constant is right everywhere. So both are measured:
 *
 * - For each size, to a power of two, the cost of a byte in one copy and in two copies is kept. The
 *   sender measures one copy as a whole. Of two copies it makes only the first. The receiver makes
 *   the second, which takes about as long and begins when the first is done: the receiver already
 *   waits for the message and can do nothing else. So the first copy counts twice. Where the
 *   receiver copies meanwhile, the sender tells a shorter time.
 * - The cheaper way is taken. The dearer way is tried again now and then, a few times in a row,
 *   since only then are the caches warm, and less often each time that it is still dearer. So
 *   trying costs little, and a machine that changes is noticed.
 * - A fast copy shows at once what is possible: the first ones to memory that is new take long.
 *   Slow ones raise the cost slowly, since a thread may lose its processor amid a copy; what
 *   takes much too long counts no more than a few times as long.
 *
 * A value that is told times and never asks a clock. One caller at a time.
 */
#ifndef CORE_ONE_COPY_H
#define CORE_ONE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Settings are this, or from how many bytes on it is one copy, whatever that costs; 0: never. */
#define ONE_COPY_AUTO (-1)

/* And the largest: the system copies less than twice as much in one call. */
#define ONE_COPY_MOST (1 << 30)

/* With auto shorter ones go in two copies: there is nothing to be gained. */
#define ONE_COPY_LEAST_BITS 16
#define ONE_COPY_SIZES      15 /* powers of two up to ONE_COPY_MOST */

struct one_copy_size {
    double costs[2];   /* nanoseconds a byte: [0] of two copies, [1] of one */
    unsigned known[2]; /* times that each cost was measured, while they are few */
    unsigned left;     /* choices until the dearer one is tried */
    unsigned pause;    /* and how many there are before that */
    unsigned tries;    /* that are left of it */
};

struct one_copy {
    int64_t setting;
    struct one_copy_size sizes[ONE_COPY_SIZES];
};

void one_copy_start(struct one_copy *one_copy, int64_t setting);

/* The least number of bytes for which one copy comes into question; SIZE_MAX when it never does. */
size_t one_copy_least(int64_t setting);

/* True when the times of copies of `size` bytes are wanted, for one_copy_took. */
bool one_copy_learns(const struct one_copy *one_copy, size_t size);

/* Whether `size` bytes are to go in one copy. Once for each message that may go either way. */
bool one_copy_chooses(struct one_copy *one_copy, size_t size);

/* `size` bytes took so long: the one copy, or the first of two. */
void one_copy_took(struct one_copy *one_copy, size_t size, bool in_one, int64_t nanoseconds);

#endif
