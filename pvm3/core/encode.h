/*
 * encode.h - items of the eleven types and strings, packed into and unpacked from a message.
 *
 * The encoding is the one in the message's header: XDR, the native signature (raw), in place, or
 * the encoding of trace events: XDR, and in front of each array its type. Messages of trace events
 * are unpacked as XDR. The codes of the types are those of pvm3.h (PVM_BYTE ... PVM_ULONG).
 */
#ifndef CORE_ENCODE_H
#define CORE_ENCODE_H

#include <stddef.h>

#include "core/message.h"

/*
 * Bytes of one item of `type` in memory; 0 when `type` is no type of numbers (PVM_STR among them).
 */
size_t encode_item_size(int type);

/*
 * Appends `count` items of `type`; item i lies at items + i * stride * size (a stride may be 0 or
 * negative). 0; PvmNotImpl for in-place data with a stride other than 1; PvmNoMem (what had room
 * stays packed).
 */
int encode_pack(struct message *message, int type, const void *items, int count, int stride);

/*
 * Takes `count` items from the cursor on. 0; PvmNoData when the body ends first (what was there is
 * stored and the cursor stands at the end); PvmBadMsg when the encoding cannot be decoded here.
 */
int encode_unpack(const struct message *message, struct cursor *cursor, int type, void *items,
                  int count, int stride);

/*
 * A string with its NUL; in a trace event an array of bytes without it. 0; PvmNotImpl in place;
 * PvmNoMem.
 */
int encode_pack_string(struct message *message, const char *string);

/*
 * The size of the string at the cursor, its NUL included, without moving the cursor. PvmNoData when
 * the body ends before the string does, PvmBadMsg as above or for a negative size.
 */
int encode_string_size(const struct message *message, struct cursor cursor);

/*
 * Takes the string at the cursor; `string` has room for encode_string_size bytes. 0 or the errors
 * above.
 */
int encode_unpack_string(const struct message *message, struct cursor *cursor, char *string);

/*
 * Opaque bytes whatever the encoding says, without padding: what pvm_precv takes. Returns how many
 * there were.
 */
size_t encode_take_bytes(const struct message *message, struct cursor *cursor, void *bytes,
                         size_t size);

#endif
