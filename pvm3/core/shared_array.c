/* shared_array.c - a chunk whose memory is the application's. */
#include "core/shared_array.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/encode.h"
#include "core/references.h"
#include "core/xdr.h"

/* What XDR fills bytes up to. */
#define XDR_UNIT 4u

/* What the application may store in an array needs no more. */
#define ALIGNMENT _Alignof(max_align_t)

/* Nothing is ever written to its memory: so its chunk has no capacity. */
struct shared_array {
    struct chunk chunk;
    size_t bytes;
    void (*release)(void *array);
};

static struct shared_array *shared_array_of(struct chunk *chunk)
{
    return (struct shared_array *)(void *)chunk;
}

static void shared_array_dispose(struct chunk *chunk)
{
    struct shared_array *shared = shared_array_of(chunk);
    if (shared->release)
        shared->release(chunk->data);
    free(shared);
}

static struct shared_array *shared_array_new(const void *array, size_t bytes)
{
    struct shared_array *shared = malloc(sizeof *shared);
    if (!shared)
        return NULL;
    references_start(&shared->chunk.references, 1);
    shared->chunk.foreign = false;
    shared->chunk.dispose = shared_array_dispose;
    shared->chunk.home = NULL;
    shared->chunk.data = (unsigned char *)(uintptr_t)array;
    shared->chunk.capacity = 0;
    shared->bytes = bytes;
    shared->release = NULL;
    return shared;
}

static bool shared_array_is_xdr(const struct message *message)
{
    return message->header.encoding == MESSAGE_XDR || message->header.encoding == MESSAGE_TRACE;
}

/* The number of bytes, as pvm_pkint packs it, but never in place. */
static int shared_array_put_size(struct message *piece, size_t bytes)
{
    int size = (int)bytes;
    unsigned char xdr[sizeof size];
    xdr_store(xdr, (uint32_t)bytes);
    return message_append_copy(piece, shared_array_is_xdr(piece) ? (const void *)xdr : &size,
                               sizeof size);
}

/* In XDR the last bytes are copied, and filled up. */
static int shared_array_put_bytes(struct message *piece, struct shared_array *shared)
{
    unsigned char *data = shared->chunk.data;
    size_t rest = shared_array_is_xdr(piece) ? shared->bytes % XDR_UNIT : 0;
    size_t whole = shared->bytes - rest;
    size_t fragment = piece->fragment - piece->fragment % MESSAGE_RUN_UNIT;
    unsigned char filled[XDR_UNIT] = {0};
    int error = PvmOk;
    if (whole > 0)
        error = message_append_run(piece, &shared->chunk, data, whole, fragment);
    if (error == PvmOk && rest > 0) {
        memcpy(filled, data + whole, rest);
        error = message_append_copy(piece, filled, sizeof filled);
    }
    return error;
}

/* Events tell the types of what they hold: the array is copied. */
static int shared_array_put_typed(struct message *message, const void *array, size_t bytes)
{
    int size = (int)bytes;
    int error = encode_pack(message, PVM_INT, &size, 1, 1);
    return error < 0 ? error : encode_pack(message, PVM_BYTE, array, size, 1);
}

/* All or nothing. */
static int shared_array_put_whole(struct message *message, struct shared_array *shared)
{
    struct message piece;
    message_init(&piece, message->header.encoding, message->fragment);
    int error = shared_array_put_size(&piece, shared->bytes);
    if (error == PvmOk)
        error = shared_array_put_bytes(&piece, shared);
    if (error == PvmOk)
        error = message_append_rest(message, &piece, (struct cursor){0, 0});
    message_finish(&piece);
    return error;
}

int shared_array_put(struct message *message, const void *array, size_t bytes,
                     void (*release)(void *array))
{
    if (bytes > INT_MAX)
        return PvmOverflow;
    struct shared_array *shared = shared_array_new(array, bytes);
    if (!shared)
        return PvmNoMem;
    int error = message->header.encoding == MESSAGE_TRACE
                    ? shared_array_put_typed(message, array, bytes)
                    : shared_array_put_whole(message, shared);
    if (error == PvmOk)
        shared->release = release;
    chunk_release(&shared->chunk);
    return error;
}

/* Where all bytes behind the cursor lie in one piece, in memory of the message; otherwise NULL. */
static const unsigned char *shared_array_find(const struct message *message, struct cursor at,
                                              size_t bytes)
{
    size_t there;
    const unsigned char *data = message_peek(message, &at, &there);
    struct chunk *chunk = data ? message->segments[at.segment].chunk : NULL;
    if (chunk && chunk->dispose == shared_array_dispose && data == chunk->data &&
        shared_array_of(chunk)->bytes == bytes)
        return data;
    return data && there >= bytes && (uintptr_t)data % ALIGNMENT == 0 ? data : NULL;
}

/* A copy that goes with the message, as an empty piece at its end. NULL without memory. */
static const unsigned char *shared_array_copy(struct message *message, struct cursor at,
                                              size_t bytes)
{
    struct chunk *chunk = chunk_new(bytes + ALIGNMENT);
    if (!chunk)
        return NULL;
    unsigned char *data = chunk->data + (ALIGNMENT - (uintptr_t)chunk->data % ALIGNMENT);
    encode_take_bytes(message, &at, data, bytes);
    int error = message_append(message, chunk, data, 0);
    chunk_release(chunk);
    return error < 0 ? NULL : data;
}

static void shared_array_skip(const struct message *message, struct cursor *cursor, size_t bytes)
{
    size_t there;
    while (bytes > 0 && message_peek(message, cursor, &there)) {
        size_t some = bytes < there ? bytes : there;
        cursor->offset += some;
        bytes -= some;
    }
}

int shared_array_get(struct message *message, struct cursor *cursor, const void **array,
                     size_t *bytes)
{
    struct cursor at = *cursor;
    int size;
    int error = encode_unpack(message, &at, PVM_INT, &size, 1, 1);
    if (error < 0)
        return error;
    size_t whole = (size_t)size;
    if (shared_array_is_xdr(message))
        whole += (XDR_UNIT - whole % XDR_UNIT) % XDR_UNIT;
    if (size < 0)
        return PvmBadMsg;
    if (message_remaining(message, at) < whole)
        return PvmNoData;
    const unsigned char *data = NULL;
    if (size > 0)
        data = shared_array_find(message, at, (size_t)size);
    if (size > 0 && !data)
        data = shared_array_copy(message, at, (size_t)size);
    if (size > 0 && !data)
        return PvmNoMem;
    shared_array_skip(message, &at, whole);
    *cursor = at;
    *array = data;
    *bytes = (size_t)size;
    return PvmOk;
}
