#include "payload.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* A prime: neighbouring sequence numbers start far apart in the table, and it takes this many
 * messages until the same bytes come again. */
#define PAYLOAD_OFFSETS 8191
#define PAYLOAD_STRIDE 1031
#define PAYLOAD_SHORTEST_BUFFER 512

void *payload_allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        fail("cannot allocate %zu bytes for payloads; choose a smaller --size", bytes);
    return memory;
}

void payload_create(struct payload *payload, size_t size)
{
    size_t length = size + PAYLOAD_OFFSETS;
    payload->size = size;
    payload->table = payload_allocate(length);
    uint32_t state = 2463534242u;
    for (size_t i = 0; i < length; i++) {
        state = state * 1664525u + 1013904223u;
        payload->table[i] = (unsigned char)(state >> 24);
    }
}

void payload_destroy(struct payload *payload)
{
    free(payload->table);
}

const unsigned char *payload_bytes(const struct payload *payload, long sequence)
{
    return payload->table + (size_t)sequence * PAYLOAD_STRIDE % PAYLOAD_OFFSETS;
}

static _Noreturn void payload_explain(const struct payload *payload, long sequence,
                                      const unsigned char *bytes)
{
    for (long other = 0; other < PAYLOAD_OFFSETS; other++)
        if (memcmp(bytes, payload_bytes(payload, other), payload->size) == 0)
            fail("out of order: expected message %ld, got number %ld (modulo %d)", sequence, other,
                 PAYLOAD_OFFSETS);
    size_t at = 0;
    while (bytes[at] == payload_bytes(payload, sequence)[at])
        at++;
    fail("corrupted payload: message %ld differs from byte %zu on", sequence, at);
}

void payload_check(const struct payload *payload, long sequence, const unsigned char *bytes,
                   size_t size)
{
    if (size != payload->size)
        fail("message %ld has %zu bytes instead of %zu", sequence, size, payload->size);
    if (memcmp(bytes, payload_bytes(payload, sequence), size) != 0)
        payload_explain(payload, sequence, bytes);
}

size_t payload_capacity(size_t size)
{
    return size > PAYLOAD_SHORTEST_BUFFER ? size : PAYLOAD_SHORTEST_BUFFER;
}
