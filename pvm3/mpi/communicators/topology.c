/*
 * topology.c - coordinates, neighbours, and grids as even as can be.
 */
#include "mpi/communicators/topology.h"

#include <stdlib.h>
#include <string.h>

/* How many numbers a topology has. */
static size_t numbers_of(int kind, const int sizes[2])
{
    size_t first = (size_t)sizes[0];
    size_t second = (size_t)sizes[1];
    switch (kind) {
    case MPI_CART:
        return 3 * first;
    case MPI_GRAPH:
        return first + second;
    default:
        return 2 * (first + second);
    }
}

static struct topology *new_topology(int kind, int first, int second)
{
    const int sizes[2] = {first, second};
    struct topology *topology =
        calloc(1, sizeof *topology + numbers_of(kind, sizes) * sizeof topology->numbers[0]);
    if (!topology)
        return NULL;
    topology->kind = kind;
    memcpy(topology->sizes, sizes, sizeof sizes);
    return topology;
}

struct topology *topology_new_grid(int dimensions)
{
    return new_topology(MPI_CART, dimensions, 0);
}

struct topology *topology_new_graph(int nodes, int edges)
{
    return new_topology(MPI_GRAPH, nodes, edges);
}

struct topology *topology_new_edges(int in, int out, bool weighted)
{
    struct topology *topology = new_topology(MPI_DIST_GRAPH, in, out);
    if (topology)
        topology->weighted = weighted;
    return topology;
}

struct topology *topology_copy(const struct topology *topology)
{
    struct topology *copy = new_topology(topology->kind, topology->sizes[0], topology->sizes[1]);
    if (!copy)
        return NULL;
    copy->weighted = topology->weighted;
    memcpy(copy->numbers, topology->numbers,
           numbers_of(topology->kind, topology->sizes) * sizeof topology->numbers[0]);
    return copy;
}

struct grid topology_grid(struct topology *topology)
{
    int count = topology->sizes[0];
    return (struct grid){count, topology->numbers, topology->numbers + count,
                         topology->numbers + (ptrdiff_t)2 * count};
}

struct graph topology_graph(struct topology *topology)
{
    return (struct graph){topology->sizes[0], topology->sizes[1], topology->numbers,
                          topology->numbers + topology->sizes[0]};
}

struct edges topology_edges(struct topology *topology)
{
    ptrdiff_t in = topology->sizes[0];
    ptrdiff_t out = topology->sizes[1];
    int *numbers = topology->numbers;
    return (struct edges){(int)in,      (int)out,         numbers,
                          numbers + in, numbers + 2 * in, numbers + 2 * in + out};
}

int grid_rank(const struct grid *grid, const int coordinates[])
{
    int rank = 0;
    for (int i = 0; i < grid->dimensions; i++) {
        int size = grid->sizes[i];
        int place = coordinates[i];
        if (grid->periods[i])
            place = (place % size + size) % size;
        if (place < 0 || place >= size)
            return MPI_PROC_NULL;
        rank = rank * size + place;
    }
    return rank;
}

void grid_coordinates(const struct grid *grid, int rank, int coordinates[])
{
    for (int i = grid->dimensions - 1; i >= 0; i--) {
        coordinates[i] = rank % grid->sizes[i];
        rank /= grid->sizes[i];
    }
}

int grid_neighbor(const struct grid *grid, int dimension, int distance)
{
    int size = grid->sizes[dimension];
    long place = (long)grid->coordinates[dimension] + distance;
    if (grid->periods[dimension])
        place = (place % size + size) % size;
    if (place < 0 || place >= size)
        return MPI_PROC_NULL;
    long rank = 0;
    for (int i = 0; i < grid->dimensions; i++)
        rank = rank * grid->sizes[i] + (i == dimension ? place : grid->coordinates[i]);
    return (int)rank;
}

/* Of a graph that all know: where the neighbours of the own rank begin. */
static int own_start(const struct graph *graph, int rank)
{
    return rank == 0 ? 0 : graph->ends[rank - 1];
}

static int count(const struct communicator *communicator, int which)
{
    struct topology *topology = communicator->topology;
    if (topology->kind == MPI_CART)
        return 2 * topology->sizes[0];
    if (topology->kind == MPI_DIST_GRAPH)
        return topology->sizes[which];
    struct graph graph = topology_graph(topology);
    return graph.ends[communicator->rank] - own_start(&graph, communicator->rank);
}

/* In a grid and in a graph that all know each edge goes both ways. */
static int undirected(const struct communicator *communicator, int index)
{
    struct topology *topology = communicator->topology;
    if (topology->kind == MPI_CART) {
        struct grid grid = topology_grid(topology);
        return grid_neighbor(&grid, index / 2, index % 2 ? 1 : -1);
    }
    struct graph graph = topology_graph(topology);
    return graph.neighbors[own_start(&graph, communicator->rank) + index];
}

int neighbors_in(const struct communicator *communicator)
{
    return count(communicator, 0);
}

int neighbors_out(const struct communicator *communicator)
{
    return count(communicator, 1);
}

int neighbor_in(const struct communicator *communicator, int index)
{
    if (communicator->topology->kind != MPI_DIST_GRAPH)
        return undirected(communicator, index);
    return topology_edges(communicator->topology).sources[index];
}

int neighbor_out(const struct communicator *communicator, int index)
{
    if (communicator->topology->kind != MPI_DIST_GRAPH)
        return undirected(communicator, index);
    return topology_edges(communicator->topology).destinations[index];
}

/* `count` factors of `nodes`, the smallest possible first one of at most `most`, and so on. */
static bool factor(int nodes, int factors[], int count, int most)
{
    if (count == 1) {
        factors[0] = nodes;
        return nodes <= most;
    }
    for (int first = 1; first <= nodes && first <= most; first++) {
        if (nodes % first != 0)
            continue;
        /* All others are at most as large as the first. */
        double reach = 1;
        for (int i = 0; i < count && reach < nodes; i++)
            reach *= first;
        if (reach < nodes)
            continue;
        factors[0] = first;
        if (factor(nodes / first, factors + 1, count - 1, first))
            return true;
    }
    return false;
}

int grid_balance(int nodes, int dimensions, int sizes[])
{
    int unset = 0;
    for (int i = 0; i < dimensions; i++) {
        if (sizes[i] < 0 || (sizes[i] > 0 && nodes % sizes[i] != 0))
            return MPI_ERR_DIMS;
        if (sizes[i] > 0)
            nodes /= sizes[i];
        else
            unset++;
    }
    if (unset == 0)
        return nodes == 1 ? MPI_SUCCESS : MPI_ERR_DIMS;
    int *factors = malloc((size_t)unset * sizeof *factors);
    if (!factors)
        return MPI_ERR_NO_MEM;
    bool found = factor(nodes, factors, unset, nodes);
    for (int i = 0, next = 0; found && i < dimensions; i++) {
        if (sizes[i] == 0)
            sizes[i] = factors[next++];
    }
    free(factors);
    return found ? MPI_SUCCESS : MPI_ERR_DIMS;
}
