/*
 * cart_calls.c - Cartesian topologies, and which kind a communicator has.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/communicators/making.h"
#include "mpi/objects/error_handler.h"

/* A communicator with a topology of that kind, 0 for any; NULL or another one with a *code. */
static struct communicator *check(MPI_Comm comm, int kind, int *code)
{
    struct communicator *communicator = communicator_of(comm);
    *code = communicator ? MPI_SUCCESS : MPI_ERR_COMM;
    if (communicator && kind && (!communicator->topology || communicator->topology->kind != kind))
        *code = MPI_ERR_TOPOLOGY;
    return communicator;
}

/* The product, or -1 if a size is not positive or the product is more than `most`. */
static int product(int count, const int sizes[], int most)
{
    long nodes = 1;
    for (int i = 0; i < count; i++) {
        if (sizes[i] <= 0)
            return -1;
        nodes *= sizes[i];
        if (nodes > most)
            return -1;
    }
    return (int)nodes;
}

MPI_CALL(int, Topo_test)(MPI_Comm comm, int *status)
{
    int code;
    struct communicator *communicator = check(comm, 0, &code);
    if (code == MPI_SUCCESS && !status)
        code = MPI_ERR_ARG;
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Topo_test", code);
    *status = communicator->topology ? communicator->topology->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

MPI_CALL(int, Dims_create)(int nnodes, int ndims, int dims[])
{
    int code = MPI_SUCCESS;
    if (ndims < 0 || nnodes < 1)
        code = ndims < 0 ? MPI_ERR_DIMS : MPI_ERR_ARG;
    else if (ndims > 0 && !dims)
        code = MPI_ERR_ARG;
    else if (ndims > 0)
        code = grid_balance(nnodes, ndims, dims);
    return code == MPI_SUCCESS ? code : call_error("MPI_Dims_create", code);
}

/* What a grid is made of; the count of its nodes with a *code of MPI_SUCCESS. */
static int check_grid(struct communicator *communicator, int ndims, const int dims[],
                      const int periods[], const void *result, int *code)
{
    *code = MPI_SUCCESS;
    if (!communicator || communicator->remote)
        *code = MPI_ERR_COMM;
    else if (ndims < 0)
        *code = MPI_ERR_DIMS;
    else if (!result || (ndims > 0 && (!dims || !periods)))
        *code = MPI_ERR_ARG;
    if (*code != MPI_SUCCESS)
        return 0;
    int nodes = product(ndims, dims, communicator->group->size);
    if (nodes < 0)
        *code = MPI_ERR_DIMS;
    return nodes;
}

/* A grid, with the coordinates of a rank. */
static struct topology *make_grid(int ndims, const int dims[], const int periods[], int rank)
{
    struct topology *topology = topology_new_grid(ndims);
    if (!topology)
        return NULL;
    struct grid grid = topology_grid(topology);
    for (int i = 0; i < ndims; i++) {
        grid.sizes[i] = dims[i];
        grid.periods[i] = periods[i] != 0;
    }
    grid_coordinates(&grid, rank, grid.coordinates);
    return topology;
}

MPI_CALL(int, Cart_create)
(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
 MPI_Comm *comm_cart)
{
    (void)reorder;
    struct communicator *communicator = communicator_of(comm_old);
    struct communicator *made = NULL;
    int code;
    int nodes = check_grid(communicator, ndims, dims, periods, comm_cart, &code);
    struct topology *topology = NULL;
    if (code == MPI_SUCCESS) {
        topology = make_grid(ndims, dims, periods, communicator->rank);
        code = topology ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS)
        code = communicator_with_topology(communicator, nodes, topology, &made);
    if (comm_cart)
        *comm_cart = made ? communicator_handle(made) : MPI_COMM_NULL;
    return communicator_error(communicator, "MPI_Cart_create", code);
}

MPI_CALL(int, Cart_map)
(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    struct communicator *communicator = communicator_of(comm);
    int code;
    /* Nodes are not moved, so that nothing depends on the periods. */
    int nodes = check_grid(communicator, ndims, dims, periods ? periods : dims, newrank, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Cart_map", code);
    *newrank = communicator->rank < nodes ? communicator->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

MPI_CALL(int, Cartdim_get)(MPI_Comm comm, int *ndims)
{
    int code;
    struct communicator *communicator = check(comm, MPI_CART, &code);
    if (code == MPI_SUCCESS && !ndims)
        code = MPI_ERR_ARG;
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Cartdim_get", code);
    *ndims = topology_grid(communicator->topology).dimensions;
    return MPI_SUCCESS;
}

MPI_CALL(int, Cart_get)(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    int code;
    struct communicator *communicator = check(comm, MPI_CART, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Cart_get", code);
    struct grid grid = topology_grid(communicator->topology);
    if (grid.dimensions > 0 && (maxdims < grid.dimensions || !dims || !periods || !coords))
        return communicator_error(communicator, "MPI_Cart_get", MPI_ERR_ARG);
    for (int i = 0; i < grid.dimensions; i++) {
        dims[i] = grid.sizes[i];
        periods[i] = grid.periods[i];
        coords[i] = grid.coordinates[i];
    }
    return MPI_SUCCESS;
}

MPI_CALL(int, Cart_rank)(MPI_Comm comm, const int coords[], int *rank)
{
    int code;
    struct communicator *communicator = check(comm, MPI_CART, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Cart_rank", code);
    struct grid grid = topology_grid(communicator->topology);
    if (!rank || (grid.dimensions > 0 && !coords))
        return communicator_error(communicator, "MPI_Cart_rank", MPI_ERR_ARG);
    int found = grid_rank(&grid, coords);
    if (found == MPI_PROC_NULL)
        return communicator_error(communicator, "MPI_Cart_rank", MPI_ERR_ARG);
    *rank = found;
    return MPI_SUCCESS;
}

MPI_CALL(int, Cart_coords)(MPI_Comm comm, int rank, int maxdims, int coords[])
{
    int code;
    struct communicator *communicator = check(comm, MPI_CART, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Cart_coords", code);
    struct grid grid = topology_grid(communicator->topology);
    if (rank < 0 || rank >= communicator->group->size)
        return communicator_error(communicator, "MPI_Cart_coords", MPI_ERR_RANK);
    if (grid.dimensions > 0 && (maxdims < grid.dimensions || !coords))
        return communicator_error(communicator, "MPI_Cart_coords", MPI_ERR_ARG);
    grid_coordinates(&grid, rank, coords);
    return MPI_SUCCESS;
}

MPI_CALL(int, Cart_shift)(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    int code;
    struct communicator *communicator = check(comm, MPI_CART, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Cart_shift", code);
    struct grid grid = topology_grid(communicator->topology);
    if (direction < 0 || direction >= grid.dimensions)
        return communicator_error(communicator, "MPI_Cart_shift", MPI_ERR_DIMS);
    if (!rank_source || !rank_dest || disp == INT_MIN)
        return communicator_error(communicator, "MPI_Cart_shift", MPI_ERR_ARG);
    *rank_source = grid_neighbor(&grid, direction, -disp);
    *rank_dest = grid_neighbor(&grid, direction, disp);
    return MPI_SUCCESS;
}

/* The dimensions that remain are the new grid; who has the same coordinates in the others is in it. */
static int sub(struct communicator *communicator, const int remain[], struct communicator **made)
{
    struct grid grid = topology_grid(communicator->topology);
    int count = 0;
    for (int i = 0; i < grid.dimensions; i++)
        count += remain[i] != 0;
    struct topology *topology = topology_new_grid(count);
    if (!topology)
        return MPI_ERR_NO_MEM;
    struct grid part = topology_grid(topology);
    int color = 0;
    for (int i = 0, next = 0; i < grid.dimensions; i++) {
        if (!remain[i]) {
            color = color * grid.sizes[i] + grid.coordinates[i];
            continue;
        }
        part.sizes[next] = grid.sizes[i];
        part.periods[next] = grid.periods[i];
        part.coordinates[next++] = grid.coordinates[i];
    }
    int code = communicator_split(communicator, color, communicator->rank, made);
    if (code == MPI_SUCCESS)
        (*made)->topology = topology;
    else
        free(topology);
    return code;
}

MPI_CALL(int, Cart_sub)(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
    int code;
    struct communicator *made = NULL;
    struct communicator *communicator = check(comm, MPI_CART, &code);
    if (code == MPI_SUCCESS &&
        (!newcomm || (!remain_dims && topology_grid(communicator->topology).dimensions > 0)))
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS)
        code = sub(communicator, remain_dims, &made);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Cart_sub", code);
    *newcomm = communicator_handle(made);
    return MPI_SUCCESS;
}
