/*
 * wide_items.h - items in messages that libraries of ours alone read.
 *
 * The default encoding has 32 bits for a long, and refuses larger ones. Here a long travels as two
 * ints, so that a sum of longs can reach all members. Other items travel as they do in items.h.
 */
#ifndef GROUPS_WIDE_ITEMS_H
#define GROUPS_WIDE_ITEMS_H

#include "groups/items.h"

/* 0 or an error of libpvm3. PvmOverflow: a long of another machine does not fit into one of ours. */
int wide_items_pack(const struct items *items);
int wide_items_unpack(const struct items *items);

#endif
