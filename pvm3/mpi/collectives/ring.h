/*
 * ring.h - reductions of many bytes in a ring of ranks, for operations that commute. `on` is an
 * intra-communicator of at least two ranks, and there are as many items as ranks.
 */
#ifndef MPI_COLLECTIVES_RING_H
#define MPI_COLLECTIVES_RING_H

#include "mpi/collectives/collectives.h"

void ring_allreduce(struct schedule *schedule, struct communicator *on,
                    const struct reduction *reduction);
void ring_reduce(struct schedule *schedule, struct communicator *on,
                 const struct reduction *reduction, int root);

#endif
