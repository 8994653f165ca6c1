/* Two or more tasks exchange messages of every type, encoding and size and check every byte.
 *
 * usage: converse listen ROUTE FRAGMENT                  prints "tid HEX" and serves one talker
 *        converse talk ROUTE FRAGMENT LARGEST HEX...     talks to the listeners with these tids
 * ROUTE is a value of PvmRoute; FRAGMENT one of PvmFragSize, 0 for the default; LARGEST the most
 * bytes in a message. Both sides walk through one list of cases: in each the talker sends, the
 * listener verifies and answers with other contents, the talker verifies. Prints "verified N" at
 * the end; what is wrong goes to standard output too, and the exit status is 1.
 */
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { MOST_LISTENERS = 8, LARGEST_ELEMENT = 16, MOST_STRIDE = 3, MARK = 1000000, SECONDS = 50 };

static int listeners[MOST_LISTENERS], listener_count, largest;

/* ---- types: how an element is packed, unpacked and made ---- */

#define WRAP(name, type)                                                                           \
    static int pack_##name(void *data, int count, int stride)                                      \
    {                                                                                              \
        return pvm_pk##name((type *)data, count, stride);                                          \
    }                                                                                              \
    static int unpack_##name(void *data, int count, int stride)                                    \
    {                                                                                              \
        return pvm_upk##name((type *)data, count, stride);                                         \
    }
WRAP(byte, char)
WRAP(short, short)
WRAP(ushort, unsigned short)
WRAP(int, int)
WRAP(uint, unsigned int)
WRAP(long, long)
WRAP(ulong, unsigned long)
WRAP(float, float)
WRAP(double, double)
WRAP(cplx, float)
WRAP(dcplx, double)

enum shape { WHOLE, SINGLE, DOUBLE };

static const struct type {
    const char *name;
    int code, size;
    enum shape shape;
    int (*pack)(void *, int, int);
    int (*unpack)(void *, int, int);
} types[] = {
    {"byte", PVM_BYTE, 1, WHOLE, pack_byte, unpack_byte},
    {"short", PVM_SHORT, 2, WHOLE, pack_short, unpack_short},
    {"ushort", PVM_USHORT, 2, WHOLE, pack_ushort, unpack_ushort},
    {"int", PVM_INT, 4, WHOLE, pack_int, unpack_int},
    {"uint", PVM_UINT, 4, WHOLE, pack_uint, unpack_uint},
    {"long", PVM_LONG, 8, WHOLE, pack_long, unpack_long},
    {"ulong", PVM_ULONG, 8, WHOLE, pack_ulong, unpack_ulong},
    {"float", PVM_FLOAT, 4, SINGLE, pack_float, unpack_float},
    {"double", PVM_DOUBLE, 8, DOUBLE, pack_double, unpack_double},
    {"cplx", PVM_CPLX, 8, SINGLE, pack_cplx, unpack_cplx},
    {"dcplx", PVM_DCPLX, 16, DOUBLE, pack_dcplx, unpack_dcplx},
};
enum { TYPES = sizeof types / sizeof *types, STRING = TYPES };

