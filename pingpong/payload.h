/*
 * Are these the right bytes, in the right order? Every message carries bytes that follow from its
 * sequence number, and every receiver compares all of them.
 */
#ifndef PINGPONG_PAYLOAD_H
#define PINGPONG_PAYLOAD_H

#include <stddef.h>

/* The bytes of message n are `size` bytes of one pseudo-random table, from an offset that n
 * chooses: making them costs nothing and comparing them is one memcmp. Read-only once created,
 * so threads may share it. */
struct payload {
    size_t size;
    unsigned char *table; /* owned */
};

/* Fails (see fail.h) when there is no memory for it. */
void payload_create(struct payload *payload, size_t size);
void payload_destroy(struct payload *payload);

/* The `size` bytes of message `sequence`; they belong to the payload. */
const unsigned char *payload_bytes(const struct payload *payload, long sequence);

/* Fails, with what is wrong, unless these are the bytes of message `sequence`. */
void payload_check(const struct payload *payload, long sequence, const unsigned char *bytes,
                   size_t size);

/* How long a receive buffer has to be so that a payload of `size` fits, and a short text too. */
size_t payload_capacity(size_t size);

/* Memory for payloads, which the caller frees; fails when memory is short. */
void *payload_allocate(size_t bytes);

#endif
