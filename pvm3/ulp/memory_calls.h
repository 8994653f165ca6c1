/*
 * memory_calls.h - calls of the C library that give memory to a program, which is to lie in its
 * region, or that keep memory which a program gives them.
 *
 * Threads: any thread of a user-level process.
 */
#ifndef ULP_MEMORY_CALLS_H
#define ULP_MEMORY_CALLS_H

/* The substitute for a function of this name; NULL if there is no substitute. */
void *memory_call_find(const char *name);

#endif
