/*
 * fuzz_records.c - a connection between two daemons that hold one key, and somebody between them
 * who changes what passes, drops it, repeats it and puts bytes of his own in.
 *
 * Input: whether they are encrypted; then steps, each a byte that says what happens and what that needs. What comes out is the
 * beginning of what was written, and once something is wrong, nothing more.
 */
#include "daemon/post/records.h"

#include "daemon/base/keyed_hash.h"
#include "input.h"

#define WIRE 8192

struct sides {
    struct pool chunks;
    struct records writer, reader;
    unsigned char wire[WIRE];
    size_t size;             /* on the wire */
    size_t written, arrived; /* bytes of the connection */
};

static unsigned char byte_at(size_t at)
{
    return (unsigned char)(at * 7 + at / 256);
}

/* One record, of which the wire gets a part. */
static void write_one(struct sides *sides, struct input *input)
{
    size_t size = input_byte(input) + 1u, whole = size + RECORD_AROUND;
    struct frame_queue from, to;
    struct iovec vector;
    frame_queue_start(&from);
    frame_queue_start(&to);
    for (size_t i = 0; i < size; i++)
        MUST(frame_queue_copy(&from, &(unsigned char){byte_at(sides->written++)}, 1) == 0);
    MUST(records_write(&sides->writer, &from, &to) == 0);
    MUST(frame_queue_fill(&to, &vector, 2) == 1 && vector.iov_len == whole);
    if (sides->size + whole <= WIRE) {
        memcpy(sides->wire + sides->size, vector.iov_base, whole);
        sides->size += whole;
    }
    frame_queue_finish(&from);
    frame_queue_finish(&to);
}

static void put(struct sides *sides, const unsigned char *bytes, size_t size)
{
    if (sides->size + size > WIRE)
        return;
    memmove(sides->wire + sides->size, bytes, size);
    sides->size += size;
}

/* False once something is wrong. */
static bool arrive(struct sides *sides, size_t most)
{
    unsigned char bytes[100];
    size_t room, size, part = sides->size < most ? sides->size : most;
    enum records_result result;
    unsigned char *space = records_space(&sides->reader, &room);
    MUST(space && room > 0);
    part = part < room ? part : room;
    memcpy(space, sides->wire, part);
    records_filled(&sides->reader, part);
    memmove(sides->wire, sides->wire + part, sides->size - part);
    sides->size -= part;
    while ((result = records_read(&sides->reader, bytes, sizeof bytes, &size)) == RECORDS_BYTES)
        for (size_t i = 0; i < size; i++)
            MUST(sides->arrived < sides->written && bytes[i] == byte_at(sides->arrived++));
    return result == RECORDS_MORE;
}

static bool step(struct sides *sides, struct input *input)
{
    struct input part;
    switch (input_byte(input) % 6) {
    case 0:
        write_one(sides, input);
        return true;
    case 1:
        return arrive(sides, input_byte(input) + 1u);
    case 2: /* from a place on, other bytes */
        if (sides->size > 0) {
            size_t at = input_byte(input) % sides->size;
            part = input_part(input, input_byte(input) % (sides->size - at + 1));
            memcpy(sides->wire + at, part.bytes, part.size);
        }
        return true;
    case 3: /* again */
        put(sides, sides->wire, sides->size < 300 ? sides->size : 300);
        return true;
    case 4: /* not at all */
        sides->size -= input_byte(input) % (sides->size + 1);
        return true;
    default:
        part = input_part(input, input_byte(input));
        put(sides, part.bytes, part.size);
        return true;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char one[CIPHER_KEY_SIZE] = {1}, other[CIPHER_KEY_SIZE] = {2};
    static struct sides sides;
    struct input input = {data, size};
    sides = (struct sides){.size = 0};
    MUST(keyed_hash_start());
    pool_start(&sides.chunks, 4);
    records_start(&sides.writer, &sides.chunks);
    records_start(&sides.reader, &sides.chunks);
    const bool secret = input_byte(&input) % 2;
    records_begin(&sides.writer, one, other, secret);
    records_begin(&sides.reader, other, one, secret);
    while (input.size > 0 && step(&sides, &input))
        continue;
    records_finish(&sides.writer);
    records_finish(&sides.reader);
    pool_finish(&sides.chunks, free);
    return 0;
}
