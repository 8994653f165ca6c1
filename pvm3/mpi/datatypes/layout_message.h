/*
 * layout_message.h - a layout as bytes, for a process of the same kind that does not have the
 * datatype.
 *
 * The bytes are 64-bit numbers, each node of the tree before what is below it.
 */
#ifndef MPI_DATATYPES_LAYOUT_MESSAGE_H
#define MPI_DATATYPES_LAYOUT_MESSAGE_H

#include "mpi/datatypes/layout.h"

/* How many bytes layout_write writes. */
size_t layout_write_size(const struct layout *layout);
void layout_write(const struct layout *layout, void *to);

/* The layout, with one reference; NULL if `size` bytes are not one, or without memory. */
const struct layout *layout_read(const void *from, size_t size);

#endif
