/*
 * item.h - the short way of a single number into a message and out of it, and of a few that stay as
 * they are in memory. Include pvm3.h before, for the codes of the types.
 *
 * Programs pack and unpack numbers one by one. Inlined where `type` is a constant, either function
 * is a few instructions. Both return false, with nothing done, for whatever does not go the short
 * way: then encode_pack or encode_unpack does it.
 */
#ifndef CORE_ITEM_H
#define CORE_ITEM_H

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "core/message.h"
#include "core/signature.h"
#include "core/xdr.h"

/* Bytes of an item of `type` in memory; 0 for what has no short way. */
static inline size_t item_size(int type)
{
    switch (type) {
    case PVM_BYTE:
        return 1;
    case PVM_SHORT:
    case PVM_USHORT:
        return sizeof(short);
    case PVM_INT:
    case PVM_UINT:
    case PVM_FLOAT:
        return 4;
    case PVM_LONG:
    case PVM_ULONG:
        return sizeof(long);
    case PVM_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

/*
 * Bytes of an item of `type` in XDR; 0 for what has no short way: bytes are padded, longs checked.
 */
static inline size_t item_wire(int type)
{
    if (type == PVM_DOUBLE)
        return 8;
    if (type == PVM_BYTE || type == PVM_LONG || type == PVM_ULONG || item_size(type) == 0)
        return 0;
    return XDR_WORD;
}

/* Copies a word or two between memory and XDR, which is the same both ways. */
static inline void item_swap(int type, void *to, const void *from)
{
    if (type == PVM_DOUBLE) {
        uint64_t value;
        memcpy(&value, from, 8);
        value = htobe64(value);
        memcpy(to, &value, 8);
    } else {
        uint32_t value;
        memcpy(&value, from, 4);
        value = htobe32(value);
        memcpy(to, &value, 4);
    }
}

static inline void item_put(int type, unsigned char *wire, const void *item)
{
    if (type == PVM_SHORT || type == PVM_USHORT)
        xdr_store_short(wire, item);
    else
        item_swap(type, wire, item);
}

static inline void item_get(int type, void *item, const unsigned char *wire)
{
    if (type == PVM_SHORT || type == PVM_USHORT)
        xdr_load_short(item, wire);
    else
        item_swap(type, item, wire);
}

/* Bytes of `count` items in the message; 0 for what has no short way: more than one in XDR. */
static inline size_t item_length(const struct message *message, int type, int count)
{
    if (message->header.encoding == MESSAGE_XDR)
        return count == 1 ? item_wire(type) : 0;
    return message->header.encoding == signature_native() ? item_size(type) * (size_t)count : 0;
}

static inline bool item_pack(struct message *message, int type, const void *items, int count)
{
    size_t length = item_length(message, type, count), room = message_room(message);
    unsigned char *to = message->tail;
    if (length == 0 || (room < length && room > 0))
        return false;
    if (room == 0)
        to = message_reserve_more(message, length, length, &room);
    if (!to)
        return false;
    if (message->header.encoding == MESSAGE_XDR)
        item_put(type, to, items);
    else
        memcpy(to, items, count == 1 ? item_size(type) : length);
    message_commit(message, length);
    return true;
}

static inline bool item_unpack(const struct message *message, struct cursor *cursor, int type,
                               void *items, int count)
{
    size_t available, length = item_length(message, type, count);
    const unsigned char *from = message_peek(message, cursor, &available);
    if (length == 0 || available < length)
        return false;
    if (message->header.encoding == MESSAGE_XDR)
        item_get(type, items, from);
    else
        memcpy(items, from, count == 1 ? item_size(type) : length);
    cursor->offset += length;
    return true;
}

#endif
