/* encode.c - which bytes an item becomes in each encoding. */
#include "core/encode.h"

#include <complex.h>
#include <stdint.h>
#include <string.h>

#include <pvm3.h>
#include <pvmtev.h>

#include "core/signature.h"
#include "core/xdr.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/*
 * Items with a stride are gathered into (or scattered from) a block of this many bytes on the
 * stack.
 */
#define BLOCK 2048

/* For encode_copy, bytes. */
#define COPY_PAGE  4096
#define COPY_NEAR  32
#define COPY_PIECE 2048

/*
 * A type is `parts` units one behind the other; a unit never crosses from one segment to the next
 * in XDR.
 */
struct type {
    unsigned char unit;  /* bytes of a unit in memory */
    unsigned char wire;  /* bytes of a unit in XDR */
    unsigned char parts; /* units in an item */
    xdr_convert *put;
    xdr_convert *get;
};

static const struct type types[] = {
    [PVM_BYTE] = {1, 1, 1, NULL, NULL},
    [PVM_SHORT] = {sizeof(short), 4, 1, xdr_put_shorts, xdr_get_shorts},
    [PVM_INT] = {4, 4, 1, xdr_swap_words, xdr_swap_words},
    [PVM_FLOAT] = {4, 4, 1, xdr_swap_words, xdr_swap_words},
    [PVM_CPLX] = {4, 4, 2, xdr_swap_words, xdr_swap_words},
    [PVM_DOUBLE] = {8, 8, 1, xdr_swap_doubles, xdr_swap_doubles},
    [PVM_DCPLX] = {8, 8, 2, xdr_swap_doubles, xdr_swap_doubles},
    [PVM_LONG] = {sizeof(long), 4, 1, xdr_put_longs, xdr_get_longs},
    [PVM_USHORT] = {sizeof(short), 4, 1, xdr_put_shorts, xdr_get_shorts},
    [PVM_UINT] = {4, 4, 1, xdr_swap_words, xdr_swap_words},
    [PVM_ULONG] = {sizeof(long), 4, 1, xdr_put_longs, xdr_get_longs},
};

static const struct type signed_long = {sizeof(long), 4, 1, xdr_put_longs, xdr_get_signed_longs};

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

/*
 * memcpy, in pieces where many bytes at once are slow. glibc copies them by `rep movsb`, and with
 * that processors of AMD take ten times as long when the target lies less than 32 bytes behind the
 * source within their pages (glibc's bug 30994): so does an array of malloc's behind the beginning
 * of a page of shared memory.
 */
static void encode_copy(unsigned char *to, const unsigned char *from, size_t size)
{
    const uintptr_t distance = ((uintptr_t)to - (uintptr_t)from) % COPY_PAGE;
    size_t most = distance > 0 && distance < COPY_NEAR ? COPY_PIECE : size;
    /* A compiler that knew the size of a piece would use `rep movs` itself. */
    __asm__("" : "+r"(most));
    while (size > most) {
        memcpy(to, from, most);
        to += most;
        from += most;
        size -= most;
    }
    memcpy(to, from, size);
}

