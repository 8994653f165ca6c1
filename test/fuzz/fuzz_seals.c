/*
 * fuzz_seals.c - two daemons that hold one key, and somebody between them who repeats packets,
 * changes them, cuts them and makes his own.
 *
 * Input: whether bodies are encrypted; then steps, each a byte that says what happens and what that needs. A packet counts if the
 * other side has sealed exactly these bytes, and once; unless it is older than the window.
 */
#include "daemon/post/host_key.h"

#include "input.h"

#define BODY    40
#define FLIGHTS 64

struct sealed {
    unsigned char bytes[PACKET_HEADER_SIZE + BODY + HOST_KEY_SIGN_MOST];
    size_t size;
    unsigned char body[BODY];
    bool counted;
};

struct sides {
    struct host_key from, to;
    struct sealed sent[FLIGHTS];
    size_t count;
};

static void seal_one(struct sides *sides, struct input *input)
{
    const struct packet packet = {.source = 0x80080000, .flags = (uint8_t)input_byte(input)};
    struct input body = input_part(input, input_byte(input) % (BODY + 1));
    if (sides->count == FLIGHTS)
        return;
    struct sealed *sealed = &sides->sent[sides->count++];
    sealed->counted = false;
    sealed->size = PACKET_HEADER_SIZE + body.size;
    memcpy(sealed->body, body.bytes, body.size);
    memcpy(sealed->bytes + PACKET_HEADER_SIZE, body.bytes, body.size);
    host_key_hide(&sides->from, body.bytes, body.size, sealed->bytes + PACKET_HEADER_SIZE);
    sealed->size += host_key_sign(&sides->from, &packet, sealed->bytes + PACKET_HEADER_SIZE,
                                  body.size, sealed->bytes, sealed->bytes + sealed->size);
}

/* The packet that was sent as these bytes, NULL if none was. */
static struct sealed *find(struct sides *sides, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sides->count; i++)
        if (sides->sent[i].size == size && memcmp(sides->sent[i].bytes, bytes, size) == 0)
            return &sides->sent[i];
    return NULL;
}

static void arrive(struct sides *sides, const unsigned char *bytes, size_t size)
{
    struct packet packet;
    struct sealed *sealed = find(sides, bytes, size);
    unsigned char come[512];
    size_t left = size;
    if (size < PACKET_HEADER_SIZE)
        return;
    memcpy(come, bytes, size);
    packet_decode(&packet, come);
    enum seal_judgement judgement = host_key_judge(&sides->to, &packet, come, &left);
    MUST((judgement == SEAL_WRONG) == (sealed == NULL));
    MUST((judgement == SEAL_REPEATED) == (sealed && sealed->counted));
    MUST(left == (judgement == SEAL_GOOD ? size - PACKET_SEAL_SIZE : size));
    MUST(judgement != SEAL_GOOD ||
         memcmp(come + PACKET_HEADER_SIZE, sealed->body, left - PACKET_HEADER_SIZE) == 0);
    if (sealed)
        sealed->counted = true;
}

/* Some packet, from a place on with bytes of the input, or cut there. */
static void arrive_changed(struct sides *sides, struct input *input)
{
    struct sealed changed;
    if (sides->count == 0)
        return;
    changed = sides->sent[input_byte(input) % sides->count];
    size_t at = input_byte(input) % changed.size;
    struct input part = input_part(input, input_byte(input) % (changed.size - at + 1));
    memcpy(changed.bytes + at, part.bytes, part.size);
    arrive(sides, changed.bytes, part.size > 0 ? changed.size : at);
}

static void step(struct sides *sides, struct input *input)
{
    struct input part;
    switch (input_byte(input) % 4) {
    case 0:
        seal_one(sides, input);
        break;
    case 1:
        if (sides->count > 0) {
            const struct sealed one = sides->sent[input_byte(input) % sides->count];
            arrive(sides, one.bytes, one.size);
        }
        break;
    case 2:
        arrive_changed(sides, input);
        break;
    default:
        part = input_part(input, input_byte(input));
        arrive(sides, part.bytes, part.size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char pair[KEYED_HASH_KEY_SIZE] = {1, 2, 3};
    struct sides sides = {.count = 0};
    struct input input = {data, size};
    MUST(keyed_hash_start());
    const bool secret = input_byte(&input) % 2;
    host_key_seal(&sides.from, pair, 1, 2, secret);
    host_key_seal(&sides.to, pair, 2, 1, secret);
    while (input.size > 0)
        step(&sides, &input);
    return 0;
}
