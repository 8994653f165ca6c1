/* memory.h - memory of a program. If no memory is left, the program ends with a line. */
#ifndef SCHED_MEMORY_H
#define SCHED_MEMORY_H

#include <stddef.h>

/* Room for `count` values, all zero. */
void *memory_take(size_t count, size_t size);

/* Makes room for one value behind `count` of an array with room for `*room`. Returns the array. */
void *memory_grow(void *array, size_t count, size_t *room, size_t size);

#endif