static int encode_put_raw(struct message *message, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t room;
        unsigned char *to = message_reserve(message, size, 1, &room);
        if (!to)
            return PvmNoMem;
        encode_copy(to, from, room);
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
        encode_copy(to + taken, from, available);
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
    size_t room = message_room(message);
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
 * A unit that lies in two segments, word by word; false when the body ends first. A library never
 * sends one, but a daemon that cuts a long fragment into packets may cut a double between its
 * words. Less than a word at the end of a segment is filling.
 */
static bool encode_get_split_unit(const struct message *message, struct cursor *cursor,
                                  const struct type *type, void *item)
{
    unsigned char wire[sizeof(double)];
    for (size_t have = 0; have < type->wire;) {
        size_t available;
        const unsigned char *from = message_peek(message, cursor, &available);
        if (!from)
            return false;
        if (available < XDR_WORD) {
            cursor->offset += available;
            continue;
        }
        memcpy(wire + have, from, XDR_WORD);
        cursor->offset += XDR_WORD;
        have += XDR_WORD;
    }
    type->get(item, wire, 1);
    return true;
}

/* Gives how many of `units` the body still held. */
static size_t encode_get_units(const struct message *message, struct cursor *cursor,
                               const struct type *type, void *items, size_t units)
{
    unsigned char *to = items;
    size_t left = units;
    while (left > 0) {
        size_t available, whole = 1;
        const unsigned char *from = message_peek(message, cursor, &available);
        if (!from)
            break;
        if (available >= type->wire) {
            whole = available < left * type->wire ? available / type->wire : left;
            type->get(to, from, whole);
            cursor->offset += whole * type->wire;
        } else if (!encode_get_split_unit(message, cursor, type, to)) {
            break;
        }
        to += whole * type->unit;
        left -= whole;
    }
    return units - left;
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

/* Gives how many of `count` items the body still held. */
static size_t encode_get(const struct message *message, struct cursor *cursor,
                         const struct type *type, void *items, size_t count)
{
    const bool xdr = encode_form(message->header.encoding) == FORM_XDR && type->get;
    const size_t size = (size_t)type->parts * (xdr ? 1 : type->unit);
    const size_t got = xdr ? encode_get_units(message, cursor, type, items, count * size)
                           : encode_take_bytes(message, cursor, items, count * size);
    return got == count * size ? count : got / size;
}

static int encode_pack_in_place(struct message *message, const void *items, size_t size, int stride)
{
    if (stride != 1)
        return PvmNotImpl;
    return message_append_memory(message, items, size);
}

/* Copies items that lie `to_step` and `from_step` bytes apart. */
ALWAYS_INLINE void encode_copy_steps(char *to, ptrdiff_t to_step, const char *from,
                                     ptrdiff_t from_step, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + (ptrdiff_t)i * to_step, from + (ptrdiff_t)i * from_step, size);
}

/*
 * Copies items one by one, with a constant for each size that items have: a copy of a constant size
 * takes no call.
 */
static void encode_copy_items(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                              size_t size, size_t count)
{
    switch (size) {
    case 1:
        encode_copy_steps(to, to_step, from, from_step, 1, count);
        break;
    case 2:
        encode_copy_steps(to, to_step, from, from_step, 2, count);
        break;
    case 4:
        encode_copy_steps(to, to_step, from, from_step, 4, count);
        break;
    case 8:
        encode_copy_steps(to, to_step, from, from_step, 8, count);
        break;
    default:
        encode_copy_steps(to, to_step, from, from_step, size, count);
    }
}

/* Items that do not lie one behind the other go through a block on the stack, a block at a time. */
static int encode_pack_strided(struct message *message, const struct type *type, const char *items,
                               size_t count, ptrdiff_t step)
{
    char block[BLOCK];
    const size_t size = (size_t)type->unit * type->parts;
    int error = 0;
    for (size_t some; count > 0 && error == 0; count -= some) {
        some = count < sizeof block / size ? count : sizeof block / size;
        encode_copy_items(block, (ptrdiff_t)size, items, step, size, some);
        error = encode_put(message, type, block, some);
        items += (ptrdiff_t)some * step;
    }
    return error;
}

/* Gives how many of `count` items the body still held, like encode_get. */
static size_t encode_unpack_strided(const struct message *message, struct cursor *cursor,
                                    const struct type *type, char *items, size_t count,
                                    ptrdiff_t step)
{
    char block[BLOCK];
    const size_t size = (size_t)type->unit * type->parts;
    size_t left = count, some, got;
    do {
        some = left < sizeof block / size ? left : sizeof block / size;
        got = encode_get(message, cursor, type, block, some);
        encode_copy_items(items, step, block, (ptrdiff_t)size, size, got);
        items += (ptrdiff_t)got * step;
        left -= got;
    } while (left > 0 && got == some);
    return count - left;
}

static void encode_survey(struct xdr_longs *known, int code, const void *items, size_t count)
{
    if (code == PVM_LONG)
        xdr_survey_longs(known, items, count);
    else
        xdr_survey_unsigned_longs(known, items, count);
}

static void encode_survey_strided(struct xdr_longs *known, int code, const char *items,
                                  size_t count, ptrdiff_t step)
{
    char block[BLOCK];
    for (size_t some; count > 0; count -= some) {
        some = count < sizeof block / sizeof(long) ? count : sizeof block / sizeof(long);
        encode_copy_items(block, sizeof(long), items, step, sizeof(long), some);
        encode_survey(known, code, block, some);
        items += (ptrdiff_t)some * step;
    }
}

/*
 * Notes which longs the message gets. PvmOverflow, before anything is packed, when a long does not
 * fit into 32 bits, or when a receiver could not tell negative longs from large ones. An unsigned
 * long is never negative: programs unpack it as unsigned.
 */
static int encode_note_longs(struct message *message, int code, const void *items, int count,
                             int stride)
{
    struct xdr_longs known = {0};
    if (stride == 1)
        encode_survey(&known, code, items, (size_t)count);
    else
        encode_survey_strided(&known, code, items, (size_t)count, stride * (ptrdiff_t)sizeof(long));
    if (known.bits > UINT32_MAX || known.complement > INT32_MAX)
        return PvmOverflow;
    unsigned longs = message->header.longs;
    if (known.negative)
        longs |= MESSAGE_LONGS_NEGATIVE;
    if (code == PVM_LONG && known.bits > INT32_MAX)
        longs |= MESSAGE_LONGS_HIGH;
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
        error = encode_note_longs(message, code, items, count, stride);
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
    size_t got = stride == 1
                     ? encode_get(message, cursor, type, items, (size_t)count)
                     : encode_unpack_strided(message, cursor, type, items, (size_t)count, step);
    if (got < (size_t)count)
        return PvmNoData;
    if (count > 0 && form == FORM_XDR && !type->get)
        encode_skip_padding(message, cursor);
    return 0;
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
