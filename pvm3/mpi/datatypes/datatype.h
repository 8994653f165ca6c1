/* datatype.h - datatypes: what stands where in memory, and how it becomes a row of bytes and
 * back.
 *
 * count elements of a datatype, without what lies between, are the packed stream: a row of count
 * times size bytes. datatype_pack writes any part of it, so that a message of any length goes
 * through small pieces.
 */
#ifndef MPI_DATATYPES_DATATYPE_H
#define MPI_DATATYPES_DATATYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/objects/attributes.h"
#include "mpi/objects/object.h"

struct basic;
struct layout;
struct recipe;

struct datatype {
    struct object object;
    MPI_Count size; /* bytes of an element in the packed stream */
    MPI_Count lb, extent;
    MPI_Count true_lb, true_extent;
    const struct layout *layout; /* what stands where */
    struct recipe *recipe;       /* how it was made; NULL: predefined */
    const struct basic *basic;   /* which predefined one it is; NULL: none */
    MPI_Count alignment;         /* what a structure of C would give it */
    bool lb_marked, ub_marked; /* set by MPI_Type_create_resized, and kept in what is made of it */
    struct attributes attributes;
    _Atomic int handles; /* that the program has */
    _Atomic bool committed;
    bool named; /* it counts as predefined: MPI_Type_free does not take it */
    bool block; /* datatype_is_block */
    char name[MPI_MAX_OBJECT_NAME];
};

/* The datatype of a handle; NULL: there is none. MPI_DATATYPE_NULL is none. */
struct datatype *datatype_of(MPI_Datatype handle);
MPI_Datatype datatype_handle(const struct datatype *datatype);

/* MPI_SUCCESS, or MPI_ERR_TYPE: there is none, or it is not committed. Then *datatype is NULL. */
int datatype_for_use(MPI_Datatype handle, struct datatype **datatype);

void datatype_keep(struct datatype *datatype);
/* For the handles of the program, which can have several of one datatype: with the last of them
 * its attributes are deleted. An error is that of a delete function: then the handle stays. */
void datatype_enter(struct datatype *datatype);
int datatype_leave(struct datatype *datatype);
void datatype_drop(struct datatype *datatype);

/* count elements are one run of bytes, count * size of them from buffer + true_lb on. */
static inline bool datatype_is_block(const struct datatype *datatype)
{
    return datatype->block;
}

/* Copies bytes offset to offset + size of the packed stream of count elements. Returns how many:
 * less than size, if the stream ends before. */
size_t datatype_pack(const struct datatype *datatype, const void *buffer, MPI_Count count,
                     size_t offset, void *to, size_t size);
size_t datatype_unpack(const struct datatype *datatype, void *buffer, MPI_Count count,
                       size_t offset, const void *from, size_t size);

/* Copies elements from one place to another, which may be of other datatypes. Returns the bytes:
 * the fewer of both. */
size_t datatype_copy(const struct datatype *from_type, const void *from, MPI_Count from_count,
                     const struct datatype *to_type, void *to, MPI_Count to_count);

/* How many whole elements bytes of the stream are, for MPI_Get_count; MPI_UNDEFINED: a part is
 * left. */
MPI_Count datatype_count(const struct datatype *datatype, MPI_Count bytes);
/* How many basic elements begin and end in them, for MPI_Get_elements; MPI_UNDEFINED: one is not
 * whole. */
MPI_Count datatype_elements(const struct datatype *datatype, MPI_Count bytes);
/* How many bytes of the stream so many basic elements are; 0: the datatype has none. */
MPI_Count datatype_bytes(const struct datatype *datatype, MPI_Count elements);

/* The bytes from the first to the last of count elements, and what to take off a block of so
 * many bytes to get the buffer: for memory that holds count elements as they lie (temporary
 * buffers of reductions). */
MPI_Count datatype_span(const struct datatype *datatype, MPI_Count count, MPI_Count *before);

#endif
