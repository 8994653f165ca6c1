/*
 * region_blocks.h - the numbers of regions, in blocks: which hosts have the blocks, and which processes
 * of this host hold the numbers. Values: nothing is sent here.
 *
 * A region is a range of addresses in which a user-level process lives (ulp/). No two regions of
 * the virtual machine have one number, so that a user-level process can move to another host. The
 * master knows which host has which block. The pvmd of that host knows which process holds which
 * number of its blocks. One thread.
 */
#ifndef DAEMON_POST_REGION_BLOCKS_H
#define DAEMON_POST_REGION_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/control.h"

/* The host that has each block, by the host part of its tids; 0: none. Zeros: all are free. */
struct block_owners {
    uint32_t parts[CONTROL_REGION_BLOCKS];
};

/* Gives the first free block to a host. The block, or PvmOutOfRes. */
int32_t block_owners_grant(struct block_owners *owners, uint32_t part);
/* Takes a block back. False if the host does not have it. */
bool block_owners_take_back(struct block_owners *owners, uint32_t part, int32_t block);
/* The block is that of the host again, if it is free: a task of the host lives elsewhere in it. */
void block_owners_keep(struct block_owners *owners, uint32_t part, int32_t block);
/* The host is gone: all its blocks are free. */
void block_owners_forget(struct block_owners *owners, uint32_t part);

/* In place of a process: the number is that of a task that has moved, or is moving. */
#define REGION_TRAVELS ((pid_t)-1)

struct region_block;

/* The blocks of this host. Zeros: it has none. */
struct region_blocks {
    struct region_block *blocks[CONTROL_REGION_BLOCKS]; /* NULL: not this host's */
    int32_t free;                                       /* numbers that no process holds */
};

/* Adds a block that the master has granted. 0, PvmBadParam for no new block, or PvmNoMem. */
int region_blocks_add(struct region_blocks *blocks, int32_t block);
/* Gives the lowest free number to a process, which is not 0. There must be a free number. */
int32_t region_blocks_take(struct region_blocks *blocks, pid_t process);
/* The number, which is free, is that of a task that has moved. False if it is not free here. */
bool region_blocks_claim(struct region_blocks *blocks, int32_t number);
/* Takes a number back. False if the process does not hold it. */
bool region_blocks_give_back(struct region_blocks *blocks, pid_t process, int32_t number);
/* Another process holds the number now. False if `process` does not hold it. */
bool region_blocks_hand_over(struct region_blocks *blocks, pid_t process, int32_t number, pid_t to);
/* Whether the process holds any number. */
bool region_blocks_know(const struct region_blocks *blocks, pid_t process);
/* The process is gone: all its numbers are free. */
void region_blocks_forget(struct region_blocks *blocks, pid_t process);
/*
 * If no process holds any number of two blocks or more, the host keeps the lowest of them. Removes
 * the highest, and returns it; -1: none.
 */
int32_t region_blocks_remove_spare(struct region_blocks *blocks);
/* The host has no blocks any more. */
void region_blocks_finish(struct region_blocks *blocks);

#endif
