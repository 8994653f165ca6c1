/*
 * items.c - copies items from one layout to another.
 */
#include "mpi/schedules/items.h"

#include <stdint.h>
#include <string.h>

size_t items_bytes(const struct items *items)
{
    return (size_t)items->count * (items->datatype ? (size_t)items->datatype->size : 1);
}

void *items_at(const void *buffer, MPI_Count index, const struct datatype *datatype)
{
    /* As numbers: the beginning of items may lie before the memory that they use. */
    MPI_Count extent = datatype ? datatype->extent : 1;
    return (void *)((uintptr_t)buffer + (uintptr_t)(index * extent));
}

/* Where the bytes lie if they lie in one run, otherwise NULL. */
static char *run_of(const struct items *items)
{
    if (!items->datatype)
        return items->buffer;
    if (!datatype_is_block(items->datatype))
        return NULL;
    return (char *)((uintptr_t)items->buffer + (uintptr_t)items->datatype->true_lb);
}

/* By way of a few bytes at a time. */
static void copy_through(const struct items *from, const struct items *to, size_t size)
{
    char bytes[8192];
    for (size_t offset = 0; offset < size;) {
        size_t length = size - offset < sizeof bytes ? size - offset : sizeof bytes;
        datatype_pack(from->datatype, from->buffer, from->count, offset, bytes, length);
        datatype_unpack(to->datatype, to->buffer, to->count, offset, bytes, length);
        offset += length;
    }
}

int items_copy(const struct items *from, const struct items *to)
{
    size_t size = items_bytes(from);
    int code = MPI_SUCCESS;
    if (size > items_bytes(to)) {
        size = items_bytes(to);
        code = MPI_ERR_TRUNCATE;
    }
    char *source = size ? run_of(from) : NULL;
    char *target = size ? run_of(to) : NULL;
    if (source && target)
        memmove(target, source, size);
    else if (source)
        datatype_unpack(to->datatype, to->buffer, to->count, 0, source, size);
    else if (target)
        datatype_pack(from->datatype, from->buffer, from->count, 0, target, size);
    else if (size > 0)
        copy_through(from, to, size);
    return code;
}
