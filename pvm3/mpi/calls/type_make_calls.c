/* type_make_calls.c - the constructors of datatypes.
 *
 * Each puts its arguments into one row of values, in the order of MPI_Type_get_contents. */
#include <stdlib.h>

#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
#include "mpi/datatypes/choose.h"
#include "mpi/datatypes/make.h"

/* A row of values that grows as arguments are added; the first error stays. */
struct row {
    MPI_Count *values;
    MPI_Count count, room;
    int error;
};

/* Room for count numbers of the caller and as many values of arrays, each of length elements. */
static struct row row_of(MPI_Count numbers, MPI_Count arrays, MPI_Count length)
{
    struct row row = {0};

    if (length < 0) {
        row.error = MPI_ERR_COUNT;
        return row;
    }
    row.room = numbers + arrays * length;
    row.values = malloc((size_t)row.room * sizeof *row.values);
    row.error = row.values ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    return row;
}

static void add(struct row *row, MPI_Count value)
{
    if (!row->error)
        row->values[row->count++] = value;
}

static void add_numbers(struct row *row, struct numbers numbers, MPI_Count length)
{
    if (!row->error && !numbers.array && length > 0)
        row->error = MPI_ERR_ARG;
    for (MPI_Count i = 0; !row->error && i < length; i++)
        row->values[row->count++] = numbers_at(numbers, i);
}

/* The datatypes of handles; NULL, and an error in the row: one is none. The caller frees them. */
static struct datatype **types_of(struct row *row, const MPI_Datatype *handles, MPI_Count count)
{
    struct datatype **types;

    if (row->error)
        return NULL;
    types = malloc((size_t)(count + 1) * sizeof(struct datatype *));
    if (!types)
        row->error = MPI_ERR_NO_MEM;
    else if (!handles && count > 0)
        row->error = MPI_ERR_ARG;
    for (MPI_Count i = 0; !row->error && i < count; i++) {
        types[i] = datatype_of(handles[i]);
        if (!types[i])
            row->error = MPI_ERR_TYPE;
    }
    return types;
}

/* Makes the datatype of a row, which is freed, and raises what is wrong. */
static int make(const struct form *form, int combiner, struct row *row, const MPI_Datatype *handles,
                MPI_Count handles_count, MPI_Datatype *newtype)
{
    struct datatype **types = types_of(row, handles, handles_count);
    struct datatype *made;
    int error = row->error;

    if (!error && !newtype)
        error = MPI_ERR_ARG;
    if (!error)
        error = datatype_make(combiner, form->large, row->values, row->count, types, handles_count,
                              &made);
    if (!error)
        *newtype = datatype_handle(made);
    free(types);
    free(row->values);
    return call_error(form->function, error);
}

int forms_type_contiguous(const struct form *form, MPI_Count count, MPI_Datatype oldtype,
                          MPI_Datatype *newtype)
{
    struct row row = row_of(1, 0, 0);

    add(&row, count);
    return make(form, MPI_COMBINER_CONTIGUOUS, &row, &oldtype, 1, newtype);
}

static int vector(const struct form *form, int combiner, MPI_Count count, MPI_Count length,
                  MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(3, 0, 0);

    add(&row, count);
    add(&row, length);
    add(&row, stride);
    return make(form, combiner, &row, &oldtype, 1, newtype);
}

int forms_type_vector(const struct form *form, MPI_Count count, MPI_Count length, MPI_Count stride,
                      MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return vector(form, MPI_COMBINER_VECTOR, count, length, stride, oldtype, newtype);
}

int forms_type_create_hvector(const struct form *form, MPI_Count count, MPI_Count length,
                              MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return vector(form, MPI_COMBINER_HVECTOR, count, length, stride, oldtype, newtype);
}

/* Blocks of lengths of their own, of one datatype or of several. */
static int indexed(const struct form *form, int combiner, MPI_Count count, struct numbers lengths,
                   struct numbers displacements, const MPI_Datatype *types, MPI_Count types_count,
                   MPI_Datatype *newtype)
{
    struct row row = row_of(1, 2, count);

    add(&row, count);
    add_numbers(&row, lengths, count);
    add_numbers(&row, displacements, count);
    return make(form, combiner, &row, types, types_count, newtype);
}

int forms_type_indexed(const struct form *form, MPI_Count count, struct numbers lengths,
                       struct numbers displacements, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return indexed(form, MPI_COMBINER_INDEXED, count, lengths, displacements, &oldtype, 1, newtype);
}

int forms_type_create_hindexed(const struct form *form, MPI_Count count, struct numbers lengths,
                               struct numbers displacements, MPI_Datatype oldtype,
                               MPI_Datatype *newtype)
{
    return indexed(form, MPI_COMBINER_HINDEXED, count, lengths, displacements, &oldtype, 1,
                   newtype);
}