static uint64_t mixed(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* Element `index` of the contents `seed`. In the default encoding a long keeps 31 bits only. */
static void element_make(const struct type *type, int narrow, uint64_t seed, int index,
                         char *element)
{
    for (int part = 0; part < 2; part++) {
        uint64_t bits = mixed(seed * 1000003u + (uint64_t)index * 2 + (uint64_t)part);
        float single = (float)(int32_t)bits / 8;
        double wide = (double)(int64_t)bits / 8;
        if (narrow && type->size == 8)
            bits &= 0x7fffffff;
        if (type->shape == WHOLE && part == 0)
            memcpy(element, &bits, (size_t)type->size);
        if (type->shape == SINGLE && part * 4 < type->size)
            memcpy(element + part * 4, &single, 4);
        if (type->shape == DOUBLE && part * 8 < type->size)
            memcpy(element + part * 8, &wide, 8);
    }
}

/* ---- cases ---- */

enum kind { SEND, PSEND, MCAST };

struct test_case {
    int number;
    enum kind kind;
    int encoding, type, count;
};

static const char *const kinds[] = {"send", "psend", "mcast"};
static const int sizes[] = {0, 16, 4016, 4032, 4048, 8064, 8080, 65536, 1 << 20};

static char *memory;

static void failed(const struct test_case *c, const char *what, int value)
{
    fail("case %d (%s, encoding %d, type %s, count %d): %s %d", c->number, kinds[c->kind],
         c->encoding, c->type == STRING ? "string" : types[c->type].name, c->count, what, value);
}

static uint64_t seed_of(const struct test_case *c, int answer)
{
    return (uint64_t)c->number * 2 + (uint64_t)answer;
}

static int narrow(const struct test_case *c)
{
    return c->encoding == PvmDataDefault && c->kind != PSEND;
}

static void string_make(const struct test_case *c, int answer)
{
    for (int i = 0; i < c->count; i++)
        memory[i] = (char)('a' + mixed(seed_of(c, answer) + (uint64_t)i) % 26);
    memory[c->count] = 0;
}

static void contents_make(const struct test_case *c, int answer, int stride)
{
    const struct type *type = &types[c->type];
    memset(memory, 0x5a, (size_t)(c->count * type->size * stride));
    for (int i = 0; i < c->count; i++)
        element_make(type, narrow(c), seed_of(c, answer), i,
                     memory + (size_t)(i * type->size * stride));
}

static void contents_check(const struct test_case *c, int answer, int stride)
{
    char expected[LARGEST_ELEMENT];
    const struct type *type = &types[c->type];
    for (int i = 0; i < c->count; i++) {
        element_make(type, narrow(c), seed_of(c, answer), i, expected);
        if (memcmp(expected, memory + (size_t)(i * type->size * stride), (size_t)type->size) != 0)
            failed(c, "wrong element", i);
    }
}

static int stride_of(const struct test_case *c, int side)
{
    return c->encoding == PvmDataInPlace ? 1 : 1 + (c->number + side) % MOST_STRIDE;
}

/* ---- one message ---- */

static void pack(const struct test_case *c, int answer)
{
    int stride = stride_of(c, 0), result;

    pvm_initsend(c->encoding);
    if (c->type == STRING) {
        string_make(c, answer);
        result = pvm_pkstr(memory);
    } else {
        contents_make(c, answer, stride);
        result = types[c->type].pack(memory, c->count, stride);
    }
    if (result != 0)
        failed(c, "pack gives", result);
}

static void message_send(const struct test_case *c, int answer, int *to, int count)
{
    int result = 0;

    if (c->kind == PSEND) {
        contents_make(c, answer, 1);
        for (int i = 0; i < count && result == 0; i++)
            result = pvm_psend(to[i], c->number, memory, c->count, types[c->type].code);
    } else {
        pack(c, answer);
        if (c->kind == MCAST)
            result = pvm_mcast(to, count, c->number);
        for (int i = 0; c->kind == SEND && i < count && result == 0; i++)
            result = pvm_send(to[i], c->number);
    }
    if (result != 0)
        failed(c, "send gives", result);
}

/* Three ways to receive the message of a case. Before PROBED the sender sends a mark behind it. */
enum way { BLOCKING, TIMED, PROBED, WAYS };

static enum way way_of(const struct test_case *c)
{
    return c->kind == PSEND && c->number % 2 ? BLOCKING : (enum way)(c->number % WAYS);
}

static void mark_send(const struct test_case *c, int to)
{
    if (way_of(c) == PROBED) {
        pvm_initsend(PvmDataDefault);
        pvm_send(to, MARK + c->number);
    }
}

static int message_take(const struct test_case *c, int from)
{
    struct timeval limit = {SECONDS, 0};

    if (way_of(c) == BLOCKING)
        return pvm_recv(from, c->number);
    if (way_of(c) == TIMED)
        return pvm_trecv(from, c->number, &limit);
    if (pvm_trecv(from, MARK + c->number, &limit) <= 0)
        failed(c, "the mark does not come", 0);
    if (pvm_probe(from, c->number) <= 0)
        failed(c, "the mark has overtaken the message", 0);
    return pvm_nrecv(from, c->number);
}

static void message_check(const struct test_case *c, int answer, int from)
{
    int bytes, tag, source, buffer = message_take(c, from);
    int stride = stride_of(c, 1), result;

    if (buffer <= 0)
        failed(c, "receive gives", buffer);
    pvm_bufinfo(buffer, &bytes, &tag, &source);
    if (source != from || tag != c->number)
        failed(c, "wrong source or tag", source);
    if (c->type == STRING) {
        char *expected = memory + c->count + 1;
        string_make(c, answer);
        memcpy(expected, memory, (size_t)c->count + 1);
        memset(memory, 0, (size_t)c->count + 1);
        result = pvm_upkstr(memory);
        if (strcmp(expected, memory) != 0)
            failed(c, "wrong string", result);
    } else {
        result = types[c->type].unpack(memory, c->count, stride);
        contents_check(c, answer, stride);
    }
    if (result != 0)
        failed(c, "unpack gives", result);
    if (pvm_upkbyte(memory, 1, 1) != PvmNoData)
        failed(c, "more data than was sent", bytes);
}

static void precv_check(const struct test_case *c, int answer, int from)
{
    int source, tag, bytes;
    int result =
        pvm_precv(from, c->number, memory, c->count, types[c->type].code, &source, &tag, &bytes);
    if (result != 0 || source != from || tag != c->number)
        failed(c, "precv gives", result);
    if (bytes != c->count * types[c->type].size)
        failed(c, "precv gives a length of", bytes);
    contents_check(c, answer, 1);
}

static void receive(const struct test_case *c, int answer, int from)
{
    if (c->kind == PSEND && c->number % 2)
        precv_check(c, answer, from);
    else
        message_check(c, answer, from);
}

/* ---- the two roles ---- */

static void talk(const struct test_case *c)
{
    message_send(c, 0, listeners, listener_count);
    for (int i = 0; i < listener_count; i++)
        mark_send(c, listeners[i]);
    for (int i = 0; i < listener_count; i++)
        receive(c, 1, listeners[i]);
}

static void listen_once(const struct test_case *c)
{
    receive(c, 0, listeners[0]);
    message_send(c, 1, listeners, 1);
    mark_send(c, listeners[0]);
}

/* Whether the case can be: psend is in place, strings are not; few types have the largest size. */
static int exists(const struct test_case *c, int size)
{
    if (c->kind == PSEND && c->encoding != PvmDataInPlace)
        return 0;
    if (c->type == STRING)
        return c->encoding != PvmDataInPlace && size <= largest;
    return size <= largest && (size <= 65536 || c->type % 4 == 0);
}

static void walk_sizes(struct test_case *c, void (*play)(const struct test_case *))
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (exists(c, sizes[i])) {
            c->number++;
            c->count = sizes[i] / (c->type == STRING ? 1 : types[c->type].size);
            play(c);
        }
    }
}

