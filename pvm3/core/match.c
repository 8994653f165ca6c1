/* match.c - a list in order of arrival, and hash tables of shorter ones. */
#include "core/match.h"

#include <stdlib.h>
#include <string.h>

#include "core/tid.h"

/* A queue that is longer gets tables; one of half the length loses them. */
#define QUEUE_SHORT 8

#define BUCKETS_LEAST 64

/* A table has at most one key a bucket, and more than one for so many buckets. */
#define BUCKETS_PER_KEY_MOST 8

bool pattern_matches(const struct pattern *pattern, const struct message_header *header)
{
    return (pattern->source == TID_ANY || pattern->source == header->source) &&
           (pattern->tag == PATTERN_ANY || pattern->tag == header->tag) &&
           (pattern->context == PATTERN_ANY || pattern->context == header->context) &&
           (pattern->wait == 0 || pattern->wait == header->wait);
}

enum pattern_class pattern_class(const struct pattern *pattern)
{
    if (pattern->wait != 0)
        return PATTERN_OF_ANSWER;
    if (pattern->context == PATTERN_ANY)
        return PATTERN_OF_ANY_CONTEXT;
    return (pattern->source != TID_ANY ? PATTERN_OF_SOURCE : 0) |
           (pattern->tag != PATTERN_ANY ? PATTERN_OF_TAG : 0);
}

struct pattern pattern_of(const struct message_header *header)
{
    return (struct pattern){header->source, header->tag, header->context, header->wait};
}

/*
 * Multiplication by a large odd number carries bits up (Fibonacci hashing), the shift brings them
 * back down; twice, since tids and tags differ in few bits, and any of them.
 */
static uint32_t match_mix(uint64_t bits)
{
    for (int i = 0; i < 2; i++) {
        bits *= 0x9e3779b97f4a7c15u;
        bits ^= bits >> 32;
    }
    return (uint32_t)bits;
}

uint32_t pattern_hash(enum pattern_class class, const struct pattern *pattern)
{
    if (class == PATTERN_OF_ANY_CONTEXT)
        return 0;
    if (class == PATTERN_OF_ANSWER)
        return match_mix((uint32_t)pattern->wait);
    uint64_t key = class & PATTERN_OF_SOURCE ? pattern->source : 0;
    key |= class & PATTERN_OF_TAG ? (uint64_t)(uint32_t)pattern->tag << 32 : 0;
    return match_mix(key ^ (uint64_t)(uint32_t)pattern->context << 16);
}

void match_queue_start(struct match_queue *queue)
{
    *queue = (struct match_queue){0};
}

void match_queue_finish(struct match_queue *queue)
{
    while (queue->first) {
        struct message *message = queue->first;
        queue->first = message->next;
        message_free(message);
    }
    for (int i = 0; i < MATCH_TABLES; i++)
        free(queue->tables[i].buckets);
    match_queue_start(queue);
}

/* True for a message whose key in the table of that class is what `key` names. */
static bool match_has_key(const struct message *message, enum pattern_class class,
                          const struct pattern *key)
{
    const struct message_header *header = &message->header;
    return header->context == key->context &&
           (!(class & PATTERN_OF_SOURCE) || header->source == key->source) &&
           (!(class & PATTERN_OF_TAG) || header->tag == key->tag);
}

/* Where the first message of a key is entered in the table, or would be. */
static struct message **match_place(struct match_queue *queue, enum pattern_class class,
                                    const struct pattern *key)
{
    const struct match_table *table = &queue->tables[class];
    struct message **place = &table->buckets[pattern_hash(class, key) & (table->bucket_count - 1)];
    while (*place) {
        queue->compared++;
        if (match_has_key(*place, class, key))
            break;
        place = &(*place)->places[class].other;
    }
    return place;
}

