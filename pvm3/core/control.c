/* control.c - fields of control messages. */
#include "core/control.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/encode.h"
#include "core/xdr.h"

/* A message whose writing failed is marked by an encoding that no message has. */
#define ENCODING_FAILED 0u

struct message *control_new(int32_t tag, int32_t context, int32_t wait)
{
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    if (!message)
        return NULL;
    message->header.tag = tag;
    message->header.context = context;
    message->header.wait = wait;
    return message;
}

bool control_is_whole(const struct message *message)
{
    return message && message->header.encoding != ENCODING_FAILED;
}

static void control_check(struct message *message, int error)
{
    if (error < 0)
        message->header.encoding = ENCODING_FAILED;
}

void control_put_int(struct message *message, int32_t value)
{
    control_put_items(message, PVM_INT, &value, 1);
}

void control_put_items(struct message *message, int type, const void *items, int count)
{
    if (control_is_whole(message))
        control_check(message, encode_pack(message, type, items, count, 1));
}

void control_put_tid(struct message *message, uint32_t tid)
{
    control_put_int(message, (int32_t)tid);
}

void control_put_string(struct message *message, const char *string)
{
    if (control_is_whole(message))
        control_check(message, encode_pack_string(message, string));
}

void control_put_bytes(struct message *message, const void *bytes, size_t size)
{
    if (control_is_whole(message))
        control_check(message, size > INT32_MAX
                                   ? PvmOverflow
                                   : encode_pack(message, PVM_BYTE, bytes, (int)size, 1));
}

void control_read(struct control_reader *reader, const struct message *message)
{
    *reader = (struct control_reader){.message = message};
}

/*
 * Integers may be cut by a fragment boundary when the sender was not a library: no unit is special
 * here.
 */
int32_t control_get_int(struct control_reader *reader)
{
    unsigned char wire[4];
    if (!reader->failed &&
        encode_take_bytes(reader->message, &reader->cursor, wire, sizeof wire) < sizeof wire)
        reader->failed = true;
    return reader->failed ? 0 : (int32_t)xdr_load(wire);
}

uint32_t control_get_tid(struct control_reader *reader)
{
    return (uint32_t)control_get_int(reader);
}

size_t control_rest(const struct control_reader *reader)
{
    return message_remaining(reader->message, reader->cursor);
}

void control_get_bytes(struct control_reader *reader, void *bytes, size_t size)
{
    unsigned char padding[4];
    if (reader->failed)
        return;
    if (encode_take_bytes(reader->message, &reader->cursor, bytes, size) < size)
        reader->failed = true;
    encode_take_bytes(reader->message, &reader->cursor, padding, -size & 3);
}

int32_t control_get_count(struct control_reader *reader, size_t item)
{
    int32_t count = control_get_int(reader);
    if (count < 0 || (item > 0 && (size_t)count > control_rest(reader) / item))
        reader->failed = true;
    return reader->failed ? 0 : count;
}

char *control_get_string(struct control_reader *reader, size_t limit)
{
    size_t length = (size_t)control_get_count(reader, 1);
    if (length == 0 || (limit > 0 && length > limit))
        reader->failed = true;
    char *string = reader->failed ? NULL : malloc(length);
    if (!string) {
        reader->failed = true;
        return NULL;
    }
    control_get_bytes(reader, string, length);
    if (reader->failed || memchr(string, 0, length) == NULL) {
        reader->failed = true;
        free(string);
        return NULL;
    }
    return string;
}
