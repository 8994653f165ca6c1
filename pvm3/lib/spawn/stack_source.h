/*
 * stack_source.h - for pvmulp alone: where the stacks of thread tasks come from, if libpvm3 is not
 * to map them.
 *
 * Threads: stacks_come_from is called before there is a thread task. The functions of a source are
 * called by any thread.
 */
#ifndef LIB_SPAWN_STACK_SOURCE_H
#define LIB_SPAWN_STACK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct stack_source {
    size_t reserve; /* every stack is to have so many bytes more, whole pages */
    /* The lowest byte of a stack of `size` bytes, whole pages; NULL: libpvm3 is to map it. */
    void *(*take)(size_t size);
    /* Likewise, at the place of this number; NULL: it is taken. */
    void *(*take_at)(unsigned place, size_t size);
    /* The lowest byte of the stack at a place. */
    void *(*at)(unsigned place);
    /* Whether its place is free from now on, and another process may have the number. */
    bool (*is_gone)(void *stack);
    /* Takes it back. No thread stands on it. */
    void (*give_back)(void *stack);
};

/* New stacks come from here from now on. The source stays. */
__attribute__((visibility("default"))) void stacks_come_from(const struct stack_source *source);

#endif
