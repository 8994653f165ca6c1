/*
 * kv_table.h - what clients and nodes of kv.c say to each other, and the table of a node.
 *
 * A key or a value is a text that ends with a zero byte; of a value as much travels as there is.
 */
#ifndef KV_TABLE_H
#define KV_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { KV_PUT = 1, KV_GET, KV_DELETE, KV_COPY };

struct kv_item {
    unsigned version; /* the nodes' own, from 1; 0 asks for the next one */
    int deleted;
    char key[64], value[1024];
};

static inline size_t kv_size(const struct kv_item *item)
{
    return offsetof(struct kv_item, value) + strlen(item->value) + 1;
}

/* Takes what came, which may be anything. */
static inline bool kv_read(struct kv_item *item, const void *data, size_t size)
{
    if (size <= offsetof(struct kv_item, value) || size > sizeof *item)
        return false;
    memcpy(item, data, size);
    return ((const char *)data)[size - 1] == 0 && memchr(item->key, 0, sizeof item->key);
}

unsigned table_hash(const char *key);

/* The table may be used by several threads. */

/* Fills in the rest of an item whose key is given. False if there is none, or a deleted one. */
bool table_get(struct kv_item *item);

/* Keeps an item unless what is there is newer, and gives it its version. False without memory. */
bool table_put(struct kv_item *item);

/* Calls the function for each item, deleted ones among them. */
void table_visit(void (*visit)(const struct kv_item *item));

#endif
