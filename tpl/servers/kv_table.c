/* kv_table.c - the table of a node of kv.c. Entries stay: a deleted key leaves its version. */
#include <pthread.h>
#include <stdlib.h>

#include "kv_table.h"

#define BUCKETS 4096

struct entry {
    struct entry *next;
    struct kv_item item;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *table[BUCKETS];

unsigned table_hash(const char *key)
{
    unsigned hash = 2166136261U; /* FNV-1a */
    while (*key)
        hash = (hash ^ (unsigned char)*key++) * 16777619U;
    return hash;
}

/* The link to the entry of a key, to NULL if there is none. */
static struct entry **find(const char *key)
{
    struct entry **link = &table[table_hash(key) % BUCKETS];
    while (*link && strcmp((*link)->item.key, key) != 0)
        link = &(*link)->next;
    return link;
}

bool table_get(struct kv_item *item)
{
    pthread_mutex_lock(&lock);
    const struct entry *entry = *find(item->key);
    bool found = entry && !entry->item.deleted;
    if (found)
        memcpy(item, &entry->item, kv_size(&entry->item));
    pthread_mutex_unlock(&lock);
    return found;
}

bool table_put(struct kv_item *item)
{
    pthread_mutex_lock(&lock);
    struct entry **link = find(item->key);
    struct entry *entry = *link ? *link : (*link = calloc(1, sizeof *entry));
    if (entry && item->version == 0)
        item->version = entry->item.version + 1;
    if (entry && item->version > entry->item.version)
        memcpy(&entry->item, item, kv_size(item));
    pthread_mutex_unlock(&lock);
    return entry;
}

void table_visit(void (*visit)(const struct kv_item *item))
{
    for (int i = 0; i < BUCKETS; i++) {
        pthread_mutex_lock(&lock);
        for (const struct entry *entry = table[i]; entry; entry = entry->next) {
            const struct kv_item item = entry->item;
            pthread_mutex_unlock(&lock);
            visit(&item);
            pthread_mutex_lock(&lock);
        }
        pthread_mutex_unlock(&lock);
    }
}
