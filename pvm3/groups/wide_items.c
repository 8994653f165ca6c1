/* wide_items.c - the upper halves of all longs, then the lower halves. */
#include "groups/wide_items.h"

#include <stdint.h>
#include <stdlib.h>

#include <pvm3.h>

int wide_items_pack(const struct items *items)
{
    if (items->type != PVM_LONG)
        return items_pack(items);
    const long *values = items->data;
    size_t count = (size_t)items->count;
    int32_t *halves = malloc(2 * count * sizeof *halves);
    if (!halves)
        return PvmNoMem;
    for (size_t i = 0; i < count; i++) {
        halves[i] = (int32_t)((int64_t)values[i] >> 32);
        halves[count + i] = (int32_t)values[i];
    }
    int result = pvm_pkint(halves, items->count, 1);
    if (result >= 0)
        result = pvm_pkint(halves + count, items->count, 1);
    free(halves);
    return result;
}

int wide_items_unpack(const struct items *items)
{
    if (items->type != PVM_LONG)
        return items_unpack(items);
    long *values = items->data;
    size_t count = (size_t)items->count;
    int32_t *halves = malloc(2 * count * sizeof *halves);
    int result = halves ? pvm_upkint(halves, items->count, 1) : PvmNoMem;
    if (result >= 0)
        result = pvm_upkint(halves + count, items->count, 1);
    for (size_t i = 0; result >= 0 && i < count; i++) {
        uint64_t upper = (uint64_t)(uint32_t)halves[i] << 32;
        int64_t value = (int64_t)(upper | (uint32_t)halves[count + i]);
        values[i] = (long)value;
        if (values[i] != value)
            result = PvmOverflow;
    }
    free(halves);
    return result;
}
