/* match.c - a list in order of arrival, and hash tables of what receives passed by. */
#include "core/match.h"

#include <stdlib.h>

/* A longer queue gets tables; a queue of half this length loses its tables. */
#define QUEUE_SHORT 8

/* Keys that are kept for the next messages. */
#define KEYS_SPARE_MOST 64

#define BUCKETS_LEAST 64

/* A table has at most one key a bucket, and more than one for so many buckets. */
#define BUCKETS_PER_KEY_MOST 8

enum pattern_class pattern_class(const struct pattern *pattern)
{
    if (pattern->wait != 0)
        return PATTERN_OF_ANSWER;
    if (pattern->context == PATTERN_ANY)
        return PATTERN_OF_ANY_CONTEXT;
    return (pattern->source != PATTERN_ANY_SOURCE ? PATTERN_OF_SOURCE : 0) |
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

/* The messages of one key, in a table; there is at least one. */
struct match_key {
    struct pattern pattern; /* what they agree in, with whatever else the first one had */
    uint32_t hash;
    struct message *first; /* by `next` and `previous` of their places, in order of arrival */
    struct message *last;
    struct match_key *next;   /* in its bucket, or among the spare ones */
    struct match_key **place; /* what leads to it in its bucket */
};

void match_queue_start(struct match_queue *queue)
{
    *queue = (struct match_queue){0};
}

static void match_free_keys(struct match_key *key)
{
    while (key) {
        struct match_key *next = key->next;
        free(key);
        key = next;
    }
}

void match_queue_finish(struct match_queue *queue)
{
    while (queue->first) {
        struct message *message = queue->first;
        queue->first = message->next;
        message_free(message);
    }
    for (int i = 0; i < MATCH_TABLES; i++) {
        for (size_t j = 0; j < queue->tables[i].bucket_count; j++)
            match_free_keys(queue->tables[i].buckets[j]);
        free(queue->tables[i].buckets);
    }
    match_free_keys(queue->spare);
    match_queue_start(queue);
}

static struct match_key *match_new_key(struct match_queue *queue)
{
    struct match_key *key = queue->spare;
    if (!key)
        return malloc(sizeof *key);
    queue->spare = key->next;
    queue->spare_count--;
    return key;
}

static void match_drop_key(struct match_queue *queue, struct match_key *key)
{
    if (queue->spare_count >= KEYS_SPARE_MOST) {
        free(key);
        return;
    }
    key->next = queue->spare;
    queue->spare = key;
    queue->spare_count++;
}

static void match_link_key(struct match_key **place, struct match_key *key)
{
    key->place = place;
    key->next = *place;
    if (key->next)
        key->next->place = &key->next;
    *place = key;
}

/* Gives the table another number of buckets. False when memory is short: it stays as it is. */
static bool match_resize(struct match_table *table, size_t count)
{
    struct match_key **buckets = calloc(count, sizeof(struct match_key *));
    if (!buckets)
        return false;
    for (size_t i = 0; i < table->bucket_count; i++) {
        struct match_key *key = table->buckets[i];
        while (key) {
            struct match_key *next = key->next;
            match_link_key(&buckets[key->hash & (count - 1)], key);
            key = next;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->bucket_count = count;
    return true;
}

/* The key that has what the class names of `pattern`, whose hash is given; NULL: none. */
static struct match_key *match_find_key(struct match_queue *queue, enum pattern_class class,
                                        const struct pattern *pattern, uint32_t hash)
{
    const struct match_table *table = &queue->tables[class];
    struct match_key *key = table->buckets[hash & (table->bucket_count - 1)];
    for (; key; key = key->next) {
        queue->compared++;
        if (key->pattern.context == pattern->context &&
            (!(class & PATTERN_OF_SOURCE) || key->pattern.source == pattern->source) &&
            (!(class & PATTERN_OF_TAG) || key->pattern.tag == pattern->tag))
            break;
    }
    return key;
}

/* Takes in `message`, the last one so far. False when memory is short. */
static bool match_enter(struct match_queue *queue, enum pattern_class class,
                        struct message *message)
{
    struct match_table *table = &queue->tables[class];
    const struct pattern pattern = pattern_of(&message->header);
    uint32_t hash = pattern_hash(class, &pattern);
    struct match_key *key = match_find_key(queue, class, &pattern, hash);
    if (!key) {
        key = match_new_key(queue);
        if (!key)
            return false;
        key->pattern = pattern;
        key->hash = hash;
        key->first = key->last = NULL;
        if (++table->keys > table->bucket_count)
            match_resize(table, 2 * table->bucket_count);
        match_link_key(&table->buckets[hash & (table->bucket_count - 1)], key);
    }
    message->places[class] = (struct match_place){.previous = key->last, .key = key};
    *(key->last ? &key->last->places[class].next : &key->first) = message;
    key->last = message;
    message->entered |= 1u << class;
    return true;
}

static void match_leave(struct match_queue *queue, enum pattern_class class,
                        struct message *message)
{
    struct match_table *table = &queue->tables[class];
    const struct match_place *mine = &message->places[class];
    struct match_key *key = mine->key;
    *(mine->previous ? &mine->previous->places[class].next : &key->first) = mine->next;
    *(mine->next ? &mine->next->places[class].previous : &key->last) = mine->previous;
    message->entered &= ~(1u << class);
    if (key->first)
        return;
    *key->place = key->next;
    if (key->next)
        key->next->place = key->place;
    match_drop_key(queue, key);
    if (--table->keys < table->bucket_count / BUCKETS_PER_KEY_MOST &&
        table->bucket_count > BUCKETS_LEAST)
        match_resize(table, table->bucket_count / 2);
}

/* True when the table is in use now. */
static bool match_use_table(struct match_queue *queue, enum pattern_class class)
{
    struct match_table *table = &queue->tables[class];
    if (queue->used & 1u << class)
        return true;
    if (queue->count <= QUEUE_SHORT || (!table->buckets && !match_resize(table, BUCKETS_LEAST)))
        return false;
    queue->used |= 1u << class;
    table->rest = queue->first;
    return true;
}

/* Few messages are left. The buckets stay for the next time. */
static void match_give_up_tables(struct match_queue *queue)
{
    for (enum pattern_class kind = 0; kind < MATCH_TABLES; kind++)
        for (struct message *message = queue->first; message; message = message->next)
            if (message->entered & 1u << kind)
                match_leave(queue, kind, message);
    queue->used = 0;
}

void match_queue_add(struct match_queue *queue, struct message *message)
{
    message->entered = 0;
    message->next = NULL;
    message->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = message;
    queue->last = message;
    queue->count++;
    for (unsigned used = queue->used; used; used &= used - 1) {
        struct match_table *table = &queue->tables[__builtin_ctz(used)];
        if (!table->rest)
            table->rest = message;
    }
}

void match_queue_put_back(struct match_queue *queue, struct message *message)
{
    struct message *behind = queue->first;
    while (behind && behind->arrival < message->arrival)
        behind = behind->next;
    if (!behind) {
        match_queue_add(queue, message);
        return;
    }
    match_give_up_tables(queue);
    message->entered = 0;
    message->next = behind;
    message->previous = behind->previous;
    *(behind->previous ? &behind->previous->next : &queue->first) = message;
    behind->previous = message;
    queue->count++;
}

/* The first message from `message` on that matches. */
static struct message *match_look_through(struct match_queue *queue, struct message *message,
                                          const struct pattern *pattern)
{
    for (; message; message = message->next) {
        queue->compared++;
        if (pattern_matches(pattern, &message->header))
            break;
    }
    return message;
}

/*
 * The first message of the queue that matches, by the table of its class, which takes in the
 * messages that do not match.
 */
static struct message *match_look_up(struct match_queue *queue, enum pattern_class class,
                                     const struct pattern *pattern)
{
    struct match_table *table = &queue->tables[class];
    const struct match_key *key =
        match_find_key(queue, class, pattern, pattern_hash(class, pattern));
    if (key)
        return key->first;
    while (table->rest) {
        queue->compared++;
        if (pattern_matches(pattern, &table->rest->header))
            return table->rest;
        if (!match_enter(queue, class, table->rest))
            return match_look_through(queue, table->rest, pattern);
        table->rest = table->rest->next;
    }
    return NULL;
}

struct message *match_queue_find(struct match_queue *queue, const struct pattern *pattern)
{
    if (!queue->first)
        return NULL;
    enum pattern_class class = pattern_class(pattern);
    if (class < MATCH_TABLES && match_use_table(queue, class))
        return match_look_up(queue, class, pattern);
    return match_look_through(queue, queue->first, pattern);
}

void match_queue_remove(struct match_queue *queue, struct message *message)
{
    for (unsigned used = queue->used; used; used &= used - 1) {
        enum pattern_class kind = (enum pattern_class)__builtin_ctz(used);
        if (message->entered & 1u << kind)
            match_leave(queue, kind, message);
        else if (queue->tables[kind].rest == message)
            queue->tables[kind].rest = message->next;
    }
    *(message->previous ? &message->previous->next : &queue->first) = message->next;
    *(message->next ? &message->next->previous : &queue->last) = message->previous;
    message->next = message->previous = NULL;
    queue->count--;
    if (queue->used && queue->count == QUEUE_SHORT / 2)
        match_give_up_tables(queue);
}
