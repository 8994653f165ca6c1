/*
 * blocks.c - finds the block of a rank.
 */
#include "mpi/schedules/blocks.h"

struct items blocks_at(const struct blocks *blocks, int rank)
{
    struct items block;
    block.datatype = blocks->datatypes ? datatype_of(blocks->datatypes[rank]) : blocks->datatype;
    block.count = blocks->counts.array ? numbers_at(blocks->counts, rank) : blocks->count;
    MPI_Count place = blocks->displacements.array ? numbers_at(blocks->displacements, rank)
                                                  : rank * blocks->count;
    block.buffer = items_at(blocks->buffer, place, blocks->datatypes ? NULL : block.datatype);
    return block;
}
