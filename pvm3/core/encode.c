/* encode.c - which bytes an item becomes in each encoding. */
#include "core/encode.h"

#include <complex.h>
#include <stdint.h>
#include <string.h>

#include <pvm3.h>
#include <pvmtev.h>

#include "core/signature.h"
#include "core/xdr.h"

/*
 * Items with a stride are gathered into (or scattered from) a block of this many bytes on the
 * stack.
 */
#define GATHER_BLOCK 2048

/*
 * A type is `parts` units one behind the other; a unit never crosses from one segment to the next
 * in XDR.
 */
struct type {
    unsigned char unit;  /* bytes of a unit in memory */
    unsigned char wire;  /* bytes of a unit in XDR */
    unsigned char parts; /* units in an item */
    xdr_put *put;
    xdr_get *get;
};

static const struct type types[] = {
    [PVM_BYTE] = {1, 1, 1, NULL, NULL},
    [PVM_SHORT] = {sizeof(short), 4, 1, xdr_put_short, xdr_get_short},
    [PVM_INT] = {4, 4, 1, xdr_put_word, xdr_get_word},
    [PVM_FLOAT] = {4, 4, 1, xdr_put_word, xdr_get_word},
    [PVM_CPLX] = {4, 4, 2, xdr_put_word, xdr_get_word},
    [PVM_DOUBLE] = {8, 8, 1, xdr_put_double, xdr_get_double},
    [PVM_DCPLX] = {8, 8, 2, xdr_put_double, xdr_get_double},
    [PVM_LONG] = {sizeof(long), 4, 1, xdr_put_long, xdr_get_long},
    [PVM_USHORT] = {sizeof(short), 4, 1, xdr_put_short, xdr_get_short},
    [PVM_UINT] = {4, 4, 1, xdr_put_word, xdr_get_word},
    [PVM_ULONG] = {sizeof(long), 4, 1, xdr_put_long, xdr_get_long},
};

static const struct type signed_long = {sizeof(long), 4, 1, xdr_put_long, xdr_get_signed_long};

/* The three ways a body may be written. */
enum form { FORM_XDR, FORM_RAW, FORM_IN_PLACE, FORM_ALIEN };

static enum form encode_form(uint32_t encoding)
{
    if (encoding == MESSAGE_XDR || encoding == MESSAGE_TRACE)
        return FORM_XDR;
    if (encoding == MESSAGE_IN_PLACE)
        return FORM_IN_PLACE;
    return encoding == signature_native() ? FORM_RAW : FORM_ALIEN;
}

static const struct type *encode_type(int type)
{
    return type >= PVM_BYTE && type <= PVM_ULONG ? &types[type] : NULL;
}

size_t encode_item_size(int type)
{
    const struct type *known = encode_type(type);
    return known ? (size_t)known->unit * known->parts : 0;
}

static int encode_put_raw(struct message *message, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t room;
        unsigned char *to = message_reserve(message, size, 1, &room);
        if (!to)
            return PvmNoMem;
        memcpy(to, from, room);
        message_commit(message, room);
        from += room;
        size -= room;
    }
    return 0;
}

static int encode_get_raw(const struct message *message, struct cursor *cursor, void *bytes,
                          size_t size)
{
    return encode_take_bytes(message, cursor, bytes, size) == size ? 0 : PvmNoData;
}

size_t encode_take_bytes(const struct message *message, struct cursor *cursor, void *bytes,
                         size_t size)
{
    unsigned char *to = bytes;
    size_t taken = 0;
    while (taken < size) {
        size_t available;
        const unsigned char *from = message_peek(message, cursor, &available);
        if (!from)
            break;
        if (available > size - taken)
            available = size - taken;
        memcpy(to + taken, from, available);
        cursor->offset += available;
        taken += available;
    }
    return taken;
}

/*
 * XDR pads opaque bytes; 3.4.6 counts the padding from the start of the fragment that they end in.
 */
static int encode_put_padding(struct message *message)
{
    static const unsigned char zeros[4] = {0};
    if (message->segment_count == 0)
        return 0;
    size_t padding = -message->segments[message->segment_count - 1].length & 3;
    size_t room = message->fragment - message->segments[message->segment_count - 1].length;
    return encode_put_raw(message, zeros, padding < room ? padding : room);
}

static void encode_skip_padding(const struct message *message, struct cursor *cursor)
{
    if (cursor->segment >= message->segment_count)
        return;
    size_t rest = message->segments[cursor->segment].length - cursor->offset;
    size_t padding = -cursor->offset & 3;
    cursor->offset += padding < rest ? padding : rest;
}

static int encode_put_opaque(struct message *message, const void *bytes, size_t size)
{
    int error = encode_put_raw(message, bytes, size);
    return error < 0 || size == 0 ? error : encode_put_padding(message);
}

static int encode_get_opaque(const struct message *message, struct cursor *cursor, void *bytes,
                             size_t size)
{
    int error = encode_get_raw(message, cursor, bytes, size);
    if (error == 0 && size > 0)
        encode_skip_padding(message, cursor);
    return error;
}

