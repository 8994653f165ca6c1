/* type_calls.c - what datatypes are, and their lives. */
#include <limits.h>

#include "mpi/calls/calls.h"
#include "mpi/datatypes/choose.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/objects/names.h"

MPI_CALL(int, Type_commit)(MPI_Datatype *datatype)
{
    struct datatype *type = datatype ? datatype_of(*datatype) : NULL;

    if (!type)
        return call_error("MPI_Type_commit", datatype ? MPI_ERR_TYPE : MPI_ERR_ARG);
    if (!type->committed)
        type->committed = true;
    return MPI_SUCCESS;
}

MPI_CALL(int, Type_free)(MPI_Datatype *datatype)
{
    struct datatype *type = datatype ? datatype_of(*datatype) : NULL;
    int error;

    if (!type || type->named)
        return call_error("MPI_Type_free", datatype ? MPI_ERR_TYPE : MPI_ERR_ARG);
    error = datatype_leave(type);
    if (!error)
        *datatype = MPI_DATATYPE_NULL;
    return call_error("MPI_Type_free", error);
}

/* A value as an int, for functions that cannot say more. */
static int as_int(MPI_Count value)
{
    return value <= INT_MAX && value >= INT_MIN ? (int)value : MPI_UNDEFINED;
}

/* A datatype to ask, and where its answers go. */
static int check(const struct datatype *type, const void *one, const void *other)
{
    if (!type)
        return MPI_ERR_TYPE;
    return one && other ? MPI_SUCCESS : MPI_ERR_ARG;
}

MPI_CALL(int, Type_size)(MPI_Datatype datatype, int *size)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, size, size);

    if (!error)
        *size = as_int(type->size);
    return call_error("MPI_Type_size", error);
}

static int size_of(const char *function, MPI_Datatype datatype, MPI_Count *size)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, size, size);

    if (!error)
        *size = type->size;
    return call_error(function, error);
}

MPI_CALL(int, Type_size_c)(MPI_Datatype datatype, MPI_Count *size)
{
    return size_of("MPI_Type_size_c", datatype, size);
}

MPI_CALL(int, Type_size_x)(MPI_Datatype datatype, MPI_Count *size)
{
    return size_of("MPI_Type_size_x", datatype, size);
}

MPI_CALL(int, Type_get_extent)(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, lb, extent);

    if (!error) {
        *lb = (MPI_Aint)type->lb;
        *extent = (MPI_Aint)type->extent;
    }
    return call_error("MPI_Type_get_extent", error);
}

static int extent_of(const char *function, MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, lb, extent);

    if (!error) {
        *lb = type->lb;
        *extent = type->extent;
    }
    return call_error(function, error);
}

MPI_CALL(int, Type_get_extent_c)(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    return extent_of("MPI_Type_get_extent_c", datatype, lb, extent);
}

MPI_CALL(int, Type_get_extent_x)(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    return extent_of("MPI_Type_get_extent_x", datatype, lb, extent);
}

MPI_CALL(int, Type_get_true_extent)(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, true_lb, true_extent);

    if (!error) {
        *true_lb = (MPI_Aint)type->true_lb;
        *true_extent = (MPI_Aint)type->true_extent;
    }
    return call_error("MPI_Type_get_true_extent", error);
}

static int true_extent_of(const char *function, MPI_Datatype datatype, MPI_Count *lb,
                          MPI_Count *extent)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, lb, extent);

    if (!error) {
        *lb = type->true_lb;
        *extent = type->true_extent;
    }
    return call_error(function, error);
}

MPI_CALL(int, Type_get_true_extent_c)
(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
    return true_extent_of("MPI_Type_get_true_extent_c", datatype, true_lb, true_extent);
}

MPI_CALL(int, Type_get_true_extent_x)
(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
    return true_extent_of("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}

MPI_CALL(int, Type_set_name)(MPI_Datatype datatype, const char *type_name)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, type_name, type_name);

    if (!error)
        name_set(type->name, type_name);
    return call_error("MPI_Type_set_name", error);
}

MPI_CALL(int, Type_get_name)(MPI_Datatype datatype, char *type_name, int *resultlen)
{
    struct datatype *type = datatype_of(datatype);

    if (!type_name || !resultlen)
        return call_error("MPI_Type_get_name", MPI_ERR_ARG);
    if (!type && datatype != MPI_DATATYPE_NULL)
        return call_error("MPI_Type_get_name", MPI_ERR_TYPE);
    name_get(type ? type->name : (const char[MPI_MAX_OBJECT_NAME]){"MPI_DATATYPE_NULL"}, type_name,
             resultlen);
    return MPI_SUCCESS;
}

MPI_CALL(int, Type_match_size)(int typeclass, int size, MPI_Datatype *datatype)
{
    return call_error("MPI_Type_match_size",
                      datatype ? choose_by_size(typeclass, size, datatype) : MPI_ERR_ARG);
}

MPI_CALL(int, Type_get_value_index)
(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type)
{
    int error = MPI_ERR_TYPE;

    if (datatype_of(value_type) && datatype_of(index_type))
        error = pair_type ? choose_pair(value_type, index_type, pair_type) : MPI_ERR_ARG;
    return call_error("MPI_Type_get_value_index", error);
}