int forms_type_create_struct(const struct form *form, MPI_Count count, struct numbers lengths,
                             struct numbers displacements, const MPI_Datatype types[],
                             MPI_Datatype *newtype)
{
    return indexed(form, MPI_COMBINER_STRUCT, count, lengths, displacements, types, count, newtype);
}

static int indexed_block(const struct form *form, int combiner, MPI_Count count, MPI_Count length,
                         struct numbers displacements, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 1, count);

    add(&row, count);
    add(&row, length);
    add_numbers(&row, displacements, count);
    return make(form, combiner, &row, &oldtype, 1, newtype);
}

int forms_type_create_indexed_block(const struct form *form, MPI_Count count, MPI_Count length,
                                    struct numbers displacements, MPI_Datatype oldtype,
                                    MPI_Datatype *newtype)
{
    return indexed_block(form, MPI_COMBINER_INDEXED_BLOCK, count, length, displacements, oldtype,
                         newtype);
}

int forms_type_create_hindexed_block(const struct form *form, MPI_Count count, MPI_Count length,
                                     struct numbers displacements, MPI_Datatype oldtype,
                                     MPI_Datatype *newtype)
{
    return indexed_block(form, MPI_COMBINER_HINDEXED_BLOCK, count, length, displacements, oldtype,
                         newtype);
}

int forms_type_create_subarray(const struct form *form, int dimensions, struct numbers sizes,
                               struct numbers subsizes, struct numbers starts, int order,
                               MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 3, dimensions < 0 ? 0 : dimensions);

    add(&row, dimensions);
    add_numbers(&row, sizes, dimensions);
    add_numbers(&row, subsizes, dimensions);
    add_numbers(&row, starts, dimensions);
    add(&row, order);
    return make(form, MPI_COMBINER_SUBARRAY, &row, &oldtype, 1, newtype);
}

int forms_type_create_darray(const struct form *form, int size, int rank, int dimensions,
                             struct numbers gsizes, struct numbers distribs, struct numbers dargs,
                             struct numbers psizes, int order, MPI_Datatype oldtype,
                             MPI_Datatype *newtype)
{
    struct row row = row_of(4, 4, dimensions < 0 ? 0 : dimensions);

    add(&row, size);
    add(&row, rank);
    add(&row, dimensions);
    add_numbers(&row, gsizes, dimensions);
    add_numbers(&row, distribs, dimensions);
    add_numbers(&row, dargs, dimensions);
    add_numbers(&row, psizes, dimensions);
    add(&row, order);
    return make(form, MPI_COMBINER_DARRAY, &row, &oldtype, 1, newtype);
}

int forms_type_create_resized(const struct form *form, MPI_Datatype oldtype, MPI_Count lb,
                              MPI_Count extent, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 0, 0);

    add(&row, lb);
    add(&row, extent);
    return make(form, MPI_COMBINER_RESIZED, &row, &oldtype, 1, newtype);
}

/* A duplicate has the attributes of the original, and is committed if that is. */
MPI_CALL(int, Type_dup)(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct datatype *old = datatype_of(oldtype), *made;
    int error;

    if (!old || !newtype)
        return call_error("MPI_Type_dup", old ? MPI_ERR_ARG : MPI_ERR_TYPE);
    error = datatype_make(MPI_COMBINER_DUP, false, NULL, 0, &old, 1, &made);
    if (!error) {
        made->committed = old->committed;
        error = attributes_copy(&old->attributes, OBJECT_DATATYPE, oldtype, &made->attributes,
                                datatype_handle(made));
        if (error)
            datatype_drop(made);
    }
    *newtype = error ? MPI_DATATYPE_NULL : datatype_handle(made);
    return call_error("MPI_Type_dup", error);
}

MPI_CALL(int, Type_create_f90_integer)(int r, MPI_Datatype *newtype)
{
    int error = MPI_ERR_ARG;

    if (newtype)
        error = choose_by_precision(MPI_COMBINER_F90_INTEGER, 0, r, newtype);
    return call_error("MPI_Type_create_f90_integer", error);
}

/* One of both may be left open. */
static int create_f90(const char *function, int combiner, int p, int r, MPI_Datatype *newtype)
{
    int error = MPI_ERR_ARG;

    if (newtype && (p != MPI_UNDEFINED || r != MPI_UNDEFINED))
        error = choose_by_precision(combiner, p, r, newtype);
    return call_error(function, error);
}

MPI_CALL(int, Type_create_f90_real)(int p, int r, MPI_Datatype *newtype)
{
    return create_f90("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL, p, r, newtype);
}

MPI_CALL(int, Type_create_f90_complex)(int p, int r, MPI_Datatype *newtype)
{
    return create_f90("MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX, p, r, newtype);
}
