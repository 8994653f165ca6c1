/* packed.c - eight integers of header, then each fragment with its length in front. */
#include "core/packed.h"

#include <pvm3.h>

#include "core/encode.h"

enum {
    FIELD_LENGTH,
    FIELD_CONTEXT,
    FIELD_TAG,
    FIELD_WAIT,
    FIELD_ENCODING,
    FIELD_CHECKSUM,
    FIELD_SOURCE,
    FIELD_DESTINATION,
    FIELD_COUNT
};

static int packed_put_fragment(struct message *outer, const unsigned char *data, size_t length)
{
    int size = (int)length;
    int error = encode_pack(outer, PVM_INT, &size, 1, 1);
    return error < 0 ? error : encode_pack(outer, PVM_BYTE, data, size, 1);
}

int packed_put(struct message *outer, const struct message *inner)
{
    if (outer->header.encoding == MESSAGE_IN_PLACE)
        return PvmNotImpl;
    if (inner->length > INT32_MAX)
        return PvmOverflow;
    const struct message_header *header = &inner->header;
    int32_t fields[FIELD_COUNT] = {
        [FIELD_LENGTH] = (int32_t)inner->length,
        [FIELD_CONTEXT] = header->context,
        [FIELD_TAG] = header->tag,
        [FIELD_WAIT] = header->wait,
        [FIELD_ENCODING] = (int32_t)header->encoding,
        [FIELD_CHECKSUM] = (int32_t)header->checksum,
        [FIELD_SOURCE] = (int32_t)header->source,
        [FIELD_DESTINATION] = (int32_t)header->destination,
    };
    outer->header.longs |= header->longs;
    int error = encode_pack(outer, PVM_INT, fields, FIELD_COUNT, 1);
    struct cursor cursor = {0, 0};
    unsigned char *data;
    size_t length;
    while (error == 0 && message_next_fragment(inner, &cursor, &data, &length))
        if (length > 0) /* a reader stops at the last byte and would leave it behind */
            error = packed_put_fragment(outer, data, length);
    return error;
}

/*
 * As in 3.4.6, a fragment may be longer than what the header says is left. A fragment without data
 * is skipped, though its size counts. The bytes of a fragment that is cut off stay to be unpacked.
 */
static int packed_get_fragment(const struct message *outer, struct cursor *cursor,
                               struct message *inner, int64_t *left)
{
    int32_t size = 0;
    int error = encode_unpack(outer, cursor, PVM_INT, &size, 1, 1);
    *left -= size;
    if (error < 0 || size <= 0)
        return error;
    if ((size_t)size > message_remaining(outer, *cursor))
        return PvmNoData;
    struct chunk *chunk = chunk_new((size_t)size);
    if (!chunk)
        return PvmNoMem;
    struct cursor start = *cursor;
    error = encode_unpack(outer, cursor, PVM_BYTE, chunk->data, size, 1);
    if (error == 0)
        error = message_append(inner, chunk, chunk->data, (size_t)size);
    else
        *cursor = start;
    chunk_release(chunk);
    return error;
}

int packed_get(const struct message *outer, struct cursor *cursor, struct message **inner)
{
    int32_t fields[FIELD_COUNT];
    int error = encode_unpack(outer, cursor, PVM_INT, fields, FIELD_COUNT, 1);
    if (error < 0)
        return error;
    if (fields[FIELD_LENGTH] < 0)
        return PvmBadMsg;
    int64_t left = fields[FIELD_LENGTH];
    struct message *message =
        message_new((uint32_t)fields[FIELD_ENCODING], MESSAGE_FRAGMENT_DEFAULT);
    if (!message)
        return PvmNoMem;
    message->header = (struct message_header){
        .encoding = (uint32_t)fields[FIELD_ENCODING],
        .tag = fields[FIELD_TAG],
        .context = fields[FIELD_CONTEXT],
        .wait = fields[FIELD_WAIT],
        .checksum = (uint32_t)fields[FIELD_CHECKSUM],
        .source = (uint32_t)fields[FIELD_SOURCE],
        .destination = (uint32_t)fields[FIELD_DESTINATION],
        .longs = outer->header.longs,
    };
    while (error == 0 && left > 0)
        error = packed_get_fragment(outer, cursor, message, &left);
    if (error < 0) {
        message_free(message);
        return error;
    }
    *inner = message;
    return 0;
}
