#include <stdlib.h>

#include "mpi/datatypes/layout.h"
#include "mpi/datatypes/shape.h"

/* The dimension that is next, from the one whose elements are neighbours in memory on. */
static MPI_Count next_dimension(MPI_Count dimensions, MPI_Count done, MPI_Count order)
{
    return order == MPI_ORDER_FORTRAN ? done : dimensions - 1 - done;
}

/* The bounds are those of the whole array. */
static void whole_array(const struct datatype *type, MPI_Count extent, struct shape *shape)
{
    shape_add_row(shape, type, 0, 1);
    shape->lb = 0;
    shape->ub = extent;
    shape->lb_marked = shape->ub_marked = true;
}

static bool order_is_known(MPI_Count order)
{
    return order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN;
}

/* values: dimensions, sizes, sizes of the part, its start, order */
static int check_subarray(const MPI_Count *values)
{
    MPI_Count dimensions = values[0];
    const MPI_Count *sizes = values + 1, *parts = sizes + dimensions, *starts = parts + dimensions;

    if (dimensions < 1 || !order_is_known(starts[dimensions]))
        return MPI_ERR_ARG;
    for (MPI_Count i = 0; i < dimensions; i++)
        if (sizes[i] < 1 || parts[i] < 1 || parts[i] > sizes[i] || starts[i] < 0 ||
            starts[i] > sizes[i] - parts[i])
            return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

int shape_of_subarray(const MPI_Count *values, const struct datatype *type, struct shape *shape)
{
    MPI_Count dimensions = values[0];
    const MPI_Count *sizes = values + 1, *parts = sizes + dimensions, *starts = parts + dimensions;
    const struct layout *layout;
    MPI_Count stride = type->extent;
    int error = check_subarray(values);

    if (error)
        return error;
    layout = layout_keep(type->layout);
    for (MPI_Count done = 0; layout && done < dimensions; done++) {
        MPI_Count i = next_dimension(dimensions, done, starts[dimensions]);
        const struct layout *body = layout;

        layout = layout_loop(body, parts[i], starts[i] * stride, stride);
        layout_drop(body);
        stride *= sizes[i];
    }
    shape->layout = layout;
    whole_array(type, stride, shape);
    return MPI_SUCCESS;
}

/* How a dimension is distributed: blocks of so many, each process' first one at its coordinate. */
struct distribution {
    MPI_Count size, block, processes, coordinate;
};

static int distribute(struct distribution *dimension, MPI_Count distribution, MPI_Count argument)
{
    MPI_Count least = (dimension->size + dimension->processes - 1) / dimension->processes;
    bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG;

    if (argument < 1)
        return MPI_ERR_ARG;
    switch (distribution) {
    case MPI_DISTRIBUTE_NONE:
        dimension->block = dimension->size;
        return dimension->processes == 1 ? MPI_SUCCESS : MPI_ERR_ARG;
    case MPI_DISTRIBUTE_BLOCK:
        dimension->block = by_default ? least : argument;
        return dimension->block >= least ? MPI_SUCCESS : MPI_ERR_ARG;
    case MPI_DISTRIBUTE_CYCLIC:
        dimension->block = by_default ? 1 : argument;
        return MPI_SUCCESS;
    default:
        return MPI_ERR_ARG;
    }
}

/* The part of one dimension that a process has: whole blocks, and perhaps the beginning of one
 * more. */
static const struct layout *layout_of_dimension(const struct distribution *dimension,
                                                const struct layout *element, MPI_Count stride)
{
    MPI_Count round = dimension->block * dimension->processes;
    MPI_Count first = dimension->block * dimension->coordinate;
    MPI_Count behind = dimension->size - first; /* elements from the first one on */
    MPI_Count whole = behind >= dimension->block ? (behind - dimension->block) / round + 1 : 0;
    MPI_Count left = behind - whole * round;
    const struct layout *block = layout_loop(element, dimension->block, 0, stride);
    const struct layout *blocks = block ? layout_loop(block, whole, 0, round * stride) : NULL;
    const struct layout *rest = layout_loop(element, left > 0 ? left : 0, 0, stride);
    struct layout *list = layout_list(2);
    bool made = blocks && rest && list && layout_add(list, blocks, first * stride) &&
                layout_add(list, rest, (first + whole * round) * stride);

    layout_drop(block);
    layout_drop(blocks);
    layout_drop(rest);
    if (made)
        return layout_of_list(list);
    layout_drop(list);
    return NULL;
}

/* Where the values of a distributed array are. */
struct darray {
    MPI_Count processes, rank, dimensions, order;
    const MPI_Count *sizes, *distributions, *arguments, *grid;
};

static struct darray darray_of(const MPI_Count *values)
{
    MPI_Count dimensions = values[2];

    return (struct darray){.processes = values[0],
                           .rank = values[1],
                           .dimensions = dimensions,
                           .sizes = values + 3,
                           .distributions = values + 3 + dimensions,
                           .arguments = values + 3 + 2 * dimensions,
                           .grid = values + 3 + 3 * dimensions,
                           .order = values[3 + 4 * dimensions]};
}

static int check_darray(const struct darray *array)
{
    MPI_Count processes = 1;

    if (array->dimensions < 1 || !order_is_known(array->order) || array->rank < 0 ||
        array->rank >= array->processes)
        return MPI_ERR_ARG;
    for (MPI_Count i = 0; i < array->dimensions; i++) {
        if (array->sizes[i] < 1 || array->grid[i] < 1)
            return MPI_ERR_ARG;
        processes *= array->grid[i];
    }
    return processes == array->processes ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The coordinate of the rank in a dimension of the grid, whose last dimension counts first. */
static MPI_Count coordinate(const struct darray *array, MPI_Count dimension)
{
    MPI_Count rank = array->rank;

    for (MPI_Count i = array->dimensions - 1; i > dimension; i--)
        rank /= array->grid[i];
    return rank % array->grid[dimension];
}

int shape_of_darray(const MPI_Count *values, const struct datatype *type, struct shape *shape)
{
    struct darray array = darray_of(values);
    const struct layout *layout;
    MPI_Count stride = type->extent;
    int error = check_darray(&array);

    if (error)
        return error;
    layout = layout_keep(type->layout);
    for (MPI_Count done = 0; layout && done < array.dimensions; done++) {
        MPI_Count i = next_dimension(array.dimensions, done, array.order);
        struct distribution dimension = {.size = array.sizes[i],
                                         .processes = array.grid[i],
                                         .coordinate = coordinate(&array, i)};
        const struct layout *element = layout;

        error = distribute(&dimension, array.distributions[i], array.arguments[i]);
        layout = error ? NULL : layout_of_dimension(&dimension, element, stride);
        layout_drop(element);
        if (error)
            return error;
        stride *= array.sizes[i];
    }
    shape->layout = layout;
    whole_array(type, stride, shape);
    return MPI_SUCCESS;
}
