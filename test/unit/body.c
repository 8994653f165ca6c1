/* body.c - bodies of messages as text and as bytes. */
#include "body.h"

#include <ctype.h>

#include "unit.h"

static unsigned body_digit(char digit)
{
    assert_true(isxdigit((unsigned char)digit));
    return isdigit((unsigned char)digit) ? (unsigned)(digit - '0')
                                         : (unsigned)(tolower((unsigned char)digit) - 'a' + 10);
}

size_t body_parse(const char *hex, unsigned char *bytes, size_t room)
{
    size_t digits = 0;
    for (; *hex; hex++) {
        if (isspace((unsigned char)*hex))
            continue;
        assert_true(digits / 2 < room);
        if (digits % 2 == 0)
            bytes[digits / 2] = 0;
        bytes[digits / 2] = (unsigned char)(bytes[digits / 2] * 16u + body_digit(*hex));
        digits++;
    }
    assert_int_equal(digits % 2, 0);
    return digits / 2;
}

unsigned char *body_bytes(const struct message *message)
{
    unsigned char *bytes = malloc(message->length + 1);
    size_t done = 0;
    assert_non_null(bytes);
    for (size_t i = 0; i < message->segment_count; i++) {
        assert_true(message->segments[i].length <= message->length - done);
        if (message->segments[i].length > 0)
            memcpy(bytes + done, message->segments[i].data, message->segments[i].length);
        done += message->segments[i].length;
    }
    assert_int_equal(done, message->length);
    return bytes;
}

void body_expect_bytes(const struct message *message, const void *bytes, size_t length)
{
    const unsigned char *expected = bytes;
    size_t done = 0;
    assert_int_equal(message->length, length);
    for (size_t i = 0; i < message->segment_count; i++) {
        assert_true(message->segments[i].length <= length - done);
        if (message->segments[i].length > 0)
            assert_memory_equal(message->segments[i].data, expected + done,
                                message->segments[i].length);
        done += message->segments[i].length;
    }
    assert_int_equal(done, length);
}

void body_expect_hex(const struct message *message, const char *hex)
{
    unsigned char bytes[1024];
    body_expect_bytes(message, bytes, body_parse(hex, bytes, sizeof bytes));
}

void body_expect_fragments(const struct message *message, const size_t *lengths, size_t count)
{
    struct cursor cursor = {0, 0};
    unsigned char *data;
    size_t length, found = 0;
    for (; message_next_fragment(message, &cursor, &data, &length); found++)
        if (found < count)
            assert_int_equal(length, lengths[found]);
    assert_int_equal(found, count);
    assert_int_equal(message_fragments(message), count);
}

struct message *body_make(uint32_t encoding, const void *bytes, size_t length, size_t cut)
{
    struct message *message = message_new(encoding, MESSAGE_FRAGMENT_DEFAULT);
    const unsigned char *from = bytes;
    assert_non_null(message);
    for (size_t done = 0, some; done < length; done += some) {
        some = length - done < cut ? length - done : cut;
        struct chunk *chunk = chunk_new(some);
        assert_non_null(chunk);
        memcpy(chunk->data, from + done, some);
        assert_int_equal(message_append(message, chunk, chunk->data, some), 0);
        chunk_release(chunk);
    }
    return message;
}

struct message *body_make_hex(uint32_t encoding, const char *hex, size_t cut)
{
    unsigned char bytes[1024];
    return body_make(encoding, bytes, body_parse(hex, bytes, sizeof bytes), cut);
}

void body_fill(void *memory, size_t size, unsigned seed)
{
    unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)((i + seed) % 251 + (i / 251) % 5);
}

unsigned char *body_stream(const struct message *message, uint32_t destination, uint32_t source,
                           size_t *size)
{
    struct frame_writer writer;
    struct frame_batch batch;
    size_t frames = message->segment_count ? message_fragments(message) : 1;
    size_t room = message->length + frames * FRAME_HEADER_SIZE + FRAME_MESSAGE_HEADER_SIZE;
    unsigned char *bytes = malloc(room);
    assert_non_null(bytes);
    *size = 0;
    frame_writer_start(&writer, message, destination, source);
    while (!frame_writer_is_done(&writer)) {
        int used = frame_writer_fill(&writer, &batch);
        size_t described = 0;
        for (int i = 0; i < used; i++) {
            assert_true(batch.vectors[i].iov_len <= room - *size - described);
            memcpy(bytes + *size + described, batch.vectors[i].iov_base, batch.vectors[i].iov_len);
            described += batch.vectors[i].iov_len;
        }
        frame_writer_advance(&writer, described);
        *size += described;
    }
    assert_int_equal(*size, room);
    return bytes;
}
