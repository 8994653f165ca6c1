/* object.h - what all objects begin with: their kind, and the count of those who refer to them.
 *
 * A handle is the address of an object, or, of a predefined one, a small number. Each kind has a
 * function X_of that gives the object of a handle, or NULL if the handle is of another kind,
 * freed or nonsense; it takes the small numbers, and is made with object_at for all others.
 *
 * A program also has numbers for handles (MPI_Comm_toint): those of predefined ones are the
 * handles' values. An object gets a number when it is asked for, and keeps it as long as it
 * lives.
 */
#ifndef MPI_OBJECTS_OBJECT_H
#define MPI_OBJECTS_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* Not small: what is no object has hardly one of these at its beginning. */
enum object_kind {
    OBJECT_COMM = 0x4d504901,
    OBJECT_DATATYPE,
    OBJECT_ERRHANDLER,
    OBJECT_FILE,
    OBJECT_GROUP,
    OBJECT_INFO,
    OBJECT_MESSAGE,
    OBJECT_OP,
    OBJECT_REQUEST,
    OBJECT_SESSION,
    OBJECT_WIN
};

struct object {
    uint32_t kind;          /* enum object_kind; 0 once it is gone */
    _Atomic uint32_t users; /* references; object_keep and object_drop count them */
    int32_t number;         /* 0: it has none yet */
    bool predefined;        /* it is never counted, and never goes */
};

/* Those below this number are predefined handles, or none. */
#define OBJECT_SMALL 4096

/* One reference, that of the caller. */
void object_begin(struct object *object, enum object_kind kind);

/* One more reference. */
void object_keep(struct object *object);

/* One reference less. True: it was the last, the object counts as gone, and the caller frees it. */
bool object_drop(struct object *object);

/* The object at the address that a handle is, if it is of this kind; NULL for small numbers. */
void *object_at(const void *handle, enum object_kind kind);

/* The number of a handle, and the handle of a number, which is NULL if nothing of this kind has
 * it. */
int object_number(const void *handle, enum object_kind kind);
void *object_of_number(int number, enum object_kind kind);

#endif
