/* stacks.c - blocks of stacks, and who stands on each of them. */
#include "lib/spawn/stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/annotate.h"
#include "lib/spawn/stack_source.h"
#include "lib/task/process.h"

/* Who stands on a stack: one of these, or the thread, by its number, that is about to end there. */
#define STACK_FREE 0
#define STACK_USED (-1)

/* So many stacks at most are kept for one that is in use, or was last. */
#define BLOCK_MOST 64

/* Stacks that were mapped at once. Each has a page below it that cannot be touched. */
struct stack_block {
    struct stack_block *next;
    const struct stack_source *source; /* of the one stack of the block; NULL: it is mapped here */
    char *memory;
    size_t size; /* of a stack */
    int count;
    int used; /* threads that have not said that they end */
    pid_t users[];
};

static size_t stack_guard(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t block_bytes(const struct stack_block *block)
{
    return (size_t)block->count * (block->size + stack_guard());
}

static void *block_stack(const struct stack_block *block, int place)
{
    return block->memory + (size_t)place * (block->size + stack_guard()) + stack_guard();
}

/* The source has given the stack, with what lies below it. */
static bool block_take_from(struct stack_block *block, const struct stack_source *source)
{
    char *stack = source->take(block->size);
    if (!stack)
        return false;
    block->source = source;
    block->memory = stack - stack_guard();
    return true;
}

/* False without memory. */
static bool block_map(struct stack_block *block)
{
    void *memory = mmap(NULL, block_bytes(block), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    block->memory = memory;
    for (int i = 0; i < block->count; i++)
        if (mprotect((char *)block_stack(block, i) - stack_guard(), stack_guard(), PROT_NONE) < 0) {
            munmap(memory, block_bytes(block));
            return false;
        }
    return true;
}

static void block_unmap(const struct stack_block *block)
{
    if (block->source)
        block->source->give_back(block_stack(block, 0));
    else
        munmap(block->memory, block_bytes(block));
}

/* All its stacks are in use. A source gives one at a time. NULL without memory. */
static struct stack_block *block_new(const struct stack_source *source, size_t size, int count)
{
    count = source ? 1 : count;
    struct stack_block *block = malloc(sizeof *block + (size_t)count * sizeof *block->users);
    if (!block)
        return NULL;
    block->source = NULL;
    block->size = size;
    block->count = block->used = count;
    for (int i = 0; i < count; i++)
        block->users[i] = STACK_USED;
    if ((source && block_take_from(block, source)) || block_map(block))
        return block;
    free(block);
    return NULL;
}

static void blocks_free(struct stack_block *block)
{
    while (block) {
        struct stack_block *next = block->next;
        block_unmap(block);
        free(block);
        block = next;
    }
}

/* With the lock, as those that follow. */
static bool stack_is_free(struct stack_block *block, int place)
{
    pid_t *user = &block->users[place];
    if (*user > 0 && syscall(SYS_tgkill, getpid(), *user, 0) < 0 && errno == ESRCH)
        *user = STACK_FREE;
    return *user == STACK_FREE;
}

static bool block_is_free(struct stack_block *block)
{
    int place = 0;
    while (block->used == 0 && place < block->count && stack_is_free(block, place))
        place++;
    return place == block->count;
}

/* Takes the free blocks out of the list, but for one. */
static struct stack_block *blocks_part(struct stack_block **list, const struct stack_block *kept)
{
    struct stack_block *parted = NULL;
    while (*list) {
        struct stack_block *block = *list;
        if (block == kept || !block_is_free(block)) {
            list = &block->next;
            continue;
        }
        *list = block->next;
        block->next = parted;
        parted = block;
    }
    return parted;
}

static int block_take(struct stack_block *block, struct stack *stacks, int count)
{
    int taken = 0;
    for (int i = 0; i < block->count && taken < count; i++) {
        if (!stack_is_free(block, i))
            continue;
        ANNOTATE_RENEWED(block_stack(block, i), block->size);
        block->users[i] = STACK_USED;
        block->used++;
        stacks[taken++] = (struct stack){block, i};
    }
    return taken;
}

static int stacks_take_free(struct lease *lease, size_t size, struct stack *stacks, int count)
{
    int taken = 0;
    lock_acquire(&lease->lock);
    for (struct stack_block *block = lease->stacks; block; block = block->next)
        if (block->size == size && block->used < block->count)
            taken += block_take(block, stacks + taken, count - taken);
    lock_release(&lease->lock);
    return taken;
}

/* Maps up to `count` stacks, and takes them all. How many; 0 without memory. */
static int stacks_take_new(struct lease *lease, size_t size, struct stack *stacks, int count)
{
    count = count < BLOCK_MOST ? count : BLOCK_MOST;
    struct stack_block *block = block_new(lease->stack_source, size, count);
    if (!block)
        return 0;
    for (int i = 0; i < block->count; i++)
        stacks[i] = (struct stack){block, i};
    lock_acquire(&lease->lock);
    block->next = lease->stacks;
    lease->stacks = block;
    lock_release(&lease->lock);
    return block->count;
}

void stacks_come_from(const struct stack_source *source)
{
    caller_self()->task->process->lease.stack_source = source;
}

int stacks_take(struct process *process, size_t size, struct stack *stacks, int count)
{
    struct lease *lease = &process->lease;
    size = (size + stack_guard() - 1) / stack_guard() * stack_guard(); /* whole pages */
    int taken = stacks_take_free(lease, size, stacks, count), more = 1;
    for (; taken < count && more > 0; taken += more)
        more = stacks_take_new(lease, size, stacks + taken, count - taken);
    return taken;
}

void *stack_memory(const struct stack *stack, size_t *size)
{
    *size = stack->block->size;
    return block_stack(stack->block, stack->place);
}

/* The last one of a block frees the others: so what many have used does not stay. */
static void stack_set_user(struct process *process, const struct stack *stack, pid_t user)
{
    struct lease *lease = &process->lease;
    struct stack_block *block = stack->block, *parted = NULL;
    lock_acquire(&lease->lock);
    block->users[stack->place] = user;
    if (--block->used == 0)
        parted = blocks_part(&lease->stacks, block);
    lock_release(&lease->lock);
    blocks_free(parted);
}

void stack_leave(struct process *process, const struct stack *stack)
{
    if (stack->block)
        stack_set_user(process, stack, (pid_t)syscall(SYS_gettid));
}

void stack_give_back(struct process *process, const struct stack *stack)
{
    if (stack->block)
        stack_set_user(process, stack, STACK_FREE);
}
