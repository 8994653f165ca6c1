/*
 * blocks.h - where the blocks lie that a collective operation has for each rank: as one count, as
 * counts and displacements, or with datatypes of their own.
 */
#ifndef MPI_SCHEDULES_BLOCKS_H
#define MPI_SCHEDULES_BLOCKS_H

#include "mpi/schedules/items.h"
#include "mpi/values/program_numbers.h"

struct blocks {
    void *buffer;    /* or MPI_IN_PLACE */
    MPI_Count count; /* of each block; with `counts` it means nothing */
    struct datatype *datatype;
    struct numbers counts;
    struct numbers displacements;  /* in extents, or in bytes with `datatypes`; none: no gaps */
    const MPI_Datatype *datatypes; /* of each block; NULL: `datatype` */
};

/* The block of that rank. */
struct items blocks_at(const struct blocks *blocks, int rank);

#endif