/* Play all cases in order; gives their number. */
static int walk(void (*play)(const struct test_case *))
{
    struct test_case c = {0};

    for (c.kind = SEND; c.kind <= MCAST; c.kind++)
        for (c.encoding = PvmDataDefault; c.encoding <= PvmDataInPlace; c.encoding++)
            for (c.type = 0; c.type <= STRING; c.type++)
                walk_sizes(&c, play);
    return c.number;
}

static void options_set(const char *route, const char *fragment)
{
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmRoute, atoi(route));
    if (atoi(fragment) > 0 && pvm_setopt(PvmFragSize, atoi(fragment)) < 0)
        fail("cannot set the fragment size");
}

static void listener_start(char **argv)
{
    options_set(argv[2], argv[3]);
    printf("tid %x\n", (unsigned)pvm_mytid());
    pvm_bufinfo(pvm_recv(-1, 0), NULL, NULL, &listeners[0]);
    pvm_upkint(&largest, 1, 1);
    listener_count = 1;
}

static void talker_start(int argc, char **argv)
{
    options_set(argv[2], argv[3]);
    largest = atoi(argv[4]);
    for (int i = 5; i < argc && i < 5 + MOST_LISTENERS; i++)
        listeners[listener_count++] = (int)strtol(argv[i], NULL, 16);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&largest, 1, 1);
    pvm_mcast(listeners, listener_count, 0);
}

int main(int argc, char **argv)
{
    int talks = argc > 5 && strcmp(argv[1], "talk") == 0;

    if (!talks && (argc != 4 || strcmp(argv[1], "listen") != 0)) {
        fprintf(stderr, "usage: converse listen ROUTE FRAGMENT\n"
                        "       converse talk ROUTE FRAGMENT LARGEST HEX...\n");
        return 2;
    }
    if (pvm_mytid() < 0)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (talks)
        talker_start(argc, argv);
    else
        listener_start(argv);
    memory = malloc(((size_t)largest + LARGEST_ELEMENT) * MOST_STRIDE * 4);
    if (!memory)
        fail("no memory");
    printf("verified %d\n", walk(talks ? talk : listen_once));
    free(memory);
    pvm_exit();
    return 0;
}
