/* stacks.c - blocks of stacks, and who stands on each of them. */
#include "lib/spawn/stacks.h"

#include <errno.h>
#include <pthread.h>
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

/* For so long a thread that has moved away may be about to end. */
#define LEAVING_SECONDS 10

/* So many stacks at most are kept for one that is in use, or was last. */
#define BLOCK_MOST 64

/* Stacks that were mapped at once. Each has a page below it that cannot be touched. */
struct stack_block {
    struct stack_block *next;
    const struct stack_source *source; /* of the one stack of the block; NULL: it is mapped here */
    char *memory;
    size_t size; /* of a stack */
    int count;
    int used;         /* threads that have not said that they end */
    bool gone;        /* the source has given the place away */
    pthread_t leaver; /* who stood there then */
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
    block->gone = false;
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
    if (block->gone && *user > 0 && pthread_tryjoin_np(block->leaver, NULL) == 0)
        *user = STACK_FREE;
    if (!block->gone && *user > 0 && syscall(SYS_tgkill, getpid(), *user, 0) < 0 && errno == ESRCH)
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
    if (block->gone)
        return 0;
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
    size += lease->stack_source ? lease->stack_source->reserve : 0;
    int taken = stacks_take_free(lease, size, stacks, count), more = 1;
    for (; taken < count && more > 0; taken += more)
        more = stacks_take_new(lease, size, stacks + taken, count - taken);
    return taken;
}

/* Takes one out of the list whose place is gone, and whose thread has said that it ends. */
static struct stack_block *stacks_take_gone(struct lease *lease)
{
    lock_acquire(&lease->lock);
    struct stack_block **list = &lease->stacks;
    while (*list && !((*list)->gone && (*list)->used == 0))
        list = &(*list)->next;
    struct stack_block *block = *list;
    if (block)
        *list = block->next;
    lock_release(&lease->lock);
    return block;
}

/* Waits for threads that are about to end, and unmaps their stacks. */
static void stacks_clear_gone(struct lease *lease)
{
    struct stack_block *block;
    while ((block = stacks_take_gone(lease)) != NULL) {
        if (!stack_is_free(block, 0))
            pthread_join(block->leaver, NULL);
        block_unmap(block);
        free(block);
    }
}

/*
 * The task that is to come may have left this process a moment ago, and its thread not ended yet:
 * waits for that, for seconds. False if something else has the place.
 */
static bool stacks_await_leaver(struct lease *lease, const void *memory)
{
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += LEAVING_SECONDS;
    lock_acquire(&lease->lock);
    struct stack_block *block = lease->stacks;
    while (block && !(block->source && block_stack(block, 0) == memory))
        block = block->next;
    bool waits = block != NULL;
    while (waits && block->used > 0)
        waits = sleepers_sleep(&lease->left, &lease->lock, &limit) != ETIMEDOUT;
    lock_release(&lease->lock);
    stacks_clear_gone(lease);
    return waits;
}

static void *stacks_find_at(struct lease *lease, unsigned place, size_t size)
{
    const struct stack_source *source = lease->stack_source;
    void *memory = source->take_at(place, size);
    if (!memory && stacks_await_leaver(lease, source->at(place)))
        memory = source->take_at(place, size);
    return memory;
}

bool stacks_take_at(struct process *process, unsigned place, size_t size, struct stack *stack)
{
    struct lease *lease = &process->lease;
    const struct stack_source *source = lease->stack_source;
    struct stack_block *block = source ? calloc(1, sizeof *block + sizeof *block->users) : NULL;
    char *memory = block ? stacks_find_at(lease, place, size) : NULL;
    if (!memory) {
        free(block);
        return false;
    }
    block->source = source;
    block->memory = memory - stack_guard();
    block->size = size;
    block->count = block->used = 1;
    block->users[0] = STACK_USED;
    *stack = (struct stack){block, 0};
    lock_acquire(&lease->lock);
    block->next = lease->stacks;
    lease->stacks = block;
    lock_release(&lease->lock);
    return true;
}

bool stack_wants_join(const struct stack *stack)
{
    return stack->block && stack->block->source;
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
    sleepers_wake_all(&lease->left);
    lock_release(&lease->lock);
    blocks_free(parted);
}

void stack_leave(struct process *process, const struct stack *stack)
{
    struct stack_block *block = stack->block;
    if (stack_wants_join(stack)) {
        block->leaver = pthread_self();
        block->gone = block->source->is_gone(block_stack(block, 0));
        if (!block->gone)
            pthread_detach(block->leaver);
    }
    if (block)
        stack_set_user(process, stack, (pid_t)syscall(SYS_gettid));
}

void stack_give_back(struct process *process, const struct stack *stack)
{
    if (stack->block)
        stack_set_user(process, stack, STACK_FREE);
}
