/* items.c - one table of sizes, one switch each way. */
#include "groups/items.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "groups/awaited.h"

size_t items_size(int type)
{
    static const size_t sizes[] = {
        [PVM_STR] = 1,
        [PVM_BYTE] = 1,
        [PVM_SHORT] = sizeof(short),
        [PVM_INT] = sizeof(int),
        [PVM_FLOAT] = sizeof(float),
        [PVM_CPLX] = 2 * sizeof(float),
        [PVM_DOUBLE] = sizeof(double),
        [PVM_DCPLX] = 2 * sizeof(double),
        [PVM_LONG] = sizeof(long),
    };
    return type >= 0 && type < (int)(sizeof sizes / sizeof *sizes) ? sizes[type] : 0;
}

size_t items_bytes(const struct items *items)
{
    return items_size(items->type) * (size_t)items->count;
}

struct items items_block(const struct items *items, int place)
{
    struct items block = *items;
    block.data = (char *)items->data + items_bytes(items) * (size_t)place;
    return block;
}

int items_combine(items_function *function, const struct items *own, const struct items *arrived)
{
    int type = own->type, count = own->count, info = 0;
    function(&type, own->data, arrived->data, &count, &info);
    return info < 0 ? info : 0;
}

/* A string that has no NUL within its count ends there. */
static int items_pack_text(const struct items *items)
{
    char *text = strndup(items->data, (size_t)items->count);
    int result = text ? pvm_pkstr(text) : PvmNoMem;
    free(text);
    return result;
}

/* The sender may have had more room than we. */
static int items_unpack_text(const struct items *items)
{
    int bytes, tag, tid;
    int result = pvm_bufinfo(pvm_getrbuf(), &bytes, &tag, &tid);
    if (result < 0)
        return result;
    char *text = calloc((size_t)bytes + 1, 1);
    result = text ? pvm_upkstr(text) : PvmNoMem;
    if (result == 0) {
        size_t length = strlen(text) + 1;
        memcpy(items->data, text, length < (size_t)items->count ? length : (size_t)items->count);
    }
    free(text);
    return result;
}

int items_pack(const struct items *items)
{
    switch (items->type) {
    case PVM_STR:
        return items_pack_text(items);
    case PVM_BYTE:
        return pvm_pkbyte(items->data, items->count, 1);
    case PVM_SHORT:
        return pvm_pkshort(items->data, items->count, 1);
    case PVM_INT:
        return pvm_pkint(items->data, items->count, 1);
    case PVM_FLOAT:
        return pvm_pkfloat(items->data, items->count, 1);
    case PVM_CPLX:
        return pvm_pkcplx(items->data, items->count, 1);
    case PVM_DOUBLE:
        return pvm_pkdouble(items->data, items->count, 1);
    case PVM_DCPLX:
        return pvm_pkdcplx(items->data, items->count, 1);
    case PVM_LONG:
        return pvm_pklong(items->data, items->count, 1);
    default:
        return PvmBadParam;
    }
}

int items_unpack(const struct items *items)
{
    switch (items->type) {
    case PVM_STR:
        return items_unpack_text(items);
    case PVM_BYTE:
        return pvm_upkbyte(items->data, items->count, 1);
    case PVM_SHORT:
        return pvm_upkshort(items->data, items->count, 1);
    case PVM_INT:
        return pvm_upkint(items->data, items->count, 1);
    case PVM_FLOAT:
        return pvm_upkfloat(items->data, items->count, 1);
    case PVM_CPLX:
        return pvm_upkcplx(items->data, items->count, 1);
    case PVM_DOUBLE:
        return pvm_upkdouble(items->data, items->count, 1);
    case PVM_DCPLX:
        return pvm_upkdcplx(items->data, items->count, 1);
    case PVM_LONG:
        return pvm_upklong(items->data, items->count, 1);
    default:
        return PvmBadParam;
    }
}

int items_send(const struct items *items, int tid, int tag)
{
    int result = pvm_initsend(PvmDataDefault);
    if (result >= 0)
        result = items_pack(items);
    return result < 0 ? result : pvm_send(tid, tag);
}

int items_receive(struct groups_call *call, const struct items *items, int source, int tag)
{
    int result = awaited_receive(call, source, tag, NULL, 1);
    return result < 0 ? result : items_unpack(items);
}
