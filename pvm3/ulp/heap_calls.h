/*
 * heap_calls.h - malloc and its kin, for all of pvmulp. The caller decides where memory lies, and
 * the address of the memory decides how it is freed.
 *
 * In the region of a program lies what it asks for, what the library of C++ asks for in its name
 * (new_calls.h), and the streams that it opens (file_calls.c). Memory for other libraries lies in
 * the heap of the process, since they refer to it in variables of their own, which outlive the
 * program.
 *
 * Threads: any thread may call any function.
 */
#ifndef ULP_HEAP_CALLS_H
#define ULP_HEAP_CALLS_H

#include <stddef.h>

struct heap;

/* Once, before there is a program. */
void heap_calls_begin(void);

/* The substitute in a program for a function of this name; NULL if there is no substitute. */
void *heap_call_find(const char *name);

/* malloc and realloc as the calling thread's program has them. */
void *heap_call_malloc(size_t size);
void *heap_call_realloc(void *block, size_t size);

/*
 * A block from this heap, or from that of the process: if there is none (NULL), or if the region is
 * full. The alignment is a power of two, HEAP_ALIGNMENT at least. NULL without memory.
 */
void *heap_call_take(struct heap *heap, size_t size, size_t alignment);

#endif
