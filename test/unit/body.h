/*
 * body.h - how do tests state what the body of a message is, or should be?
 *
 * Bytes are written as hexadecimal text in which blanks count for nothing.
 */
#ifndef UNIT_BODY_H
#define UNIT_BODY_H

#include "core/frame_reader.h"
#include "core/message.h"

/* A message of a test, which is freed where the block of its variable ends. */
#define OWN __attribute__((cleanup(body_end)))

static inline void body_end(struct message **message)
{
    message_free(*message);
}

/* Writes the bytes that `hex` describes to `bytes`, at most `room`; returns how many there are. */
size_t body_parse(const char *hex, unsigned char *bytes, size_t room);

/* All bytes of the body in memory of the caller (free), exactly message->length of them. */
unsigned char *body_bytes(const struct message *message);

/* The test fails unless the body is this. */
void body_expect_bytes(const struct message *message, const void *bytes, size_t length);
void body_expect_hex(const struct message *message, const char *hex);

/* The test fails unless the fragments of the message have these lengths. */
void body_expect_fragments(const struct message *message, const size_t *lengths, size_t count);
#define EXPECT_FRAGMENTS(message, ...)                                                             \
    body_expect_fragments(message, (const size_t[]){__VA_ARGS__},                                  \
                          sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

/*
 * A message whose body is `length` bytes, in segments of `cut` bytes. Each segment has a chunk of
 * exactly its size, so that a memory checker sees a byte read beyond it. Freed by message_free.
 */
struct message *body_make(uint32_t encoding, const void *bytes, size_t length, size_t cut);
struct message *body_make_hex(uint32_t encoding, const char *hex, size_t cut);

/*
 * Fills memory with bytes that differ from place to place, with a period that divides no power of
 * two.
 */
void body_fill(void *memory, size_t size, unsigned seed);

/* All that a frame_writer writes for `message`, in memory of the caller (free). */
unsigned char *body_stream(const struct message *message, uint32_t destination, uint32_t source,
                           size_t *size);

#endif
