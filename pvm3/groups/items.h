/*
 * items.h - the items that reduce, gather and scatter move: their sizes, and packing and unpacking
 * them.
 */
#ifndef GROUPS_ITEMS_H
#define GROUPS_ITEMS_H

#include <stddef.h>

/*
 * `count` items of a PVM_ type at `data`. Text (PVM_STR) of count n is a string of at most n bytes
 * with its NUL.
 */
struct items {
    void *data;
    int count;
    int type;
};

/* Bytes of one item; 0 for a type that these calls do not take (the unsigned ones, as in 3.4.6). */
size_t items_size(int type);

/* Bytes of all. */
size_t items_bytes(const struct items *items);

/* Into the active send buffer; out of the active receive buffer. 0 or an error of libpvm3. */
int items_pack(const struct items *items);
int items_unpack(const struct items *items);

/*
 * In a new default message with `tag` in the thread's context; `items_receive` takes the next of
 * `source`.
 */
int items_send(const struct items *items, int tid, int tag);
int items_receive(const struct items *items, int source, int tag);

#endif
