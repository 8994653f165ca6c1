/* match.c - a list in order of arrival, and a hash table of shorter ones. */
#include "core/match.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/tid.h"

#define BUCKETS_FIRST 16

bool pattern_matches(const struct pattern *pattern, const struct message_header *header)
{
    return (pattern->source == TID_ANY || pattern->source == header->source) &&
           (pattern->tag == PATTERN_ANY || pattern->tag == header->tag) &&
           (pattern->context == PATTERN_ANY || pattern->context == header->context) &&
           (pattern->wait == 0 || pattern->wait == header->wait);
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
    free(queue->buckets);
    match_queue_start(queue);
}

static struct match_bucket *match_bucket(const struct match_queue *queue, int32_t context,
                                         uint32_t source)
{
    /*
     * Multiplication by a large odd number spreads tids, which differ in few bits (Fibonacci
     * hashing).
     */
    uint64_t key = (uint64_t)(uint32_t)context << 32 | source;
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    return &queue->buckets[(hash >> 32) & (queue->bucket_count - 1)];
}

static void match_bucket_add(const struct match_queue *queue, struct message *message)
{
    struct match_bucket *bucket =
        match_bucket(queue, message->header.context, message->header.source);
    message->bucket_next = NULL;
    message->bucket_previous = bucket->last;
    *(bucket->last ? &bucket->last->bucket_next : &bucket->first) = message;
    bucket->last = message;
}

static int match_queue_grow(struct match_queue *queue)
{
    size_t count = queue->bucket_count ? 2 * queue->bucket_count : BUCKETS_FIRST;
    struct match_bucket *buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return PvmNoMem;
    free(queue->buckets);
    queue->buckets = buckets;
    queue->bucket_count = count;
    for (struct message *message = queue->first; message; message = message->next)
        match_bucket_add(queue, message);
    return 0;
}

int match_queue_add(struct match_queue *queue, struct message *message)
{
    if (queue->count >= queue->bucket_count && match_queue_grow(queue) < 0 &&
        queue->bucket_count == 0)
        return PvmNoMem;
    message->next = NULL;
    message->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = message;
    queue->last = message;
    queue->count++;
    match_bucket_add(queue, message);
    return 0;
}

struct message *match_queue_find(const struct match_queue *queue, const struct pattern *pattern)
{
    if (queue->count == 0)
        return NULL;
    if (pattern->source == TID_ANY || pattern->context == PATTERN_ANY) {
        for (struct message *message = queue->first; message; message = message->next)
            if (pattern_matches(pattern, &message->header))
                return message;
        return NULL;
    }
    struct message *message = match_bucket(queue, pattern->context, pattern->source)->first;
    while (message && !pattern_matches(pattern, &message->header))
        message = message->bucket_next;
    return message;
}

void match_queue_remove(struct match_queue *queue, struct message *message)
{
    struct match_bucket *bucket =
        match_bucket(queue, message->header.context, message->header.source);
    *(message->bucket_previous ? &message->bucket_previous->bucket_next : &bucket->first) =
        message->bucket_next;
    *(message->bucket_next ? &message->bucket_next->bucket_previous : &bucket->last) =
        message->bucket_previous;
    *(message->previous ? &message->previous->next : &queue->first) = message->next;
    *(message->next ? &message->next->previous : &queue->last) = message->previous;
    message->next = message->previous = message->bucket_next = message->bucket_previous = NULL;
    queue->count--;
}
