/* Steps on buffers: packing, unpacking, and which are active. */
#include "steps.h"
#include <stdio.h>

extern int pvm_errno;

enum { ITEMS = 64 };

/* What is told of a result that is a buffer id, or an error. */
static int some(int result)
{
    return result > 0 ? 1 : result;
}

/* Packs a[2] items of type a[0], whose values begin with a[1], with the stride a[3]. Packs
 * four times as many bytes: 3.4.6 fills up a word with whatever lies in its memory. */
static int pack(struct steps *steps, const int *a)
{
    int ints[ITEMS], first = a[1];
    short shorts[ITEMS];
    double doubles[ITEMS];
    char bytes[ITEMS], text[ITEMS];

    (void)steps;
    for (int i = 0; i < ITEMS; i++) {
        ints[i] = first + i;
        shorts[i] = (short)(first + i);
        doubles[i] = first + i / 2.0;
        bytes[i] = (char)(first + i);
    }
    snprintf(text, sizeof text, "text: %d", first);
    switch (a[0]) {
    case 0: return pvm_pkint(ints, a[2], a[3]);
    case 1: return pvm_pkshort(shorts, a[2], a[3]);
    case 2: return pvm_pkdouble(doubles, a[2], a[3]);
    case 3: return pvm_pkbyte(bytes, 4 * a[2], a[3]);
    default: return pvm_pkstr(text);
    }
}

/* Unpacks a[1] items of type a[0] with the stride a[2]. */
static int unpack(struct steps *steps, const int *a)
{
    int ints[ITEMS] = {0}, type = a[0], result;
    short shorts[ITEMS] = {0};
    double doubles[ITEMS] = {0};
    char bytes[ITEMS] = {0};

    switch (type) {
    case 0: result = pvm_upkint(ints, a[1], a[2]); break;
    case 1: result = pvm_upkshort(shorts, a[1], a[2]); break;
    case 2: result = pvm_upkdouble(doubles, a[1], a[2]); break;
    default: result = pvm_upkbyte(bytes, a[1], a[2]); break;
    }
    for (int i = 0; i < a[1] * a[2] && result >= 0; i++)
        printf(" %g", type == 0   ? value_of(steps, ints[i])
                      : type == 1 ? shorts[i]
                      : type == 2 ? doubles[i]
                                  : bytes[i]);
    return result;
}

/* Bytes of a buffer, or an error. */
static int length_of(int buffer)
{
    int bytes = -9, result = pvm_bufinfo(buffer, &bytes, NULL, NULL);

    pvm_errno = 0;
    return result < 0 ? result : bytes;
}

static int initsend(struct steps *steps, const int *a)
{
    (void)steps;
    return some(pvm_initsend(a[0]));
}

static int make(struct steps *steps, const int *a)
{
    return steps->buffers[a[0]] ? 0 : some(steps->buffers[a[0]] = pvm_mkbuf(a[1]));
}

static int release(struct steps *steps, const int *a)
{
    int result = pvm_freebuf(steps->buffers[a[0]]);

    steps->buffers[a[0]] = 0;
    return result;
}

/* Makes the buffer of slot a[0] the current one, and puts the former one into slot a[1]. */
static int exchange(struct steps *steps, const int *a, int (*set)(int))
{
    if (a[0] != a[1] && steps->buffers[a[1]])
        return 0;
    int old = set(steps->buffers[a[0]]);
    if (old >= 0) {
        steps->buffers[a[0]] = 0;
        steps->buffers[a[1]] = old;
    }
    return some(old);
}

/* 3.4.6 forgets the length of one that was packed, unless it was asked for before. */
static int set_send(struct steps *steps, const int *a)
{
    length_of(pvm_getsbuf());
    return exchange(steps, a, pvm_setsbuf);
}

static int set_receive(struct steps *steps, const int *a)
{
    return exchange(steps, a, pvm_setrbuf);
}

static int get_send(struct steps *steps, const int *a)
{
    (void)a;
    return show(steps, pvm_getsbuf());
}

static int get_receive(struct steps *steps, const int *a)
{
    (void)a;
    return show(steps, pvm_getrbuf());
}

static int look(struct steps *steps, const int *a)
{
    return show(steps, steps->buffers[a[0]]);
}

/* 3.4.6 packs an empty one that was the send buffer in a way that it cannot unpack. */
static int pack_message(struct steps *steps, const int *a)
{
    int buffer = steps->buffers[a[0]];

    return length_of(buffer) == 0 ? 0 : pvm_pkmesg(buffer);
}

static int pack_body(struct steps *steps, const int *a)
{
    return pvm_pkmesgbody(steps->buffers[a[0]]);
}

static int unpack_message(struct steps *steps, const int *a)
{
    if (steps->buffers[a[0]])
        return 0;
    int buffer = pvm_upkmesg();
    if (buffer > 0)
        steps->buffers[a[0]] = buffer;
    return show(steps, buffer);
}

const struct step buffer_steps[] = {
    {"pack", pack},           {"unpack", unpack},
    {"initsend", initsend},   {"mkbuf", make},
    {"freebuf", release},     {"setsbuf", set_send},
    {"setrbuf", set_receive}, {"getsbuf", get_send},
    {"getrbuf", get_receive}, {"bufinfo", look},
    {"pkmesg", pack_message}, {"pkmesgbody", pack_body},
    {"upkmesg", unpack_message}, {NULL, NULL},
};
