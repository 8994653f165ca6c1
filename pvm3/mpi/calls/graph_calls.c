/*
 * graph_calls.c - topologies that are graphs: one that all ranks know, or each its own edges.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/communicators/edges.h"
#include "mpi/communicators/making.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"

/* A communicator with a topology of that kind; NULL or another one with a *code. */
static struct communicator *check(MPI_Comm comm, int kind, int *code)
{
    struct communicator *communicator = communicator_of(comm);
    *code = communicator ? MPI_SUCCESS : MPI_ERR_COMM;
    if (communicator && (!communicator->topology || communicator->topology->kind != kind))
        *code = MPI_ERR_TOPOLOGY;
    return communicator;
}

static int give(struct communicator *communicator, const char *function, int code,
                struct communicator *made, MPI_Comm *result)
{
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, function, code);
    *result = made ? communicator_handle(made) : MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* Of a graph that all ranks pass: an error class. */
static int check_graph(const struct communicator *communicator, int nodes, const int ends[],
                       const int neighbors[], const void *result)
{
    if (!communicator || communicator->remote)
        return MPI_ERR_COMM;
    if (!result || nodes < 0 || nodes > communicator->group->size || (nodes > 0 && !ends))
        return MPI_ERR_ARG;
    int last = 0;
    for (int i = 0; i < nodes; i++) {
        if (ends[i] < last)
            return MPI_ERR_ARG;
        last = ends[i];
    }
    if (last > 0 && !neighbors)
        return MPI_ERR_ARG;
    for (int i = 0; i < last; i++) {
        if (neighbors[i] < 0 || neighbors[i] >= nodes)
            return MPI_ERR_ARG;
    }
    return MPI_SUCCESS;
}

