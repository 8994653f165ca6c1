/*
 * stacks.h - memory for the stacks of thread tasks.
 *
 * The C library maps a stack for each thread and unmaps it at the end. Each time, all threads that
 * touch new memory stand still, and so does who starts the next one. Here the stacks of one spawn
 * are mapped together, and stacks whose threads have gone are used again.
 *
 * Nobody joins a thread task. A thread says that it is about to end, while it still stands on its
 * stack; the stack is free when the system knows the thread no more.
 *
 * Threads: any thread may call any function.
 */
#ifndef LIB_SPAWN_STACKS_H
#define LIB_SPAWN_STACKS_H

#include <stdbool.h>
#include <stddef.h>

struct process;
struct stack_block;

/* The place of one in a block; no block: there is none, and the C library may make one. */
struct stack {
    struct stack_block *block;
    int place;
};

/* Takes stacks of at least `size` bytes, as many of `count` as there is memory for. Returns how many. */
int stacks_take(struct process *process, size_t size, struct stack *stacks, int count);

/* Takes the stack of the source at a place (stack_source.h). False if that cannot be had. */
bool stacks_take_at(struct process *process, unsigned place, size_t size, struct stack *stack);

/* Whether the thread is to be one that can be joined. */
bool stack_wants_join(const struct stack *stack);

/* The lowest byte of the stack, which has *size bytes. */
void *stack_memory(const struct stack *stack, size_t *size);

/* The calling thread, which stands on the stack, is about to end. Nothing if there is no block. */
void stack_leave(struct process *process, const struct stack *stack);

/* No thread has been started on the stack. */
void stack_give_back(struct process *process, const struct stack *stack);

#endif
