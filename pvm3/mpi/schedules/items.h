/*
 * items.h - items of a datatype in memory: how many bytes they are, where they lie, and copies.
 */
#ifndef MPI_SCHEDULES_ITEMS_H
#define MPI_SCHEDULES_ITEMS_H

#include "mpi/datatypes/datatype.h"
#include "mpi/messages/messages.h"

/* The bytes of the items when they are packed. */
size_t items_bytes(const struct items *items);

/* The item `index` of a buffer. `datatype` NULL: bytes. */
void *items_at(const void *buffer, MPI_Count index, const struct datatype *datatype);

/* Copies as a message would: MPI_ERR_TRUNCATE after what fits. */
int items_copy(const struct items *from, const struct items *to);

#endif