/* Gives the table another number of buckets. False when memory is short: it stays as it is. */
static bool match_resize(struct match_table *table, enum pattern_class class, size_t count)
{
    struct message **buckets = calloc(count, sizeof(struct message *));
    if (!buckets)
        return false;
    for (size_t i = 0; i < table->bucket_count; i++) {
        struct message *message = table->buckets[i];
        while (message) {
            struct message *other = message->places[class].other;
            const struct pattern key = pattern_of(&message->header);
            struct message **bucket = &buckets[pattern_hash(class, &key) & (count - 1)];
            message->places[class].other = *bucket;
            *bucket = message;
            message = other;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->bucket_count = count;
    return true;
}

static void match_enter(struct match_queue *queue, enum pattern_class class,
                        struct message *message)
{
    struct match_table *table = &queue->tables[class];
    struct match_place *mine = &message->places[class];
    const struct pattern key = pattern_of(&message->header);
    struct message **place = match_place(queue, class, &key);
    struct message *first = *place;
    mine->next = mine->other = NULL;
    if (first) {
        mine->previous = first->places[class].previous;
        mine->previous->places[class].next = message;
        first->places[class].previous = message;
        return;
    }
    mine->previous = message;
    *place = message;
    if (++table->keys > table->bucket_count)
        match_resize(table, class, 2 * table->bucket_count);
}

static void match_leave(struct match_queue *queue, enum pattern_class class,
                        struct message *message)
{
    struct match_table *table = &queue->tables[class];
    const struct match_place *mine = &message->places[class];
    struct match_place *before = &mine->previous->places[class];
    if (before->next && mine->next) { /* in the middle */
        before->next = mine->next;
        mine->next->places[class].previous = mine->previous;
        return;
    }
    const struct pattern key = pattern_of(&message->header);
    struct message **place = match_place(queue, class, &key);
    if (*place != message) { /* the last one, to which the first leads */
        before->next = NULL;
        (*place)->places[class].previous = mine->previous;
    } else if (mine->next) {
        mine->next->places[class].previous = mine->previous;
        mine->next->places[class].other = mine->other;
        *place = mine->next;
    } else {
        *place = mine->other;
        if (--table->keys < table->bucket_count / BUCKETS_PER_KEY_MOST &&
            table->bucket_count > BUCKETS_LEAST)
            match_resize(table, class, table->bucket_count / 2);
    }
}

/* True when the table has all messages now. */
static bool match_use_table(struct match_queue *queue, enum pattern_class class)
{
    struct match_table *table = &queue->tables[class];
    if (table->used || queue->count <= QUEUE_SHORT)
        return table->used;
    if (!table->buckets && !match_resize(table, class, BUCKETS_LEAST))
        return false;
    table->used = true;
    for (struct message *message = queue->first; message; message = message->next)
        match_enter(queue, class, message);
    return true;
}

/* What the table took, it has given back when keys left; the rest stays for the next time. */
static void match_give_up_table(struct match_table *table)
{
    if (table->used)
        memset(table->buckets, 0, table->bucket_count * sizeof(struct message *));
    table->used = false;
    table->keys = 0;
}

void match_queue_add(struct match_queue *queue, struct message *message)
{
    message->next = NULL;
    message->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = message;
    queue->last = message;
    queue->count++;
    for (enum pattern_class kind = 0; kind < MATCH_TABLES; kind++)
        if (queue->tables[kind].used)
            match_enter(queue, kind, message);
}

struct message *match_queue_find(struct match_queue *queue, const struct pattern *pattern)
{
    if (!queue->first)
        return NULL;
    enum pattern_class class = pattern_class(pattern);
    if (class < MATCH_TABLES && match_use_table(queue, class))
        return *match_place(queue, class, pattern);
    struct message *message = queue->first;
    while (message) {
        queue->compared++;
        if (pattern_matches(pattern, &message->header))
            break;
        message = message->next;
    }
    return message;
}

void match_queue_remove(struct match_queue *queue, struct message *message)
{
    *(message->previous ? &message->previous->next : &queue->first) = message->next;
    *(message->next ? &message->next->previous : &queue->last) = message->previous;
    message->next = message->previous = NULL;
    queue->count--;
    for (enum pattern_class kind = 0; kind < MATCH_TABLES; kind++) {
        if (queue->tables[kind].used)
            match_leave(queue, kind, message);
        if (queue->count == QUEUE_SHORT / 2)
            match_give_up_table(&queue->tables[kind]);
    }
}
