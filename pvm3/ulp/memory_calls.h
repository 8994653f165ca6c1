/*
 * memory_calls.h - calls of the C library that give memory to a program, which is to lie in its
 * region, or that keep memory which a program gives them.
 *
 * Threads: any thread of a user-level process.
 */
#ifndef ULP_MEMORY_CALLS_H
#define ULP_MEMORY_CALLS_H

/* What stands for a function of this name; NULL: it is none of these. */
void *memory_call_find(const char *name);

#endif
