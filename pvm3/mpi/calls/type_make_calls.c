/* type_make_calls.c - the constructors of datatypes.
 *
 * Each puts its arguments into one row of values, in the order of MPI_Type_get_contents. */
#include <stdlib.h>

#include "mpi/calls/calls.h"
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

/* An array of one of the three types that arguments have. */
#define ADD_ARRAY(name, type)                                                                      \
    static void name(struct row *row, const type *array, MPI_Count length)                         \
    {                                                                                              \
        if (!row->error && !array && length > 0)                                                   \
            row->error = MPI_ERR_ARG;                                                              \
        for (MPI_Count i = 0; !row->error && i < length; i++)                                      \
            row->values[row->count++] = array[i];                                                  \
    }
ADD_ARRAY(add_ints, int)
ADD_ARRAY(add_addresses, MPI_Aint)
ADD_ARRAY(add_counts, MPI_Count)

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
static int make(const char *function, int combiner, bool large, struct row *row,
                const MPI_Datatype *handles, MPI_Count handles_count, MPI_Datatype *newtype)
{
    struct datatype **types = types_of(row, handles, handles_count);
    struct datatype *made;
    int error = row->error;

    if (!error && !newtype)
        error = MPI_ERR_ARG;
    if (!error)
        error =
            datatype_make(combiner, large, row->values, row->count, types, handles_count, &made);
    if (!error)
        *newtype = datatype_handle(made);
    free(types);
    free(row->values);
    return call_error(function, error);
}

MPI_CALL(int, Type_contiguous)(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(1, 0, 0);

    add(&row, count);
    return make("MPI_Type_contiguous", MPI_COMBINER_CONTIGUOUS, false, &row, &oldtype, 1, newtype);
}

MPI_CALL(int, Type_contiguous_c)(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(1, 0, 0);

    add(&row, count);
    return make("MPI_Type_contiguous_c", MPI_COMBINER_CONTIGUOUS, true, &row, &oldtype, 1, newtype);
}

static int vector(const char *function, int combiner, bool large, MPI_Count count, MPI_Count length,
                  MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(3, 0, 0);

    add(&row, count);
    add(&row, length);
    add(&row, stride);
    return make(function, combiner, large, &row, &oldtype, 1, newtype);
}

MPI_CALL(int, Type_vector)
(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return vector("MPI_Type_vector", MPI_COMBINER_VECTOR, false, count, blocklength, stride,
                  oldtype, newtype);
}

MPI_CALL(int, Type_vector_c)
(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
 MPI_Datatype *newtype)
{
    return vector("MPI_Type_vector_c", MPI_COMBINER_VECTOR, true, count, blocklength, stride,
                  oldtype, newtype);
}

MPI_CALL(int, Type_create_hvector)
(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return vector("MPI_Type_create_hvector", MPI_COMBINER_HVECTOR, false, count, blocklength,
                  stride, oldtype, newtype);
}

MPI_CALL(int, Type_create_hvector_c)
(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
 MPI_Datatype *newtype)
{
    return vector("MPI_Type_create_hvector_c", MPI_COMBINER_HVECTOR, true, count, blocklength,
                  stride, oldtype, newtype);
}

MPI_CALL(int, Type_indexed)
(int count, const int lengths[], const int displacements[], MPI_Datatype oldtype,
 MPI_Datatype *newtype)
{
    struct row row = row_of(1, 2, count);

    add(&row, count);
    add_ints(&row, lengths, count);
    add_ints(&row, displacements, count);
    return make("MPI_Type_indexed", MPI_COMBINER_INDEXED, false, &row, &oldtype, 1, newtype);
}

MPI_CALL(int, Type_create_hindexed)
(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype oldtype,
 MPI_Datatype *newtype)
{
    struct row row = row_of(1, 2, count);

    add(&row, count);
    add_ints(&row, lengths, count);
    add_addresses(&row, displacements, count);
    return make("MPI_Type_create_hindexed", MPI_COMBINER_HINDEXED, false, &row, &oldtype, 1,
                newtype);
}

static int indexed_large(const char *function, int combiner, MPI_Count count,
                         const MPI_Count *lengths, const MPI_Count *displacements,
                         MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(1, 2, count);

    add(&row, count);
    add_counts(&row, lengths, count);
    add_counts(&row, displacements, count);
    return make(function, combiner, true, &row, &oldtype, 1, newtype);
}

MPI_CALL(int, Type_indexed_c)
(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[], MPI_Datatype oldtype,
 MPI_Datatype *newtype)
{
    return indexed_large("MPI_Type_indexed_c", MPI_COMBINER_INDEXED, count, lengths, displacements,
                         oldtype, newtype);
}

MPI_CALL(int, Type_create_hindexed_c)
(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[], MPI_Datatype oldtype,
 MPI_Datatype *newtype)
{
    return indexed_large("MPI_Type_create_hindexed_c", MPI_COMBINER_HINDEXED, count, lengths,
                         displacements, oldtype, newtype);
}

MPI_CALL(int, Type_create_indexed_block)
(int count, int length, const int displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 1, count);

    add(&row, count);
    add(&row, length);
    add_ints(&row, displacements, count);
    return make("MPI_Type_create_indexed_block", MPI_COMBINER_INDEXED_BLOCK, false, &row, &oldtype,
                1, newtype);
}