static int encode_put_units(struct message *message, const struct type *type, const void *items,
                            size_t units)
{
    const unsigned char *from = items;
    while (units > 0) {
        size_t room;
        size_t want = units > SIZE_MAX / type->wire ? SIZE_MAX : units * type->wire;
        unsigned char *to = message_reserve(message, want, type->wire, &room);
        if (!to)
            return PvmNoMem;
        size_t fit = room == want ? units : room / type->wire;
        type->put(to, from, fit);
        message_commit(message, fit * type->wire);
        from += fit * type->unit;
        units -= fit;
    }
    return 0;
}

/*
 * A unit that lies in two segments, word by word. A library never sends one, but a daemon that cuts
 * a long fragment into packets may cut a double between its words. Less than a word at the end of a
 * segment is filling.
 */
static int encode_get_split_unit(const struct message *message, struct cursor *cursor,
                                 const struct type *type, void *item)
{
    unsigned char wire[sizeof(double)];
    for (size_t have = 0; have < type->wire;) {
        size_t available;
        const unsigned char *from = message_peek(message, cursor, &available);
        if (!from)
            return PvmNoData;
        if (available < XDR_WORD) {
            cursor->offset += available;
            continue;
        }
        memcpy(wire + have, from, XDR_WORD);
        cursor->offset += XDR_WORD;
        have += XDR_WORD;
    }
    type->get(item, wire, 1);
    return 0;
}

static int encode_get_units(const struct message *message, struct cursor *cursor,
                            const struct type *type, void *items, size_t units)
{
    unsigned char *to = items;
    while (units > 0) {
        size_t available;
        const unsigned char *from = message_peek(message, cursor, &available);
        if (!from)
            return PvmNoData;
        if (available < type->wire) {
            int error = encode_get_split_unit(message, cursor, type, to);
            if (error < 0)
                return error;
            to += type->unit;
            units--;
            continue;
        }
        size_t whole = available < units * type->wire ? available / type->wire : units;
        type->get(to, from, whole);
        cursor->offset += whole * type->wire;
        to += whole * type->unit;
        units -= whole;
    }
    return 0;
}

/* `count` items in one piece. */
static int encode_put(struct message *message, const struct type *type, const void *items,
                      size_t count)
{
    size_t units = count * type->parts;
    if (encode_form(message->header.encoding) == FORM_RAW)
        return encode_put_raw(message, items, units * type->unit);
    if (!type->put)
        return encode_put_raw(message, items, units);
    return encode_put_units(message, type, items, units);
}

static int encode_get(const struct message *message, struct cursor *cursor, const struct type *type,
                      void *items, size_t count)
{
    size_t units = count * type->parts;
    if (encode_form(message->header.encoding) != FORM_XDR)
        return encode_get_raw(message, cursor, items, units * type->unit);
    if (!type->get)
        return encode_get_raw(message, cursor, items, units);
    return encode_get_units(message, cursor, type, items, units);
}

static int encode_pack_in_place(struct message *message, const void *items, size_t size, int stride)
{
    if (stride != 1)
        return PvmNotImpl;
    return message_append_memory(message, items, size);
}

/* Items that do not lie one behind the other go through a block on the stack, a block at a time. */
static int encode_pack_strided(struct message *message, const struct type *type, const char *items,
                               size_t count, ptrdiff_t step)
{
    char block[GATHER_BLOCK];
    size_t size = (size_t)type->unit * type->parts;
    int error = 0;
    while (count > 0 && error == 0) {
        size_t some = count < sizeof block / size ? count : sizeof block / size;
        for (size_t i = 0; i < some; i++)
            memcpy(block + i * size, items + (ptrdiff_t)i * step, size);
        error = encode_put(message, type, block, some);
        items += (ptrdiff_t)some * step;
        count -= some;
    }
    return error;
}

/* What the body still holds of `some` items is scattered even when it ends within them. */
static int encode_unpack_strided(const struct message *message, struct cursor *cursor,
                                 const struct type *type, char *items, size_t count, ptrdiff_t step)
{
    size_t size = (size_t)type->unit * type->parts;
    for (size_t i = 0; i < count; i++) {
        char item[sizeof(double complex)];
        int error = encode_get(message, cursor, type, item, 1);
        if (error < 0)
            return error;
        memcpy(items + (ptrdiff_t)i * step, item, size);
    }
    return 0;
}

/*
 * The MESSAGE_LONGS_ bit for a value that has 32 bits, 0 when it needs none, or PvmOverflow. An
 * unsigned one is unpacked as such and needs none.
 */
static int encode_long_kind(int code, long item)
{
    bool negative = code == PVM_LONG && item < 0;
    if (negative ? item < INT32_MIN : (unsigned long)item > UINT32_MAX)
        return PvmOverflow;
    if (negative)
        return (int)MESSAGE_LONGS_NEGATIVE;
    return code == PVM_LONG && item > INT32_MAX ? (int)MESSAGE_LONGS_HIGH : 0;
}

/*
 * Notes which longs the message gets. PvmOverflow, before anything is packed, when one has no 32
 * bits, and when a receiver could not tell the negative ones from the large ones.
 */
