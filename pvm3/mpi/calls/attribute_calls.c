/* attribute_calls.c - keyvals, and the attributes of communicators, datatypes and windows. */
#include "mpi/calls/calls.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/objects/attributes.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/windows/window.h"

MPI_CALL(int, Comm_create_keyval)
(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *keyval, void *extra)
{
    union attribute_copy copies = {.comm = copy};
    union attribute_delete deletes = {.comm = delete};

    return call_error("MPI_Comm_create_keyval",
                      keyval ? keyval_make(OBJECT_COMM, copies, deletes, extra, keyval)
                             : MPI_ERR_ARG);
}

MPI_CALL(int, Type_create_keyval)
(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *delete, int *keyval, void *extra)
{
    union attribute_copy copies = {.type = copy};
    union attribute_delete deletes = {.type = delete};

    return call_error("MPI_Type_create_keyval",
                      keyval ? keyval_make(OBJECT_DATATYPE, copies, deletes, extra, keyval)
                             : MPI_ERR_ARG);
}

MPI_CALL(int, Win_create_keyval)
(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *delete, int *keyval, void *extra)
{
    union attribute_copy copies = {.win = copy};
    union attribute_delete deletes = {.win = delete};

    return call_error("MPI_Win_create_keyval",
                      keyval ? keyval_make(OBJECT_WIN, copies, deletes, extra, keyval)
                             : MPI_ERR_ARG);
}

MPI_CALL(int, Keyval_create)
(MPI_Copy_function *copy, MPI_Delete_function *delete, int *keyval, void *extra)
{
    return PMPI_Comm_create_keyval(copy, delete, keyval, extra);
}

static int free_keyval(const char *function, enum object_kind kind, int *keyval)
{
    int error = keyval ? keyval_free(kind, *keyval) : MPI_ERR_ARG;

    if (!error)
        *keyval = MPI_KEYVAL_INVALID;
    return call_error(function, error);
}

MPI_CALL(int, Comm_free_keyval)(int *keyval)
{
    return free_keyval("MPI_Comm_free_keyval", OBJECT_COMM, keyval);
}

MPI_CALL(int, Type_free_keyval)(int *keyval)
{
    return free_keyval("MPI_Type_free_keyval", OBJECT_DATATYPE, keyval);
}

MPI_CALL(int, Win_free_keyval)(int *keyval)
{
    return free_keyval("MPI_Win_free_keyval", OBJECT_WIN, keyval);
}

MPI_CALL(int, Keyval_free)(int *keyval)
{
    return free_keyval("MPI_Keyval_free", OBJECT_COMM, keyval);
}

/* The value goes where the program says: the address of a pointer, passed as a void pointer. */
static int get(struct attributes *attributes, enum object_kind kind, int keyval, void *value,
               int *flag)
{
    void *found_value;
    bool found;
    int error;

    if (!value || !flag)
        return MPI_ERR_ARG;
    error = attributes_get(attributes, kind, keyval, &found_value, &found);
    if (error)
        return error;
    *flag = found;
    if (found)
        *(void **)value = found_value;
    return MPI_SUCCESS;
}

static int comm_set(const char *function, MPI_Comm comm, int keyval, void *value)
{
    struct communicator *communicator = communicator_of(comm);

    if (!communicator)
        return call_error(function, MPI_ERR_COMM);
    return communicator_error(
        communicator, function,
        attributes_set(&communicator->attributes, OBJECT_COMM, comm, keyval, value));
}

static int comm_get(const char *function, MPI_Comm comm, int keyval, void *value, int *flag)
{
    struct communicator *communicator = communicator_of(comm);

    if (!communicator)
        return call_error(function, MPI_ERR_COMM);
    return communicator_error(communicator, function,
                              get(&communicator->attributes, OBJECT_COMM, keyval, value, flag));
}

static int comm_delete(const char *function, MPI_Comm comm, int keyval)
{
    struct communicator *communicator = communicator_of(comm);

    if (!communicator)
        return call_error(function, MPI_ERR_COMM);
    return communicator_error(
        communicator, function,
        attributes_delete(&communicator->attributes, OBJECT_COMM, comm, keyval));
}

MPI_CALL(int, Comm_set_attr)(MPI_Comm comm, int keyval, void *attribute_val)
{
    return comm_set("MPI_Comm_set_attr", comm, keyval, attribute_val);
}

MPI_CALL(int, Attr_put)(MPI_Comm comm, int keyval, void *attribute_val)
{
    return comm_set("MPI_Attr_put", comm, keyval, attribute_val);
}

MPI_CALL(int, Comm_get_attr)(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
    return comm_get("MPI_Comm_get_attr", comm, keyval, attribute_val, flag);
}

MPI_CALL(int, Attr_get)(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
    return comm_get("MPI_Attr_get", comm, keyval, attribute_val, flag);
}

MPI_CALL(int, Comm_delete_attr)(MPI_Comm comm, int keyval)
{
    return comm_delete("MPI_Comm_delete_attr", comm, keyval);
}

MPI_CALL(int, Attr_delete)(MPI_Comm comm, int keyval)
{
    return comm_delete("MPI_Attr_delete", comm, keyval);
}

MPI_CALL(int, Type_set_attr)(MPI_Datatype datatype, int keyval, void *attribute_val)
{
    struct datatype *type = datatype_of(datatype);
    int error = MPI_ERR_TYPE;

    if (type)
        error = attributes_set(&type->attributes, OBJECT_DATATYPE, datatype, keyval, attribute_val);
    return call_error("MPI_Type_set_attr", error);
}

MPI_CALL(int, Type_get_attr)(MPI_Datatype datatype, int keyval, void *attribute_val, int *flag)
{
    struct datatype *type = datatype_of(datatype);
    int error = MPI_ERR_TYPE;

    if (type)
        error = get(&type->attributes, OBJECT_DATATYPE, keyval, attribute_val, flag);
    return call_error("MPI_Type_get_attr", error);
}

MPI_CALL(int, Type_delete_attr)(MPI_Datatype datatype, int keyval)
{
    struct datatype *type = datatype_of(datatype);
    int error = MPI_ERR_TYPE;

    if (type)
        error = attributes_delete(&type->attributes, OBJECT_DATATYPE, datatype, keyval);
    return call_error("MPI_Type_delete_attr", error);
}

MPI_CALL(int, Win_set_attr)(MPI_Win win, int keyval, void *attribute_val)
{
    struct window *window = window_of(win);
    int error = MPI_ERR_WIN;

    if (window)
        error = attributes_set(&window->attributes, OBJECT_WIN, win, keyval, attribute_val);
    return window_error(window, "MPI_Win_set_attr", error);
}

MPI_CALL(int, Win_get_attr)(MPI_Win win, int keyval, void *attribute_val, int *flag)
{
    struct window *window = window_of(win);
    int error = MPI_ERR_WIN;

    if (window && attribute_val && flag && window_attribute(window, keyval, attribute_val)) {
        *flag = true;
        error = MPI_SUCCESS;
    } else if (window) {
        error = get(&window->attributes, OBJECT_WIN, keyval, attribute_val, flag);
    }
    return window_error(window, "MPI_Win_get_attr", error);
}

MPI_CALL(int, Win_delete_attr)(MPI_Win win, int keyval)
{
    struct window *window = window_of(win);
    int error = MPI_ERR_WIN;

    if (window)
        error = attributes_delete(&window->attributes, OBJECT_WIN, win, keyval);
    return window_error(window, "MPI_Win_delete_attr", error);
}