MPI_CALL(int, Type_create_hindexed_block)
(int count, int length, const MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 1, count);

    add(&row, count);
    add(&row, length);
    add_addresses(&row, displacements, count);
    return make("MPI_Type_create_hindexed_block", MPI_COMBINER_HINDEXED_BLOCK, false, &row,
                &oldtype, 1, newtype);
}

static int block_large(const char *function, int combiner, MPI_Count count, MPI_Count length,
                       const MPI_Count *displacements, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 1, count);

    add(&row, count);
    add(&row, length);
    add_counts(&row, displacements, count);
    return make(function, combiner, true, &row, &oldtype, 1, newtype);
}

MPI_CALL(int, Type_create_indexed_block_c)
(MPI_Count count, MPI_Count length, const MPI_Count displacements[], MPI_Datatype oldtype,
 MPI_Datatype *newtype)
{
    return block_large("MPI_Type_create_indexed_block_c", MPI_COMBINER_INDEXED_BLOCK, count, length,
                       displacements, oldtype, newtype);
}

MPI_CALL(int, Type_create_hindexed_block_c)
(MPI_Count count, MPI_Count length, const MPI_Count displacements[], MPI_Datatype oldtype,
 MPI_Datatype *newtype)
{
    return block_large("MPI_Type_create_hindexed_block_c", MPI_COMBINER_HINDEXED_BLOCK, count,
                       length, displacements, oldtype, newtype);
}

MPI_CALL(int, Type_create_struct)
(int count, const int lengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
 MPI_Datatype *newtype)
{
    struct row row = row_of(1, 2, count);

    add(&row, count);
    add_ints(&row, lengths, count);
    add_addresses(&row, displacements, count);
    return make("MPI_Type_create_struct", MPI_COMBINER_STRUCT, false, &row, types, count, newtype);
}

MPI_CALL(int, Type_create_struct_c)
(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
 const MPI_Datatype types[], MPI_Datatype *newtype)
{
    struct row row = row_of(1, 2, count);

    add(&row, count);
    add_counts(&row, lengths, count);
    add_counts(&row, displacements, count);
    return make("MPI_Type_create_struct_c", MPI_COMBINER_STRUCT, true, &row, types, count, newtype);
}

MPI_CALL(int, Type_create_subarray)
(int dimensions, const int sizes[], const int subsizes[], const int starts[], int order,
 MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 3, dimensions < 0 ? 0 : dimensions);

    add(&row, dimensions);
    add_ints(&row, sizes, dimensions);
    add_ints(&row, subsizes, dimensions);
    add_ints(&row, starts, dimensions);
    add(&row, order);
    return make("MPI_Type_create_subarray", MPI_COMBINER_SUBARRAY, false, &row, &oldtype, 1,
                newtype);
}

MPI_CALL(int, Type_create_subarray_c)
(int dimensions, const MPI_Count sizes[], const MPI_Count subsizes[], const MPI_Count starts[],
 int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 3, dimensions < 0 ? 0 : dimensions);

    add(&row, dimensions);
    add_counts(&row, sizes, dimensions);
    add_counts(&row, subsizes, dimensions);
    add_counts(&row, starts, dimensions);
    add(&row, order);
    return make("MPI_Type_create_subarray_c", MPI_COMBINER_SUBARRAY, true, &row, &oldtype, 1,
                newtype);
}

MPI_CALL(int, Type_create_darray)
(int size, int rank, int dimensions, const int gsizes[], const int distribs[], const int dargs[],
 const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(4, 4, dimensions < 0 ? 0 : dimensions);

    add(&row, size);
    add(&row, rank);
    add(&row, dimensions);
    add_ints(&row, gsizes, dimensions);
    add_ints(&row, distribs, dimensions);
    add_ints(&row, dargs, dimensions);
    add_ints(&row, psizes, dimensions);
    add(&row, order);
    return make("MPI_Type_create_darray", MPI_COMBINER_DARRAY, false, &row, &oldtype, 1, newtype);
}

MPI_CALL(int, Type_create_darray_c)
(int size, int rank, int dimensions, const MPI_Count gsizes[], const int distribs[],
 const int dargs[], const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct row row = row_of(4, 4, dimensions < 0 ? 0 : dimensions);

    add(&row, size);
    add(&row, rank);
    add(&row, dimensions);
    add_counts(&row, gsizes, dimensions);
    add_ints(&row, distribs, dimensions);
    add_ints(&row, dargs, dimensions);
    add_ints(&row, psizes, dimensions);
    add(&row, order);
    return make("MPI_Type_create_darray_c", MPI_COMBINER_DARRAY, true, &row, &oldtype, 1, newtype);
}

static int resized(const char *function, bool large, MPI_Datatype oldtype, MPI_Count lb,
                   MPI_Count extent, MPI_Datatype *newtype)
{
    struct row row = row_of(2, 0, 0);

    add(&row, lb);
    add(&row, extent);
    return make(function, MPI_COMBINER_RESIZED, large, &row, &oldtype, 1, newtype);
}

MPI_CALL(int, Type_create_resized)
(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype)
{
    return resized("MPI_Type_create_resized", false, oldtype, lb, extent, newtype);
}

MPI_CALL(int, Type_create_resized_c)
(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype)
{
    return resized("MPI_Type_create_resized_c", true, oldtype, lb, extent, newtype);
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
