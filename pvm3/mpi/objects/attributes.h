/* attributes.h - what users attach to communicators, datatypes and windows.
 *
 * An object has a struct attributes, all zero at first. Functions of the user are called without
 * a lock, and each returns MPI_SUCCESS or what the user's function returned. A keyval that is
 * freed lives on until the last attribute of it is gone.
 *
 * Predefined attributes of communicators (MPI_TAG_UB...) are ints of the process:
 * attribute_publish.
 */
#ifndef MPI_OBJECTS_ATTRIBUTES_H
#define MPI_OBJECTS_ATTRIBUTES_H

#include <stdbool.h>

#include "mpi/objects/object.h"

struct attributes {
    struct attribute *first; /* the last that was set */
};

/* The functions of a keyval, by the kind of its objects. */
union attribute_copy {
    MPI_Comm_copy_attr_function *comm;
    MPI_Type_copy_attr_function *type;
    MPI_Win_copy_attr_function *win;
};
union attribute_delete {
    MPI_Comm_delete_attr_function *comm;
    MPI_Type_delete_attr_function *type;
    MPI_Win_delete_attr_function *win;
};

int keyval_make(enum object_kind kind, union attribute_copy copy, union attribute_delete delete,
                void *extra, int *keyval);
/* MPI_SUCCESS, or MPI_ERR_KEYVAL: there is no such keyval for this kind. One that attributes still
 * use may be freed again: functions that delete attributes do so. */
int keyval_free(enum object_kind kind, int keyval);

/* handle: the handle of the object that has the attributes, for the user's functions. */
int attributes_set(struct attributes *attributes, enum object_kind kind, const void *handle,
                   int keyval, void *value);
int attributes_get(struct attributes *attributes, enum object_kind kind, int keyval, void **value,
                   bool *found);
int attributes_delete(struct attributes *attributes, enum object_kind kind, const void *handle,
                      int keyval);

/* Copies those whose functions say so to a new object. On an error to is left with none. */
int attributes_copy(const struct attributes *from, enum object_kind kind, const void *from_handle,
                    struct attributes *to, const void *to_handle);

/* Deletes all, before the object goes. Stops where a function returns an error, and returns
 * that. */
int attributes_clear(struct attributes *attributes, enum object_kind kind, const void *handle);

/* A predefined attribute of all communicators: attributes_get gives the address of the int. */
void attribute_publish(int keyval, int value);

#endif
