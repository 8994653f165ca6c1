/*
 * reduce.h - a reduction within a group, of which other operations are built.
 */
#ifndef MPI_COLLECTIVES_REDUCE_H
#define MPI_COLLECTIVES_REDUCE_H

#include "mpi/collectives/collectives.h"

/* To the root of an intra-communicator; other ranks have no place for the result. */
void reduce_within(struct schedule *schedule, struct communicator *on,
                   const struct reduction *reduction, int root);

#endif