static int encode_note_longs(struct message *message, int code, const char *items, int count,
                             ptrdiff_t step)
{
    unsigned longs = message->header.longs;
    for (int i = 0; i < count; i++) {
        long item;
        memcpy(&item, items + i * step, sizeof item);
        int kind = encode_long_kind(code, item);
        if (kind < 0)
            return kind;
        longs |= (unsigned)kind;
    }
    if (longs == (MESSAGE_LONGS_NEGATIVE | MESSAGE_LONGS_HIGH))
        return PvmOverflow;
    message->header.longs = longs;
    return 0;
}

/* In front of the items of a trace event: their type, and their count unless there is one. */
static int encode_put_annotation(struct message *message, int code, int count)
{
    static const int kinds[] = {
        [PVM_BYTE] = TEV_DATA_BYTE,   [PVM_SHORT] = TEV_DATA_SHORT, [PVM_INT] = TEV_DATA_INT,
        [PVM_FLOAT] = TEV_DATA_FLOAT, [PVM_CPLX] = TEV_DATA_CPLX,   [PVM_DOUBLE] = TEV_DATA_DOUBLE,
        [PVM_DCPLX] = TEV_DATA_DCPLX, [PVM_LONG] = TEV_DATA_LONG,   [PVM_USHORT] = TEV_DATA_SHORT,
        [PVM_UINT] = TEV_DATA_INT,    [PVM_ULONG] = TEV_DATA_ULONG,
    };
    const int words[] = {count == 1 ? kinds[code] : kinds[code] | TEV_DATA_ARRAY, count};
    return encode_put(message, encode_type(PVM_INT), words, count == 1 ? 1 : 2);
}

int encode_pack(struct message *message, int code, const void *items, int count, int stride)
{
    const struct type *type = encode_type(code);
    size_t size = (size_t)type->unit * type->parts;
    enum form form = encode_form(message->header.encoding);
    if (form == FORM_IN_PLACE)
        return encode_pack_in_place(message, items, size * (size_t)count, stride);
    int error = 0;
    if (form == FORM_XDR && (code == PVM_LONG || code == PVM_ULONG))
        error = encode_note_longs(message, code, items, count, stride * (ptrdiff_t)size);
    if (error == 0 && count > 0 && message->header.encoding == MESSAGE_TRACE)
        error = encode_put_annotation(message, code, count);
    if (error < 0)
        return error;
    error = stride == 1 ? encode_put(message, type, items, (size_t)count)
                        : encode_pack_strided(message, type, items, (size_t)count,
                                              stride * (ptrdiff_t)size);
    if (error == 0 && count > 0 && form == FORM_XDR && !type->put)
        error = encode_put_padding(message);
    return error;
}

int encode_unpack(const struct message *message, struct cursor *cursor, int code, void *items,
                  int count, int stride)
{
    const struct type *type = encode_type(code);
    enum form form = encode_form(message->header.encoding);
    if (code == PVM_LONG && message->header.longs == MESSAGE_LONGS_NEGATIVE)
        type = &signed_long;
    if (form == FORM_IN_PLACE || (form == FORM_ALIEN && code != PVM_BYTE))
        return PvmBadMsg;
    ptrdiff_t step = stride * (ptrdiff_t)encode_item_size(code);
    int error = stride == 1
                    ? encode_get(message, cursor, type, items, (size_t)count)
                    : encode_unpack_strided(message, cursor, type, items, (size_t)count, step);
    if (error == 0 && count > 0 && form == FORM_XDR && !type->get)
        encode_skip_padding(message, cursor);
    return error;
}

int encode_pack_string(struct message *message, const char *string)
{
    enum form form = encode_form(message->header.encoding);
    size_t size = strlen(string) + 1;
    if (form == FORM_IN_PLACE)
        return PvmNotImpl;
    if (size > INT32_MAX)
        return PvmOverflow;
    int length = (int)size;
    if (message->header.encoding == MESSAGE_TRACE)
        return encode_pack(message, PVM_BYTE, string, length - 1, 1);
    int error = encode_pack(message, PVM_INT, &length, 1, 1);
    if (error < 0)
        return error;
    return form == FORM_XDR ? encode_put_opaque(message, string, size)
                            : encode_put_raw(message, string, size);
}

/* The length word of a string, checked against what follows it. */
static int encode_string_length(const struct message *message, struct cursor *cursor)
{
    int length;
    int error = encode_unpack(message, cursor, PVM_INT, &length, 1, 1);
    if (error < 0)
        return error;
    if (length < 0)
        return PvmBadMsg;
    return (size_t)length <= message_remaining(message, *cursor) ? length : PvmNoData;
}

int encode_string_size(const struct message *message, struct cursor cursor)
{
    return encode_string_length(message, &cursor);
}

int encode_unpack_string(const struct message *message, struct cursor *cursor, char *string)
{
    int length = encode_string_length(message, cursor);
    if (length < 0)
        return length;
    if (encode_form(message->header.encoding) == FORM_XDR)
        return encode_get_opaque(message, cursor, string, (size_t)length);
    return encode_get_raw(message, cursor, string, (size_t)length);
}
