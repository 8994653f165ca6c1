/*
 * option_calls.h - getopt and its kin: each program reads its own words.
 *
 * Beside optind and the other variables, the C library keeps where it is in a word, and which words
 * it has passed over. That has no name. It is found by what it is after a call, as glibc lays it
 * out; where it is not found, programs that call getopt are refused.
 *
 * Threads: any thread of a user-level process.
 */
#ifndef ULP_OPTION_CALLS_H
#define ULP_OPTION_CALLS_H

#include <stddef.h>

struct heap;
struct options;

/* On this heap, which frees it; NULL: on none. NULL without memory. */
struct options *options_begin(struct heap *heap);

/* Where the address of a program's variable of this name is kept; NULL: it is none of these. */
void **options_variable(struct options *options, const char *name, size_t *size);

/* The substitute for a function of this name; NULL if there is no substitute, or can be none. */
void *option_call_find(const char *name);

#endif
