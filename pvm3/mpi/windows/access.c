#include "mpi/windows/access.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/datatypes/datatype.h"
#include "mpi/datatypes/layout.h"
#include "mpi/operations/operation.h"

/* Both operands as they lie in an array, and the packed bytes of the result. */
struct operands {
    char *data;
    char *memory;
    char *packed;
};

static bool operands_make(struct operands *operands, const struct datatype *element,
                          MPI_Count count)
{
    operands->data = malloc((size_t)(count * element->extent));
    operands->memory = malloc((size_t)(count * element->extent));
    operands->packed = malloc((size_t)(count * element->size));
    return operands->data && operands->memory && operands->packed;
}

static void operands_free(struct operands *operands)
{
    free(operands->data);
    free(operands->memory);
    free(operands->packed);
}

/* Elements that do not lie side by side: by way of arrays. */
static int access_apply_by_copies(char *memory, const struct layout *layout,
                                  const struct change *change, const void *data)
{
    const struct datatype *element = datatype_of(change->element);
    MPI_Count count = layout->size / element->size;
    size_t size = (size_t)layout->size;
    struct operands operands;
    bool made = operands_make(&operands, element, count);
    if (made) {
        datatype_unpack(element, operands.data, count, 0, data, size);
        layout_pack(layout, memory, 0, layout->size, operands.packed);
        datatype_unpack(element, operands.memory, count, 0, operands.packed, size);
        operation_apply(operation_of(change->operation), operands.data, operands.memory, count,
                        change->element);
        datatype_pack(element, operands.memory, count, 0, operands.packed, size);
        layout_unpack(layout, memory, 0, layout->size, operands.packed);
    }
    operands_free(&operands);
    return made ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int access_apply(char *memory, const struct layout *layout, const struct change *change,
                        const void *data)
{
    const struct datatype *element = datatype_of(change->element);
    if (!layout->run || !datatype_is_block(element))
        return access_apply_by_copies(memory, layout, change, data);
    operation_apply(operation_of(change->operation), data, memory + layout->low,
                    layout->size / element->size, change->element);
    return MPI_SUCCESS;
}

int access_change(char *memory, const struct layout *layout, const struct change *change,
                  const void *data, void *before)
{
    if (before)
        layout_pack(layout, memory, 0, layout->size, before);
    if (change->operation == MPI_REPLACE)
        layout_unpack(layout, memory, 0, layout->size, data);
    else if (change->operation != MPI_NO_OP)
        return access_apply(memory, layout, change, data);
    return MPI_SUCCESS;
}

void access_swap(char *memory, size_t size, const void *data, void *before)
{
    memcpy(before, memory, size);
    if (memcmp(memory, (const char *)data + size, size) == 0)
        memcpy(memory, data, size);
}
