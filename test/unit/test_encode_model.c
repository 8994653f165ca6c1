/*
 * test_encode_model.c - packing against a model that is too simple to be wrong: one unit at a time.
 *
 * Random items of random types, strides and fragment capacities are packed by encode.c and by the
 * model; bodies and fragments must be equal, and so must be what is unpacked, however the body was
 * cut on its way. The model knows little-endian machines.
 */
#include "core/encode.h"

#include <pvm3.h>

#include "core/signature.h"

#include "body.h"
#include "unit.h"

#define ROUNDS     300
#define STEPS_MAX  12
#define ITEMS_MAX  700 /* beyond one and two gather blocks for the types of 4 bytes and more */
#define STRIDE_MAX 3
#define MEMORY     (ITEMS_MAX * 16 * STRIDE_MAX)
#define WIRE_MAX   (STEPS_MAX * (ITEMS_MAX * 16 + 8))

/* One call of the pack functions; `type` PVM_STR is a string of `count` letters. */
struct step {
    int type;
    int count;
    int stride;
    unsigned char *memory; /* MEMORY bytes */
};

struct model {
    size_t fragment;
    unsigned char bytes[WIRE_MAX];
    size_t length;
    size_t fragments[WIRE_MAX / 4];
    size_t count;
};

static struct model model;
static uint32_t seed;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * limit >> 32);
}

/* The model ------------------------------------------------------------------------------------ */

static void model_put(const void *unit, size_t size)
{
    if (model.count == 0 || model.fragment - model.fragments[model.count - 1] < size)
        model.fragments[model.count++] = 0;
    memcpy(model.bytes + model.length, unit, size);
    model.length += size;
    model.fragments[model.count - 1] += size;
}

static void model_put_bytes(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        model_put(bytes + i, 1);
}

static void model_pad(void)
{
    while (model.fragments[model.count - 1] % 4 &&
           model.fragments[model.count - 1] < model.fragment)
        model_put("", 1);
}

static void model_put_short(const unsigned char *item)
{
    const unsigned char sign = item[1] & 0x80 ? 0xff : 0;
    model_put((const unsigned char[]){sign, sign, item[1], item[0]}, 4);
}

static void model_put_number(int type, const unsigned char *b)
{
    if (type == PVM_SHORT || type == PVM_USHORT)
        model_put_short(b);
    else if (type == PVM_DOUBLE)
        model_put((const unsigned char[]){b[7], b[6], b[5], b[4], b[3], b[2], b[1], b[0]}, 8);
    else
        model_put((const unsigned char[]){b[3], b[2], b[1], b[0]}, 4); /* of a long the low word */
}

static void model_put_item(int type, const unsigned char *item)
{
    const int part = type == PVM_CPLX ? PVM_FLOAT : PVM_DOUBLE;
    const size_t size = type == PVM_CPLX ? 4 : 8;
    if (type == PVM_BYTE) {
        model_put(item, 1);
    } else if (type == PVM_CPLX || type == PVM_DCPLX) {
        model_put_number(part, item);
        model_put_number(part, item + size);
    } else {
        model_put_number(type, item);
    }
}

static const unsigned char *step_item(const struct step *step, int i)
{
    ptrdiff_t first = step->stride < 0 ? (ptrdiff_t)(step->count - 1) * -step->stride : 0;
    return step->memory +
           (first + (ptrdiff_t)i * step->stride) * (ptrdiff_t)encode_item_size(step->type);
}

static void model_put_string(const struct step *step, bool xdr)
{
    int length = step->count + 1;
    if (xdr)
        model_put_number(PVM_INT, (unsigned char *)&length);
    else
        model_put_bytes((unsigned char *)&length, sizeof length);
    model_put_bytes(step->memory, (size_t)length);
    if (xdr)
        model_pad();
}

static void model_put_step(const struct step *step, bool xdr)
{
    if (step->type == PVM_STR) {
        model_put_string(step, xdr);
        return;
    }
    for (int i = 0; i < step->count; i++) {
        if (xdr)
            model_put_item(step->type, step_item(step, i));
        else
            model_put_bytes(step_item(step, i), encode_item_size(step->type));
    }
    if (xdr && step->type == PVM_BYTE && step->count > 0)
        model_pad();
}

/* The steps ------------------------------------------------------------------------------------ */

