/*
 * input.h - what the fuzz targets share: taking decisions from the input, and comparing what two
 * readings gave.
 *
 * A target reads the same bytes twice, cut in different places, and what it sees must be the same:
 * how bytes were cut on their way means nothing.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, for the fuzzer to see, unless `condition` holds. */
#define MUST(condition) ((condition) ? (void)0 : abort())

struct input {
    const uint8_t *bytes;
    size_t size;
};

static inline unsigned input_byte(struct input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->bytes++;
}

/* Takes the next bytes, at most `most` of them. */
static inline struct input input_part(struct input *input, size_t most)
{
    struct input part = {input->bytes, most < input->size ? most : input->size};
    input->bytes += part.size;
    input->size -= part.size;
    return part;
}

/* A digest of everything seen so far (Fowler, Noll and Vo's hash). */
static inline void digest_bytes(uint64_t *digest, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i++)
        *digest = (*digest ^ from[i]) * 0x100000001b3u;
}

static inline void digest_number(uint64_t *digest, uint64_t number)
{
    digest_bytes(digest, &number, sizeof number);
}

static inline void digest_message(uint64_t *digest, const struct message *message)
{
    digest_bytes(digest, &message->header, sizeof message->header);
    digest_number(digest, message->length);
    for (size_t i = 0; i < message->segment_count; i++)
        digest_bytes(digest, message->segments[i].data, message->segments[i].length);
}

/*
 * A body in segments of `cut` bytes, each in a chunk of its own, beyond which a sanitizer sees
 * every byte read.
 */
static inline struct message *input_message(struct input body, uint32_t encoding, size_t cut)
{
    struct message *message = message_new(encoding, MESSAGE_FRAGMENT_DEFAULT);
    MUST(message);
    while (body.size > 0) {
        struct input part = input_part(&body, cut);
        struct chunk *chunk = chunk_new(part.size);
        MUST(chunk);
        memcpy(chunk->data, part.bytes, part.size);
        MUST(message_append(message, chunk, chunk->data, part.size) == 0);
        chunk_release(chunk);
    }
    return message;
}

#endif
