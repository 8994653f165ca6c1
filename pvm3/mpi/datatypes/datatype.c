#include <stdlib.h>
#include <string.h>

#include "mpi/datatypes/datatype.h"
#include "mpi/datatypes/layout.h"
#include "mpi/objects/names.h"

/* The handles of predefined datatypes are as many from this one on. */
#define FIRST ((uintptr_t)MPI_DATATYPE_NULL)
enum { HANDLES = 0x100 };

/* Each predefined one at its handle's number; NULL: no handle. */
static struct datatype *predefined[HANDLES];

static const struct layout *layout_of_basic(const struct basic *basic)
{
    const struct layout *value, *index;
    struct layout *pair;

    if (basic->class != BASIC_PAIR)
        return layout_block(basic, 1);
    value = layout_block(basic_of(basic->value), 1);
    index = layout_block(basic_of(basic->index), 1);
    pair = layout_list(2);
    if (!value || !index || !pair || !layout_add(pair, value, 0) ||
        !layout_add(pair, index, basic->index_at))
        abort();
    layout_drop(value);
    layout_drop(index);
    return layout_of_list(pair);
}

static void begin_predefined(struct datatype *datatype, const struct basic *basic)
{
    object_begin(&datatype->object, OBJECT_DATATYPE);
    datatype->object.predefined = true;
    datatype->layout = layout_of_basic(basic);
    if (!datatype->layout)
        abort();
    datatype->size = datatype->layout->size;
    datatype->extent = basic->size;
    datatype->true_lb = datatype->layout->low;
    datatype->true_extent = datatype->layout->high - datatype->layout->low;
    datatype->alignment = basic->alignment;
    datatype->committed = datatype->named = true;
    datatype->block = datatype->layout->run && datatype->size == datatype->extent;
    datatype->basic = basic;
    name_set(datatype->name, basic->name);
    predefined[(uintptr_t)basic->handle - FIRST] = datatype;
}

/* Before the program begins: so nobody needs a lock to look one up. */
__attribute__((constructor)) static void begin_all(void)
{
    int count = 0;
    struct datatype *datatypes;

    while (basic_at(count))
        count++;
    datatypes = calloc((size_t)count, sizeof *datatypes);
    if (!datatypes)
        abort();
    for (int i = 0; i < count; i++)
        begin_predefined(&datatypes[i], basic_at(i));
}

struct datatype *datatype_of(MPI_Datatype handle)
{
    uintptr_t number = (uintptr_t)handle;

    if (number - FIRST < HANDLES)
        return predefined[number - FIRST];
    return object_at(handle, OBJECT_DATATYPE);
}

MPI_Datatype datatype_handle(const struct datatype *datatype)
{
    return datatype->object.predefined ? datatype->basic->handle
                                       : (MPI_Datatype)(uintptr_t)datatype;
}

int datatype_for_use(MPI_Datatype handle, struct datatype **datatype)
{
    struct datatype *found = datatype_of(handle);

    *datatype = found && found->committed ? found : NULL;
    return *datatype ? MPI_SUCCESS : MPI_ERR_TYPE;
}

/* The layout of count elements, on the caller's stack: a loop that nobody counts. */
static struct layout layout_of_elements(const struct datatype *datatype, MPI_Count count)
{
    return (struct layout){.kind = LAYOUT_LOOP,
                           .size = count * datatype->size,
                           .body = datatype->layout,
                           .count = count,
                           .stride = datatype->extent,
                           .run = datatype->block,
                           .low = datatype->true_lb};
}

/* The bytes that there are from an offset on, of as many as wanted. */
static size_t bytes_there(const struct datatype *datatype, MPI_Count count, size_t offset,
                          size_t size)
{
    size_t all = (size_t)(count * datatype->size);

    if (offset >= all)
        return 0;
    return size < all - offset ? size : all - offset;
}

size_t datatype_pack(const struct datatype *datatype, const void *buffer, MPI_Count count,
                     size_t offset, void *to, size_t size)
{
    struct layout all = layout_of_elements(datatype, count);

    size = bytes_there(datatype, count, offset, size);
    layout_pack(&all, buffer, (MPI_Count)offset, (MPI_Count)size, to);
    return size;
}

size_t datatype_unpack(const struct datatype *datatype, void *buffer, MPI_Count count,
                       size_t offset, const void *from, size_t size)
{
    struct layout all = layout_of_elements(datatype, count);

    size = bytes_there(datatype, count, offset, size);
    layout_unpack(&all, buffer, (MPI_Count)offset, (MPI_Count)size, from);
    return size;
}

/* Copies by way of a small buffer, when both sides have holes. */
static size_t copy_by_parts(const struct datatype *from_type, const void *from,
                            MPI_Count from_count, const struct datatype *to_type, void *to,
                            MPI_Count to_count)
{
    char part[4096];
    size_t done = 0, size;

    do {
        size = datatype_pack(from_type, from, from_count, done, part, sizeof part);
        size = datatype_unpack(to_type, to, to_count, done, part, size);
        done += size;
    } while (size == sizeof part);
    return done;
}

size_t datatype_copy(const struct datatype *from_type, const void *from, MPI_Count from_count,
                     const struct datatype *to_type, void *to, MPI_Count to_count)
{
    if (datatype_is_block(to_type))
        return datatype_pack(from_type, from, from_count, 0, (char *)to + to_type->true_lb,
                             (size_t)(to_count * to_type->size));
    if (datatype_is_block(from_type))
        return datatype_unpack(to_type, to, to_count, 0, (const char *)from + from_type->true_lb,
                               (size_t)(from_count * from_type->size));
    return copy_by_parts(from_type, from, from_count, to_type, to, to_count);
}

MPI_Count datatype_count(const struct datatype *datatype, MPI_Count bytes)
{
    if (bytes == 0)
        return 0;
    if (datatype->size == 0 || bytes % datatype->size)
        return MPI_UNDEFINED;
    return bytes / datatype->size;
}

MPI_Count datatype_elements(const struct datatype *datatype, MPI_Count bytes)
{
    MPI_Count rest;

    if (bytes == 0)
        return 0;
    if (datatype->size == 0)
        return MPI_UNDEFINED;
    rest = layout_elements(datatype->layout, bytes % datatype->size);
    if (rest < 0)
        return MPI_UNDEFINED;
    return bytes / datatype->size * datatype->layout->elements + rest;
}

MPI_Count datatype_bytes(const struct datatype *datatype, MPI_Count elements)
{
    const struct layout *layout = datatype->layout;

    if (layout->elements == 0)
        return 0;
    return elements / layout->elements * datatype->size +
           layout_bytes(layout, elements % layout->elements);
}

MPI_Count datatype_span(const struct datatype *datatype, MPI_Count count, MPI_Count *before)
{
    MPI_Count last = (count - 1) * datatype->extent;

    *before = datatype->true_lb + (last < 0 ? last : 0);
    if (count == 0)
        return 0;
    return datatype->true_extent + (last < 0 ? -last : last);
}
