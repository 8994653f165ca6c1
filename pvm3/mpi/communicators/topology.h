/*
 * topology.h - who is whose neighbour in a communicator: Cartesian grids and graphs. No messages.
 *
 * A topology is one block of memory, which communicator_drop frees. A communicator with a topology
 * is an intra-communicator.
 */
#ifndef MPI_COMMUNICATORS_TOPOLOGY_H
#define MPI_COMMUNICATORS_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/objects/communicator.h"

struct topology {
    int kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
    bool weighted;
    int sizes[2]; /* dimensions; or nodes and edges; or incoming and outgoing edges */
    int numbers[];
};

/* Of a grid: for each dimension its size, whether it is periodic, and the coordinate of the rank. */
struct grid {
    int dimensions;
    int *sizes;
    int *periods;
    int *coordinates;
};

/* Of a graph that all ranks know: where the neighbours of each node end, and the neighbours. */
struct graph {
    int nodes;
    int edges;
    int *ends;
    int *neighbors;
};

/* Of a distributed graph: the edges of the own rank. */
struct edges {
    int in;
    int out;
    int *sources;
    int *source_weights;
    int *destinations;
    int *destination_weights;
};

/* New ones, whose arrays are for the caller to fill. NULL without memory. */
struct topology *topology_new_grid(int dimensions);
struct topology *topology_new_graph(int nodes, int edges);
struct topology *topology_new_edges(int in, int out, bool weighted);

struct topology *topology_copy(const struct topology *topology);

struct grid topology_grid(struct topology *topology);
struct graph topology_graph(struct topology *topology);
struct edges topology_edges(struct topology *topology);

/* The rank at coordinates, which are wrapped in periodic dimensions; MPI_PROC_NULL outside. */
int grid_rank(const struct grid *grid, const int coordinates[]);
void grid_coordinates(const struct grid *grid, int rank, int coordinates[]);

/* The rank that is `distance` along a dimension from the own one, or MPI_PROC_NULL. */
int grid_neighbor(const struct grid *grid, int dimension, int distance);

/* Edges of the own rank, in the order of neighborhood collectives. */
int neighbors_in(const struct communicator *communicator);
int neighbors_out(const struct communicator *communicator);
int neighbor_in(const struct communicator *communicator, int index);
int neighbor_out(const struct communicator *communicator, int index);

/*
 * Fills the dimensions that are 0, as equal as can be and never rising, so that the product is
 * `nodes`. MPI_ERR_DIMS if that is impossible, MPI_ERR_NO_MEM.
 */
int grid_balance(int nodes, int dimensions, int sizes[]);

#endif
