/* type_calls.c - what datatypes are, and their lives. */
#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
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

/* A datatype to ask, and where its answers go. */
static int check(const struct datatype *type, const void *one, const void *other)
{
    if (!type)
        return MPI_ERR_TYPE;
    return one && other ? MPI_SUCCESS : MPI_ERR_ARG;
}

int forms_type_size(const struct form *form, MPI_Datatype datatype, struct number size)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, size.place, size.place);

    if (!error)
        number_put(size, type->size);
    return call_error(form->function, error);
}

int forms_type_get_extent(const struct form *form, MPI_Datatype datatype, struct number lb,
                          struct number extent)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, lb.place, extent.place);

    if (!error) {
        number_put(lb, type->lb);
        number_put(extent, type->extent);
    }
    return call_error(form->function, error);
}

int forms_type_get_true_extent(const struct form *form, MPI_Datatype datatype, struct number lb,
                               struct number extent)
{
    struct datatype *type = datatype_of(datatype);
    int error = check(type, lb.place, extent.place);

    if (!error) {
        number_put(lb, type->true_lb);
        number_put(extent, type->true_extent);
    }
    return call_error(form->function, error);
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