static void step_choose(struct step *step)
{
    const int counts[] = {0,   1,   2,   7,   126, 127, 128, 129,
                          255, 256, 257, 511, 512, 513, 600, ITEMS_MAX};
    step->type = (int)random_below(PVM_ULONG + 1);
    step->count = counts[random_below(COUNT_OF(counts))];
    step->stride = (int)random_below(2 * STRIDE_MAX) - STRIDE_MAX + 1;
    if (random_below(3) == 0)
        step->stride = 1;
    body_fill(step->memory, MEMORY, random_below(251));
    if (step->type == PVM_LONG || step->type == PVM_ULONG) /* such as have 32 bits */
        for (size_t i = 4; i < MEMORY; i += 8)
            memset(step->memory + i, 0, 4);
    if (step->type == PVM_STR) {
        memset(step->memory, 'x', (size_t)step->count);
        step->memory[step->count] = '\0';
    }
}

static void step_pack(const struct step *step, struct message *message)
{
    if (step->type == PVM_STR)
        assert_int_equal(encode_pack_string(message, (const char *)step->memory), 0);
    else
        assert_int_equal(
            encode_pack(message, step->type, step_item(step, 0), step->count, step->stride), 0);
}

/* What an item is after it has travelled. */
static void step_expect_item(const struct step *step, int i, const unsigned char *found)
{
    assert_memory_equal(found, step_item(step, i), encode_item_size(step->type));
}

static void step_unpack(const struct step *step, const struct message *message,
                        struct cursor *cursor)
{
    static unsigned char found[MEMORY];
    int stride = (int)random_below(STRIDE_MAX) + 1;
    if (step->type == PVM_STR) {
        assert_int_equal(encode_string_size(message, *cursor), step->count + 1);
        assert_int_equal(encode_unpack_string(message, cursor, (char *)found), 0);
        assert_string_equal((char *)found, (char *)step->memory);
        return;
    }
    assert_int_equal(encode_unpack(message, cursor, step->type, found, step->count, stride), 0);
    for (int i = 0; i < step->count; i++)
        step_expect_item(step, i, found + (size_t)(i * stride) * encode_item_size(step->type));
}

static void steps_unpack(const struct step *steps, size_t count, const struct message *message)
{
    struct cursor cursor = {0, 0};
    for (size_t i = 0; i < count; i++)
        step_unpack(&steps[i], message, &cursor);
    assert_int_equal(message_remaining(message, cursor), 0);
}

/* The rounds ----------------------------------------------------------------------------------- */

static size_t choose_fragment(void)
{
    const size_t fragments[] = {8,    12, 16, 20, 64, 100, 1000, 2044, MESSAGE_FRAGMENT_DEFAULT,
                                65536};
    return fragments[random_below(COUNT_OF(fragments))];
}

/* Packs and checks the steps; returns the message. */
static struct message *round_pack(struct step *steps, size_t count, uint32_t encoding)
{
    struct message *message = message_new(encoding, choose_fragment());
    model.length = model.count = 0;
    model.fragment = message->fragment;
    for (size_t i = 0; i < count; i++) {
        step_choose(&steps[i]);
        step_pack(&steps[i], message);
        model_put_step(&steps[i], encoding == MESSAGE_XDR);
    }
    body_expect_fragments(message, model.fragments, model.count);
    body_expect_bytes(message, model.bytes, model.length);
    return message;
}

static void run_rounds(uint32_t encoding)
{
    static unsigned char memory[STEPS_MAX][MEMORY];
    struct step steps[STEPS_MAX];
    bool xdr = encoding == MESSAGE_XDR;
    for (size_t i = 0; i < STEPS_MAX; i++)
        steps[i].memory = memory[i];
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        seed = round * 2654435761u;
        size_t count = 1 + random_below(STEPS_MAX);
        OWN struct message *message = round_pack(steps, count, encoding);
        steps_unpack(steps, count, message);
        size_t cut = xdr ? 4 * (1 + random_below(1200)) : 1 + random_below(5000);
        OWN struct message *recut = body_make(encoding, model.bytes, model.length, cut);
        steps_unpack(steps, count, recut);
    }
}

UNIT_TEST(xdr_equals_the_model)
{
    run_rounds(MESSAGE_XDR);
}

UNIT_TEST(raw_equals_the_model)
{
    run_rounds(signature_native());
}
