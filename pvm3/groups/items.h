/*
 * items.h - the items that reduce, gather and scatter move: their sizes, and packing and unpacking
 * them.
 */
#ifndef GROUPS_ITEMS_H
#define GROUPS_ITEMS_H

#include <stddef.h>

struct groups_call;

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

/* Block `place` of an array of blocks, the first of which is `items`. */
struct items items_block(const struct items *items, int place);

/* What reduce is given: makes x of x and y. An error is put into *info. */
typedef void items_function(int *type, void *x, void *y, int *count, int *info);

/* Combines `arrived` into `own`. Returns 0, or the error of `function`. */
int items_combine(items_function *function, const struct items *own, const struct items *arrived);

/* Into the active send buffer; out of the active receive buffer. 0 or an error of libpvm3. */
int items_pack(const struct items *items);
int items_unpack(const struct items *items);

/*
 * In a new default message with `tag` in the thread's context; `items_receive` takes the next of
 * `source`, or returns PvmNoTask if `source` has ended and there is none.
 */
int items_send(const struct items *items, int tid, int tag);
int items_receive(struct groups_call *call, const struct items *items, int source, int tag);

#endif
