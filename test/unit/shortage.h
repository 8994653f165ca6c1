/*
 * shortage.h - what does code do when memory is short?
 *
 * For programs that are linked with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,
 * --wrap=aligned_alloc,--wrap=free: counts what is allocated and lets one allocation fail, which is
 * for tests with one thread.
 */
#ifndef UNIT_SHORTAGE_H
#define UNIT_SHORTAGE_H

#include <stdbool.h>

/*
 * Runs `scenario` again and again, with its first allocation failing, then with its second, and so
 * on, until a run makes fewer allocations than that. The test fails when a run leaves memory behind
 * or takes back more than it took, and when the last run made fewer than `least` allocations (the
 * scenario does not test what it should).
 */
void shortage_try_each(void (*scenario)(void), unsigned least);

/* True when an allocation of this run of the scenario has failed. */
bool shortage_was_met(void);

/* Pieces of memory that are allocated now, and how many allocations there have been. */
long shortage_live(void);
unsigned long shortage_allocations(void);

#endif
