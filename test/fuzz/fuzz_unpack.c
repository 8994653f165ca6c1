/*
 * fuzz_unpack.c - any bytes as a body of any encoding, unpacked as any sequence of items.
 *
 * Input: the encoding, how the body is cut, the number of steps, three bytes for each step, and the
 * body.
 */
#include <pvm3.h>

#include "core/encode.h"
#include "core/packed.h"
#include "core/signature.h"

#include "input.h"

#define WORD 4 /* bytes: the body is cut between words, as daemons do */

struct reading {
    struct message *message;
    struct cursor cursor;
    uint64_t digest;
};

static void unpack_items(struct reading *reading, int type, int count, int stride)
{
    size_t size = encode_item_size(type);
    size_t span = count > 0 ? ((size_t)(count - 1) * (size_t)stride + 1) * size : 0;
    char *items = calloc(1, span + 1);
    MUST(items);
    int error = encode_unpack(reading->message, &reading->cursor, type, items, count, stride);
    MUST(error == 0 || error == PvmNoData || error == PvmBadMsg);
    MUST(error != PvmNoData || message_remaining(reading->message, reading->cursor) == 0);
    digest_number(&reading->digest, (uint64_t)error);
    digest_bytes(&reading->digest, items, span);
    free(items);
}

static void unpack_string(struct reading *reading)
{
    int size = encode_string_size(reading->message, reading->cursor);
    char *string = calloc(1, size > 0 ? (size_t)size : 1);
    MUST(string);
    int error = encode_unpack_string(reading->message, &reading->cursor, string);
    MUST(error == (size < 0 ? size : 0));
    digest_number(&reading->digest, (uint64_t)size);
    digest_bytes(&reading->digest, string, size > 0 ? (size_t)size : 0);
    free(string);
}

static void take_bytes(struct reading *reading, size_t most)
{
    size_t left = message_remaining(reading->message, reading->cursor);
    char *bytes = malloc(most + 1);
    MUST(bytes);
    size_t size = encode_take_bytes(reading->message, &reading->cursor, bytes, most);
    MUST(size == (most < left ? most : left));
    digest_bytes(&reading->digest, bytes, size);
    free(bytes);
}

/* Reading goes on in the message that was packed into this one. */
static void unpack_message(struct reading *reading)
{
    struct message *inner = NULL;
    int error = packed_get(reading->message, &reading->cursor, &inner);
    MUST((error == 0) == (inner != NULL));
    digest_number(&reading->digest, (uint64_t)error);
    if (error < 0)
        return;
    digest_message(&reading->digest, inner);
    message_free(reading->message);
    reading->message = inner;
    reading->cursor = (struct cursor){0, 0};
}

static void take_step(struct reading *reading, unsigned kind, unsigned count, unsigned stride)
{
    size_t left = message_remaining(reading->message, reading->cursor);
    const struct message *message = reading->message;
    kind %= PVM_ULONG + 3;
    if (kind == PVM_STR)
        unpack_string(reading);
    else if (kind <= PVM_ULONG)
        unpack_items(reading, (int)kind, (int)count, (int)stride % 4);
    else if (kind == PVM_ULONG + 1)
        unpack_message(reading);
    else /* whole words, behind which XDR finds its next item */
        take_bytes(reading, WORD * (size_t)count);
    MUST(message != reading->message ||
         message_remaining(reading->message, reading->cursor) <= left);
}

static uint64_t read_steps(uint32_t encoding, struct input steps, struct input body, size_t cut)
{
    struct reading reading = {input_message(body, encoding, cut), {0, 0}, 0};
    while (steps.size >= 3) {
        unsigned kind = input_byte(&steps);
        unsigned count = input_byte(&steps);
        take_step(&reading, kind, count, input_byte(&steps));
    }
    message_free(reading.message);
    return reading.digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint32_t encodings[] = {MESSAGE_XDR, signature_native(), MESSAGE_TRACE, MESSAGE_IN_PLACE,
                                  0x0658eb59};
    struct input input = {data, size};
    uint32_t encoding = encodings[input_byte(&input) % 5];
    size_t cut = WORD * (1 + (size_t)input_byte(&input));
    struct input steps = input_part(&input, 3 * (size_t)input_byte(&input));
    MUST(read_steps(encoding, steps, input, cut) == read_steps(encoding, steps, input, SIZE_MAX));
    return 0;
}
