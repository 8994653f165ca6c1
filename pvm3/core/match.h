/*
 * match.h - messages that have arrived and wait to be received, and how a receive chooses among
 * them.
 *
 * The first to arrive that matches wins. A receive that names context and source looks only at
 * messages of a bucket (paper 004, hashed selective receive); one with a wildcard looks at all, in
 * order of arrival. One caller at a time.
 */
#ifndef CORE_MATCH_H
#define CORE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/message.h"

#define PATTERN_ANY (-1)

/* What a receive asks for. */
struct pattern {
    uint32_t source; /* TID_ANY: any */
    int32_t tag;     /* PATTERN_ANY: any */
    int32_t context; /* PATTERN_ANY: any */
    int32_t wait;    /* not 0: an answer that carries this wait id */
};

bool pattern_matches(const struct pattern *pattern, const struct message_header *header);

struct match_bucket {
    struct message *first;
    struct message *last;
};

struct match_queue {
    struct message *first; /* by `next` and `previous`, in order of arrival */
    struct message *last;
    size_t count;
    struct match_bucket *buckets; /* by context and source; in each, order of arrival */
    size_t bucket_count;          /* a power of two, or 0 before the first message */
};

void match_queue_start(struct match_queue *queue);

/* Frees the messages that are still queued. */
void match_queue_finish(struct match_queue *queue);

/*
 * Appends `message`, which the queue owns until it is removed. Growing the table fails softly: it
 * stays as it is.
 */
int match_queue_add(struct match_queue *queue, struct message *message);

/* The first message that matches, still queued; NULL when there is none. */
struct message *match_queue_find(const struct match_queue *queue, const struct pattern *pattern);

/* Takes `message`, which is queued, out; it is the caller's. */
void match_queue_remove(struct match_queue *queue, struct message *message);

#endif
