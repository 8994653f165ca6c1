/* region_blocks.c - a host for each block, and a process for each number. */
#include "daemon/post/region_blocks.h"

#include <stdlib.h>

#include <pvm3.h>

struct region_block {
    int32_t free;
    pid_t holders[CONTROL_REGION_BLOCK]; /* 0: the number is free */
};

static bool block_is_one(int32_t block)
{
    return block >= 0 && block < CONTROL_REGION_BLOCKS;
}

int32_t block_owners_grant(struct block_owners *owners, uint32_t part)
{
    for (int32_t block = 0; block < CONTROL_REGION_BLOCKS; block++) {
        if (owners->parts[block] != 0)
            continue;
        owners->parts[block] = part;
        return block;
    }
    return PvmOutOfRes;
}

bool block_owners_take_back(struct block_owners *owners, uint32_t part, int32_t block)
{
    if (!block_is_one(block) || owners->parts[block] != part)
        return false;
    owners->parts[block] = 0;
    return true;
}

void block_owners_keep(struct block_owners *owners, uint32_t part, int32_t block)
{
    if (block_is_one(block) && owners->parts[block] == 0)
        owners->parts[block] = part;
}

void block_owners_forget(struct block_owners *owners, uint32_t part)
{
    for (int32_t block = 0; block < CONTROL_REGION_BLOCKS; block++)
        block_owners_take_back(owners, part, block);
}

int region_blocks_add(struct region_blocks *blocks, int32_t block)
{
    if (!block_is_one(block) || blocks->blocks[block])
        return PvmBadParam;
    struct region_block *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return PvmNoMem;
    fresh->free = CONTROL_REGION_BLOCK;
    blocks->blocks[block] = fresh;
    blocks->free += CONTROL_REGION_BLOCK;
    return 0;
}

/* The place of the first number that the process holds; of the first free one for 0. -1: none. */
static int32_t region_block_find(const struct region_block *block, pid_t process)
{
    for (int32_t i = 0; i < CONTROL_REGION_BLOCK; i++)
        if (block->holders[i] == process)
            return i;
    return -1;
}

/* The process holds the number now, which was free; 0: the number is free now. */
static void region_blocks_set(struct region_blocks *blocks, int32_t number, pid_t process)
{
    struct region_block *block = blocks->blocks[number / CONTROL_REGION_BLOCK];
    int32_t more = process ? -1 : 1;
    block->holders[number % CONTROL_REGION_BLOCK] = process;
    block->free += more;
    blocks->free += more;
}

int32_t region_blocks_take(struct region_blocks *blocks, pid_t process)
{
    int32_t block = 0;
    while (!blocks->blocks[block] || blocks->blocks[block]->free == 0)
        block++;
    int32_t number = block * CONTROL_REGION_BLOCK + region_block_find(blocks->blocks[block], 0);
    region_blocks_set(blocks, number, process);
    return number;
}

bool region_blocks_give_back(struct region_blocks *blocks, pid_t process, int32_t number)
{
    const struct region_block *block = NULL;
    if (number >= 0 && number < CONTROL_REGION_COUNT)
        block = blocks->blocks[number / CONTROL_REGION_BLOCK];
    if (!block || process == 0 || block->holders[number % CONTROL_REGION_BLOCK] != process)
        return false;
    region_blocks_set(blocks, number, 0);
    return true;
}

bool region_blocks_claim(struct region_blocks *blocks, int32_t number)
{
    const struct region_block *block = blocks->blocks[number / CONTROL_REGION_BLOCK];
    if (!block || block->holders[number % CONTROL_REGION_BLOCK] != 0)
        return false;
    region_blocks_set(blocks, number, REGION_TRAVELS);
    return true;
}

bool region_blocks_hand_over(struct region_blocks *blocks, pid_t process, int32_t number, pid_t to)
{
    if (!region_blocks_give_back(blocks, process, number))
        return false;
    region_blocks_set(blocks, number, to);
    return true;
}

bool region_blocks_know(const struct region_blocks *blocks, pid_t process)
{
    for (int32_t block = 0; block < CONTROL_REGION_BLOCKS; block++)
        if (blocks->blocks[block] && region_block_find(blocks->blocks[block], process) >= 0)
            return true;
    return false;
}

void region_blocks_forget(struct region_blocks *blocks, pid_t process)
{
    for (int32_t block = 0; block < CONTROL_REGION_BLOCKS; block++)
        for (int32_t i = 0; blocks->blocks[block] && i < CONTROL_REGION_BLOCK; i++)
            region_blocks_give_back(blocks, process, block * CONTROL_REGION_BLOCK + i);
}

/* The last block that no process uses, below `end`; -1: none. */
static int32_t region_blocks_find_unused(const struct region_blocks *blocks, int32_t end)
{
    while (--end >= 0)
        if (blocks->blocks[end] && blocks->blocks[end]->free == CONTROL_REGION_BLOCK)
            return end;
    return -1;
}

int32_t region_blocks_remove_spare(struct region_blocks *blocks)
{
    int32_t spare = region_blocks_find_unused(blocks, CONTROL_REGION_BLOCKS);
    if (spare < 0 || region_blocks_find_unused(blocks, spare) < 0)
        return -1;
    free(blocks->blocks[spare]);
    blocks->blocks[spare] = NULL;
    blocks->free -= CONTROL_REGION_BLOCK;
    return spare;
}

void region_blocks_finish(struct region_blocks *blocks)
{
    for (int32_t block = 0; block < CONTROL_REGION_BLOCKS; block++)
        free(blocks->blocks[block]);
    *blocks = (struct region_blocks){0};
}
