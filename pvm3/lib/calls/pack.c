/* pack.c - items into the active send buffer, and out of the active receive buffer. */
#include "lib/calls/pack.h"

#include "ck/base/cancel.h"
#include "core/encode.h"
#include "core/packed.h"
#include "core/rarely.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/buffer.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

#include "core/item.h"

/*
 * A call of these with a constant type is a few instructions: they stand in each public function.
 */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void pack_lock(struct buffer *buffer)
{
    owned_lock_acquire(&buffer->lock);
}

ALWAYS_INLINE void pack_unlock(struct buffer *buffer)
{
    owned_lock_release(&buffer->lock);
}

/* Of the first fragment in a buffer of 3.4.6, beyond the header of any. */
#define MESSAGE_HEADER_SIZE 32

/*
 * Begins to pack into a buffer that was unpacked or has arrived. One in the default encoding is
 * packed anew from its start. 0 or PvmNoMem.
 */
RARELY static int pack_reopen(struct caller *caller, struct buffer *buffer)
{
    struct message *message = buffer->message;
    size_t fragment = buffer_fragment(caller->task);
    bool arrived = buffer->arrived;
    buffer_use_for(buffer, false);
    bool anew = buffer->use == BUFFER_REOPENED && (message->header.encoding == MESSAGE_XDR ||
                                                   message->header.encoding == MESSAGE_TRACE);
    buffer->use = BUFFER_PACKED;
    buffer->arrived = false;
    if (anew)
        message_clear(message);
    return arrived ? message_open_last(message, fragment, fragment + MESSAGE_HEADER_SIZE) : PvmOk;
}

/* The caller's active send buffer, locked and ready to be appended to; NULL with *error. */
ALWAYS_INLINE struct buffer *pack_begin(struct caller *caller, int *error)
{
    turns_use(&caller->task->turns, caller, TURNS_SEND);
    struct buffer *buffer = caller->send;
    *error = PvmNoBuf;
    if (!buffer)
        return NULL;
    pack_lock(buffer);
    if (!buffer->message || buffer->queued) {
        pack_unlock(buffer);
        return NULL;
    }
    if (buffer->use == BUFFER_PACKED)
        return buffer;
    *error = pack_reopen(caller, buffer);
    if (*error == PvmOk)
        return buffer;
    pack_unlock(buffer);
    return NULL;
}

/* The caller's active receive buffer likewise; after packing, unpacking begins at the start. */
ALWAYS_INLINE struct buffer *unpack_begin(struct caller *caller, int *error)
{
    turns_use(&caller->task->turns, caller, TURNS_RECEIVE);
    struct buffer *buffer = caller->receive;
    *error = PvmNoBuf;
    if (!buffer)
        return NULL;
    pack_lock(buffer);
    if (!buffer->message) {
        pack_unlock(buffer);
        return NULL;
    }
    if (buffer->use != BUFFER_UNPACKED)
        buffer_use_for(buffer, true);
    return buffer;
}

ALWAYS_INLINE int pack_typed(int type, const void *items, int count, int stride)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    if (count < 0)
        return PvmBadParam;
    int error;
    struct buffer *buffer = pack_begin(caller, &error);
    if (!buffer)
        return error;
    error = !items && count > 0 ? PvmBadParam : PvmOk;
    if (error == PvmOk &&
        ((count != 1 && stride != 1) || !item_pack(buffer->message, type, items, count)))
        error = encode_pack(buffer->message, type, items, count, stride);
    pack_unlock(buffer);
    return error;
}

ALWAYS_INLINE int unpack_typed(int type, void *items, int count, int stride)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    if (count < 0)
        return PvmBadParam;
    int error;
    struct buffer *buffer = unpack_begin(caller, &error);
    if (!buffer)
        return error;
    error = !items && count > 0 ? PvmBadParam : PvmOk;
    if (error == PvmOk && ((count != 1 && stride != 1) ||
                           !item_unpack(buffer->message, &buffer->cursor, type, items, count)))
        error = encode_unpack(buffer->message, &buffer->cursor, type, items, count, stride);
    pack_unlock(buffer);
    return error;
}

int pack_items(int type, const void *items, int count, int stride)
{
    return pack_typed(type, items, count, stride);
}

int pack_value(int type, const void *item)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    int error;
    struct buffer *buffer = pack_begin(caller, &error);
    if (!buffer)
        return error;
    error = buffer->message->header.encoding == MESSAGE_IN_PLACE
                ? message_append_copy(buffer->message, item, encode_item_size(type))
                : encode_pack(buffer->message, type, item, 1, 1);
    pack_unlock(buffer);
    return error;
}

int unpack_items(int type, void *items, int count, int stride)
{
    return unpack_typed(type, items, count, stride);
}

int pack_string(const char *string)
{
    struct caller *caller = caller_self();
    int error;
    pvmd_link_try(caller->task);
    struct buffer *buffer = pack_begin(caller, &error);
    if (!buffer)
        return error;
    error = string ? encode_pack_string(buffer->message, string) : PvmBadParam;
    pack_unlock(buffer);
    return error;
}

