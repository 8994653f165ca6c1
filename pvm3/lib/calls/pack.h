/*
 * pack.h - packing and unpacking by type code, without a report of errors: for the calls and for
 * format strings.
 *
 * All act on the calling thread's active buffers. Types are those of pvm3.h. Errors: PvmBadParam
 * for a negative count, PvmNoBuf without an active buffer, and those of core/encode.h.
 */
#ifndef LIB_CALLS_PACK_H
#define LIB_CALLS_PACK_H

int pack_items(int type, const void *items, int count, int stride);
/* One item that the caller will not keep: in-place data, too, gets a copy. */
int pack_value(int type, const void *item);

int unpack_items(int type, void *items, int count, int stride);
int pack_string(const char *string);
int unpack_string(char *string);

/*
 * Calls `put` with the message of the active send buffer, or `get` with that of the active receive
 * buffer, from which it takes at the cursor, under the lock of the buffer. PvmNoBuf, PvmNoMem, or
 * what they return.
 */
struct cursor;
struct message;
int pack_by(int (*put)(struct message *message, const void *context), const void *context);
int unpack_by(int (*get)(struct message *message, struct cursor *cursor, void *context),
              void *context);

#endif
