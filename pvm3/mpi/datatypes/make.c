#include <stdatomic.h>
#include <stdlib.h>

#include "mpi/datatypes/layout.h"
#include "mpi/datatypes/make.h"
#include "mpi/datatypes/recipe.h"
#include "mpi/datatypes/shape.h"

/* Rows of elements at equal distances. */
static int shape_vector(MPI_Count count, MPI_Count length, MPI_Count stride,
                        const struct datatype *type, struct shape *shape)
{
    const struct layout *row;

    if (count < 0)
        return MPI_ERR_COUNT;
    if (length < 0)
        return MPI_ERR_ARG;
    row = layout_loop(type->layout, length, 0, type->extent);
    if (!row)
        return MPI_ERR_NO_MEM;
    shape->layout = layout_loop(row, count, 0, stride);
    layout_drop(row);
    if (count > 0) {
        shape_add_row(shape, type, 0, length);
        shape_add_row(shape, type, (count - 1) * stride, length);
    }
    return MPI_SUCCESS;
}

/* What a list of rows is made of: each array has an element for each row, or one for all. */
struct rows {
    MPI_Count count;
    const MPI_Count *lengths;
    bool one_length;
    const MPI_Count *places; /* in units */
    MPI_Count unit;
    struct datatype *const *types;
    bool one_type;
};

static struct datatype *type_of_row(const struct rows *rows, MPI_Count i)
{
    return rows->types[rows->one_type ? 0 : i];
}

/* The layout of a row: that of the row before it, if it is the same. */
static const struct layout *next_row(const struct rows *rows, MPI_Count i,
                                     const struct layout *last)
{
    MPI_Count step = rows->one_length ? 0 : 1;
    const struct datatype *type = type_of_row(rows, i);

    if (last && rows->lengths[i * step] == rows->lengths[(i - 1) * step] &&
        type == type_of_row(rows, i - 1))
        return last;
    layout_drop(last);
    return layout_loop(type->layout, rows->lengths[i * step], 0, type->extent);
}

static int check_rows(const struct rows *rows)
{
    if (rows->count < 0)
        return MPI_ERR_COUNT;
    for (MPI_Count i = 0; i < (rows->one_length ? 1 : rows->count); i++)
        if (rows->lengths[i] < 0)
            return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

static int shape_rows(const struct rows *rows, struct shape *shape)
{
    const struct layout *row = NULL;
    struct layout *list;
    int error = check_rows(rows);

    if (error)
        return error;
    list = layout_list(rows->count);
    if (!list)
        return MPI_ERR_NO_MEM;
    for (MPI_Count i = 0; i < rows->count; i++) {
        MPI_Count at = rows->places[i] * rows->unit;

        row = next_row(rows, i, row);
        if (!row || !layout_add(list, row, at)) {
            layout_drop(row);
            layout_drop(list);
            return MPI_ERR_NO_MEM;
        }
        shape_add_row(shape, type_of_row(rows, i), at, rows->lengths[rows->one_length ? 0 : i]);
    }
    layout_drop(row);
    shape->layout = layout_of_list(list);
    return MPI_SUCCESS;
}

/* As a compiler would, adds what makes an array of structures keep the alignment. */
static int shape_struct(const struct rows *rows, struct shape *shape)
{
    int error = shape_rows(rows, shape);
    MPI_Count over;

    if (!error && shape->alignment > 1 && !shape->ub_marked) {
        over = (shape->ub - shape->lb) % shape->alignment;
        shape->ub += over ? shape->alignment - over : 0;
    }
    return error;
}

static int shape_resized(const MPI_Count *values, const struct datatype *type, struct shape *shape)
{
    shape_add_row(shape, type, 0, 1);
    shape->layout = layout_keep(type->layout);
    shape->lb = values[0];
    shape->ub = values[0] + values[1];
    shape->lb_marked = shape->ub_marked = true;
    return MPI_SUCCESS;
}

static int shape_same(const struct datatype *type, struct shape *shape)
{
    shape_add_row(shape, type, 0, 1);
    shape->layout = layout_keep(type->layout);
    return MPI_SUCCESS;
}

/* Lists of rows, by combiner. */
static int shape_list(int combiner, const MPI_Count *values, struct datatype *const *types,
                      struct shape *shape)
{
    struct rows rows = {.count = values[0],
                        .lengths = values + 1,
                        .places = values + 1 + values[0],
                        .unit = 1,
                        .types = types,
                        .one_type = true};

    switch (combiner) {
    case MPI_COMBINER_INDEXED:
        rows.unit = types[0]->extent;
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        rows.unit = types[0]->extent;
        rows.one_length = true;
        rows.places = values + 2;
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        rows.one_length = true;
        rows.places = values + 2;
        break;
    case MPI_COMBINER_STRUCT:
        rows.one_type = false;
        return shape_struct(&rows, shape);
    }
    return shape_rows(&rows, shape);
}

static int shape_of(int combiner, const MPI_Count *values, struct datatype *const *types,
                    struct shape *shape)
{
    switch (combiner) {
    case MPI_COMBINER_CONTIGUOUS:
        return shape_vector(values[0], 1, types[0]->extent, types[0], shape);
    case MPI_COMBINER_VECTOR:
        return shape_vector(values[0], values[1], values[2] * types[0]->extent, types[0], shape);
    case MPI_COMBINER_HVECTOR:
        return shape_vector(values[0], values[1], values[2], types[0], shape);
    case MPI_COMBINER_SUBARRAY:
        return shape_of_subarray(values, types[0], shape);
    case MPI_COMBINER_DARRAY:
        return shape_of_darray(values, types[0], shape);
    case MPI_COMBINER_RESIZED:
        return shape_resized(values, types[0], shape);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
        return shape_list(combiner, values, types, shape);
    default: /* a copy of another type */
        return shape_same(types[0], shape);
    }
}

static void take_shape(struct datatype *datatype, const struct shape *shape)
{
    const struct layout *layout = shape->layout;

    datatype->layout = layout;
    datatype->size = layout->size;
    datatype->lb = shape->lb;
    datatype->extent = shape->ub - shape->lb;
    datatype->lb_marked = shape->lb_marked;
    datatype->ub_marked = shape->ub_marked;
    datatype->alignment = shape->alignment;
    datatype->true_lb = layout->low;
    datatype->true_extent = layout->high - layout->low;
    datatype->block = layout->run && datatype->size == datatype->extent;
}

int datatype_make(int combiner, bool large, const MPI_Count *values, MPI_Count values_count,
                  struct datatype *const *types, MPI_Count types_count, struct datatype **made)
{
    struct shape shape = {0};
    struct datatype *datatype;
    int error = shape_of(combiner, values, types, &shape);

    if (error)
        return error;
    if (!shape.layout)
        return MPI_ERR_NO_MEM;
    datatype = calloc(1, sizeof *datatype);
    if (datatype)
        datatype->recipe = recipe_make(combiner, large, values, values_count, types, types_count);
    if (!datatype || !datatype->recipe) {
        layout_drop(shape.layout);
        free(datatype);
        return MPI_ERR_NO_MEM;
    }
    object_begin(&datatype->object, OBJECT_DATATYPE);
    take_shape(datatype, &shape);
    atomic_init(&datatype->handles, 1);
    *made = datatype;
    return MPI_SUCCESS;
}