int unpack_string(char *string)
{
    struct caller *caller = caller_self();
    int error;
    pvmd_link_try(caller->task);
    struct buffer *buffer = unpack_begin(caller, &error);
    if (!buffer)
        return error;
    error = string ? encode_unpack_string(buffer->message, &buffer->cursor, string) : PvmBadParam;
    pack_unlock(buffer);
    return error;
}

/* Names the call in the report of an error. */
static int pack_result(const char *function, int result)
{
    return result < 0 ? task_report(caller_self()->task, function, result) : result;
}

#define PACK(name, item, type)                                                                     \
    int pvm_pk##name(const item *items, int count, int stride)                                     \
    {                                                                                              \
        return pack_result("pvm_pk" #name, pack_typed(type, items, count, stride));                \
    }                                                                                              \
    int pvm_upk##name(item *items, int count, int stride)                                          \
    {                                                                                              \
        return pack_result("pvm_upk" #name, unpack_typed(type, items, count, stride));             \
    }

PACK(byte, char, PVM_BYTE)
PACK(cplx, float, PVM_CPLX)
PACK(dcplx, double, PVM_DCPLX)
PACK(double, double, PVM_DOUBLE)
PACK(float, float, PVM_FLOAT)
PACK(int, int, PVM_INT)
PACK(uint, unsigned int, PVM_UINT)
PACK(long, long, PVM_LONG)
PACK(ulong, unsigned long, PVM_ULONG)
PACK(short, short, PVM_SHORT)
PACK(ushort, unsigned short, PVM_USHORT)

int pvm_pkstr(const char *string)
{
    return pack_result("pvm_pkstr", pack_string(string));
}

int pvm_upkstr(char *string)
{
    return pack_result("pvm_upkstr", unpack_string(string));
}

/* Messages within messages; their errors are quiet, as in 3.4.6. ------------------------------- */

/*
 * A view of the message of buffer `bufid`, so that no two buffers are ever locked at once. NULL
 * with *error.
 */
static struct message *pack_view(struct caller *caller, int bufid, int *error)
{
    *error = PvmBadParam;
    turns_use(&caller->task->turns, caller, TURNS_SEND);
    if (bufid <= 0 || bufid == buffer_active_id(&caller->send))
        return NULL;
    *error = PvmNoSuchBuf;
    struct buffer *buffer = buffer_find(caller->task, bufid);
    if (!buffer)
        return NULL;
    owned_lock_acquire(&buffer->lock);
    struct message *view = buffer->message ? message_view(buffer->message) : NULL;
    if (buffer->message && !view)
        *error = PvmNoMem;
    owned_lock_release(&buffer->lock);
    buffer_release(buffer);
    return view;
}

static int pack_body(struct message *message, const struct message *body)
{
    if (message->header.encoding != body->header.encoding)
        return PvmMismatch;
    message->header.longs |= body->header.longs;
    return message_append_rest(message, body, (struct cursor){0, 0});
}

int pack_by(int (*put)(struct message *message, const void *context), const void *context)
{
    int error;
    struct buffer *buffer = pack_begin(caller_self(), &error);
    if (!buffer)
        return error;
    error = put(buffer->message, context);
    pack_unlock(buffer);
    return error;
}

int unpack_by(int (*get)(struct message *message, struct cursor *cursor, void *context),
              void *context)
{
    int error;
    struct buffer *buffer = unpack_begin(caller_self(), &error);
    if (!buffer)
        return error;
    error = get(buffer->message, &buffer->cursor, context);
    pack_unlock(buffer);
    return error;
}

static int pack_message(int bufid, int (*put)(struct message *message, const struct message *other))
{
    struct caller *caller = caller_self();
    int error;
    struct message *view = pack_view(caller, bufid, &error);
    if (!view)
        return error;
    struct buffer *buffer = pack_begin(caller, &error);
    if (buffer) {
        error = put(buffer->message, view);
        pack_unlock(buffer);
    }
    message_free(view);
    return error;
}

int pvm_pkmesg(int bufid)
{
    HOLD_OFF_CANCELLATION;
    return pack_message(bufid, packed_put);
}

int pvm_pkmesgbody(int bufid)
{
    HOLD_OFF_CANCELLATION;
    return pack_message(bufid, pack_body);
}

int pvm_upkmesg(void)
{
    HOLD_OFF_CANCELLATION;
    struct caller *caller = caller_self();
    int error;
    struct buffer *buffer = unpack_begin(caller, &error);
    if (!buffer)
        return error;
    struct message *inner;
    error = packed_get(buffer->message, &buffer->cursor, &inner);
    pack_unlock(buffer);
    if (error < 0)
        return error;
    int id;
    inner->fragment = buffer_fragment(caller->task);
    struct buffer *unpacked = buffer_new(caller->task, inner, BUFFER_UNPACKED, false, &id);
    if (!unpacked) {
        message_free(inner);
        return PvmNoMem;
    }
    buffer_release(unpacked);
    return id;
}
