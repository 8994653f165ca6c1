/*
 * edges.h - distributed graphs whose edges any rank may name.
 */
#ifndef MPI_COMMUNICATORS_EDGES_H
#define MPI_COMMUNICATORS_EDGES_H

#include "mpi/communicators/topology.h"

/* An edge, from one rank to another. */
struct edge {
    int source;
    int destination;
    int weight;
};

/*
 * A topology of the edges that all members of the communicator name and that begin or end at this
 * rank, in the order of those who named them. MPI_SUCCESS or an error class.
 */
int edges_collect(struct communicator *communicator, const struct edge *named, int count,
                  bool weighted, struct topology **topology);

#endif