static void copy_numbers(int *to, const int *from, int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

MPI_CALL(int, Graph_create)
(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
 MPI_Comm *comm_graph)
{
    (void)reorder;
    struct communicator *communicator = communicator_of(comm_old);
    struct communicator *made = NULL;
    struct topology *topology = NULL;
    int code = check_graph(communicator, nnodes, indx, edges, comm_graph);
    if (code == MPI_SUCCESS) {
        topology = topology_new_graph(nnodes, nnodes > 0 ? indx[nnodes - 1] : 0);
        code = topology ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS) {
        struct graph graph = topology_graph(topology);
        copy_numbers(graph.ends, indx, graph.nodes);
        copy_numbers(graph.neighbors, edges, graph.edges);
        code = communicator_with_topology(communicator, nnodes, topology, &made);
    }
    return give(communicator, "MPI_Graph_create", code, made, comm_graph);
}

MPI_CALL(int, Graph_map)
(MPI_Comm comm, int nnodes, const int indx[], const int edges[], int *newrank)
{
    struct communicator *communicator = communicator_of(comm);
    int code = check_graph(communicator, nnodes, indx, edges, newrank);
    if (code == MPI_SUCCESS && nnodes < 1)
        code = MPI_ERR_ARG;
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Graph_map", code);
    *newrank = communicator->rank < nnodes ? communicator->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

MPI_CALL(int, Graphdims_get)(MPI_Comm comm, int *nnodes, int *nedges)
{
    int code;
    struct communicator *communicator = check(comm, MPI_GRAPH, &code);
    if (code == MPI_SUCCESS && (!nnodes || !nedges))
        code = MPI_ERR_ARG;
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Graphdims_get", code);
    *nnodes = topology_graph(communicator->topology).nodes;
    *nedges = topology_graph(communicator->topology).edges;
    return MPI_SUCCESS;
}

MPI_CALL(int, Graph_get)(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[])
{
    int code;
    struct communicator *communicator = check(comm, MPI_GRAPH, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Graph_get", code);
    struct graph graph = topology_graph(communicator->topology);
    if (maxindex < graph.nodes || maxedges < graph.edges || (graph.nodes > 0 && !indx) ||
        (graph.edges > 0 && !edges))
        return communicator_error(communicator, "MPI_Graph_get", MPI_ERR_ARG);
    copy_numbers(indx, graph.ends, graph.nodes);
    copy_numbers(edges, graph.neighbors, graph.edges);
    return MPI_SUCCESS;
}

/* The neighbours of a rank, how many, and an error class. */
static int neighbors_of(const struct communicator *communicator, int rank, int *count,
                        const int **neighbors)
{
    struct graph graph = topology_graph(communicator->topology);
    if (rank < 0 || rank >= graph.nodes)
        return MPI_ERR_RANK;
    int start = rank == 0 ? 0 : graph.ends[rank - 1];
    *count = graph.ends[rank] - start;
    *neighbors = graph.neighbors + start;
    return MPI_SUCCESS;
}

MPI_CALL(int, Graph_neighbors_count)(MPI_Comm comm, int rank, int *nneighbors)
{
    int code;
    const int *neighbors;
    struct communicator *communicator = check(comm, MPI_GRAPH, &code);
    if (code == MPI_SUCCESS && !nneighbors)
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS)
        code = neighbors_of(communicator, rank, nneighbors, &neighbors);
    return code == MPI_SUCCESS
               ? code
               : communicator_error(communicator, "MPI_Graph_neighbors_count", code);
}

MPI_CALL(int, Graph_neighbors)(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
    int code;
    int count = 0;
    const int *found = NULL;
    struct communicator *communicator = check(comm, MPI_GRAPH, &code);
    if (code == MPI_SUCCESS)
        code = neighbors_of(communicator, rank, &count, &found);
    if (code == MPI_SUCCESS && (maxneighbors < count || (count > 0 && !neighbors)))
        code = MPI_ERR_ARG;
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Graph_neighbors", code);
    copy_numbers(neighbors, found, count);
    return MPI_SUCCESS;
}

/* Ranks of a communicator, and weights. MPI_WEIGHTS_EMPTY stands for an array of no weights. */
static int check_edges(const struct communicator *communicator, int count, const int ranks[],
                       const int weights[])
{
    if (count < 0)
        return MPI_ERR_ARG;
    if (count > 0 && (!ranks || !weights || weights == MPI_WEIGHTS_EMPTY))
        return MPI_ERR_ARG;
    for (int i = 0; i < count; i++) {
        if (ranks[i] < 0 || ranks[i] >= communicator->group->size)
            return MPI_ERR_RANK;
        if (weights != MPI_UNWEIGHTED && weights[i] < 0)
            return MPI_ERR_ARG;
    }
    return MPI_SUCCESS;
}

static int check_distributed(const struct communicator *communicator, MPI_Info info,
                             const void *result)
{
    if (!communicator || communicator->remote)
        return MPI_ERR_COMM;
    if (info != MPI_INFO_NULL && !info_of(info))
        return MPI_ERR_INFO;
    return result ? MPI_SUCCESS : MPI_ERR_ARG;
}

static void copy_weights(int *to, const int *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from == MPI_UNWEIGHTED ? 1 : from[i];
}

MPI_CALL(int, Dist_graph_create_adjacent)
(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree,
 const int destinations[], const int destweights[], MPI_Info info, int reorder,
 MPI_Comm *comm_dist_graph)
{
    (void)reorder;
    struct communicator *communicator = communicator_of(comm_old);
    struct communicator *made = NULL;
    struct topology *topology = NULL;
    int code = check_distributed(communicator, info, comm_dist_graph);
    if (code == MPI_SUCCESS)
        code = check_edges(communicator, indegree, sources, sourceweights);
    if (code == MPI_SUCCESS)
        code = check_edges(communicator, outdegree, destinations, destweights);
    /* Weights are given for both or for none. */
    if (code == MPI_SUCCESS && (sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED))
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS) {
        topology = topology_new_edges(indegree, outdegree, sourceweights != MPI_UNWEIGHTED);
        code = topology ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS) {
        struct edges edges = topology_edges(topology);
        copy_numbers(edges.sources, sources, indegree);
        copy_weights(edges.source_weights, sourceweights, indegree);
        copy_numbers(edges.destinations, destinations, outdegree);
        copy_weights(edges.destination_weights, destweights, outdegree);
        code = communicator_with_topology(communicator, communicator->group->size, topology, &made);
    }
    return give(communicator, "MPI_Dist_graph_create_adjacent", code, made, comm_dist_graph);
}

/* The edges that a rank names; NULL with a *code. */
static struct edge *named_edges(const struct communicator *communicator, int n, const int sources[],
                                const int degrees[], const int destinations[], const int weights[],
                                int *count, int *code)
{
    int total = 0;
    *code = n < 0 || (n > 0 && (!sources || !degrees)) ? MPI_ERR_ARG : MPI_SUCCESS;
    for (int i = 0; *code == MPI_SUCCESS && i < n; i++) {
        if (sources[i] < 0 || sources[i] >= communicator->group->size)
            *code = MPI_ERR_RANK;
        else if (degrees[i] < 0)
            *code = MPI_ERR_ARG;
        else
            total += degrees[i];
    }
    if (*code == MPI_SUCCESS)
        *code = check_edges(communicator, total, destinations, weights);
    if (*code != MPI_SUCCESS)
        return NULL;
    struct edge *edges = malloc(((size_t)total + 1) * sizeof *edges);
    if (!edges)
        *code = MPI_ERR_NO_MEM;
    int next = 0;
    for (int i = 0; edges && i < n; i++) {
        for (int k = 0; k < degrees[i]; k++, next++)
            edges[next] = (struct edge){sources[i], destinations[next],
                                        weights == MPI_UNWEIGHTED ? 1 : weights[next]};
    }
    *count = total;
    return edges;
}

MPI_CALL(int, Dist_graph_create)
(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
 const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph)
{
    (void)reorder;
    struct communicator *communicator = communicator_of(comm_old);
    struct communicator *made = NULL;
    struct topology *topology = NULL;
    struct edge *edges = NULL;
    int count = 0;
    int code = check_distributed(communicator, info, comm_dist_graph);
    if (code == MPI_SUCCESS)
        edges =
            named_edges(communicator, n, sources, degrees, destinations, weights, &count, &code);
    if (code == MPI_SUCCESS)
        code = edges_collect(communicator, edges, count, weights != MPI_UNWEIGHTED, &topology);
    free(edges);
    if (code == MPI_SUCCESS)
        code = communicator_with_topology(communicator, communicator->group->size, topology, &made);
    return give(communicator, "MPI_Dist_graph_create", code, made, comm_dist_graph);
}

MPI_CALL(int, Dist_graph_neighbors_count)
(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
    int code;
    struct communicator *communicator = check(comm, MPI_DIST_GRAPH, &code);
    if (code == MPI_SUCCESS && (!indegree || !outdegree || !weighted))
        code = MPI_ERR_ARG;
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Dist_graph_neighbors_count", code);
    *indegree = neighbors_in(communicator);
    *outdegree = neighbors_out(communicator);
    *weighted = communicator->topology->weighted;
    return MPI_SUCCESS;
}

/* As many as there are, and at most `most`. */
static int give_edges(int count, int most, const int *ranks, const int *weights, int to_ranks[],
                      int to_weights[], bool weighted)
{
    int given = count < most ? count : most;
    if (most < 0 || (given > 0 && !to_ranks))
        return MPI_ERR_ARG;
    bool wanted = weighted && to_weights != MPI_UNWEIGHTED && to_weights != MPI_WEIGHTS_EMPTY;
    if (wanted && given > 0 && !to_weights)
        return MPI_ERR_ARG;
    copy_numbers(to_ranks, ranks, given);
    if (wanted)
        copy_numbers(to_weights, weights, given);
    return MPI_SUCCESS;
}

MPI_CALL(int, Dist_graph_neighbors)
(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
 int destinations[], int destweights[])
{
    int code;
    struct communicator *communicator = check(comm, MPI_DIST_GRAPH, &code);
    if (code == MPI_SUCCESS) {
        struct edges edges = topology_edges(communicator->topology);
        bool weighted = communicator->topology->weighted;
        code = give_edges(edges.in, maxindegree, edges.sources, edges.source_weights, sources,
                          sourceweights, weighted);
        if (code == MPI_SUCCESS)
            code = give_edges(edges.out, maxoutdegree, edges.destinations,
                              edges.destination_weights, destinations, destweights, weighted);
    }
    return code == MPI_SUCCESS ? code
                               : communicator_error(communicator, "MPI_Dist_graph_neighbors", code);
}
