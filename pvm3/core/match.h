/*
 * match.h - messages that have arrived and wait to be received, and how a receive chooses among
 * them.
 *
 * The first to arrive that matches wins. A short queue is looked through in order of arrival. A
 * long one has hash tables, as the Communication Kernel had (ck/endpoint/endpoint.h): one for each
 * class of patterns that receives have asked with, in which the messages of one key are a list. A
 * table takes in a message when a receive of its class passes it by: so what is received in order
 * of arrival enters none, and what a receive costs depends neither on how many messages of other
 * sources and tags are queued nor on whether it names both. A table's size follows the number of
 * keys, and it is given up when the queue is short again. Only patterns that leave the context open
 * are looked for in order of arrival. One caller at a time.
 */
#ifndef CORE_MATCH_H
#define CORE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/message.h"

#define PATTERN_ANY        (-1)
#define PATTERN_ANY_SOURCE 0xffffffffu /* no message has this source */

/* What a receive asks for. */
struct pattern {
    uint32_t source; /* PATTERN_ANY_SOURCE: any */
    int32_t tag;     /* PATTERN_ANY: any */
    int32_t context; /* PATTERN_ANY: any */
    int32_t wait;    /* not 0: an answer that carries this wait id */
};

/* What a pattern names. The first MATCH_TABLES of them have a context, and bits for the rest. */
enum pattern_class {
    PATTERN_OF_CONTEXT = 0,
    PATTERN_OF_SOURCE = 1,
    PATTERN_OF_TAG = 2,
    PATTERN_OF_BOTH = PATTERN_OF_SOURCE | PATTERN_OF_TAG,
    PATTERN_OF_ANY_CONTEXT, /* whatever else */
    PATTERN_OF_ANSWER,      /* a wait id, whatever else */
    PATTERN_CLASSES,
};

static inline bool pattern_matches(const struct pattern *pattern,
                                   const struct message_header *header)
{
    return (pattern->source == PATTERN_ANY_SOURCE || pattern->source == header->source) &&
           (pattern->tag == PATTERN_ANY || pattern->tag == header->tag) &&
           (pattern->context == PATTERN_ANY || pattern->context == header->context) &&
           (pattern->wait == 0 || pattern->wait == header->wait);
}

enum pattern_class pattern_class(const struct pattern *pattern);

/* The pattern that names everything of a message. */
struct pattern pattern_of(const struct message_header *header);

/*
 * A hash, of which any number of the lowest bits may be used. Patterns that agree in what the class
 * names (nothing, for PATTERN_OF_ANY_CONTEXT) have equal hashes.
 */
uint32_t pattern_hash(enum pattern_class class, const struct pattern *pattern);

/* It has the messages of the queue that are in front of `rest`. */
struct match_table {
    struct match_key **buckets; /* lists of keys; NULL: none yet */
    size_t bucket_count;        /* a power of two */
    size_t keys;
    struct message *rest; /* the first message that is not in the table; NULL: all are */
};

struct match_queue {
    struct message *first; /* by `next` and `previous`, in order of arrival */
    struct message *last;
    size_t count;
    size_t compared; /* keys and messages that were compared with what was looked for, so far */
    unsigned used;   /* bits by class: tables that are in use; the others are empty */
    size_t spare_count;
    struct match_key *spare;
    struct match_table tables[MATCH_TABLES]; /* by class of patterns */
};

void match_queue_start(struct match_queue *queue);

/* Frees the messages that are still queued. */
void match_queue_finish(struct match_queue *queue);

/* Appends `message`, which the queue owns until it is removed. Takes no memory. */
void match_queue_add(struct match_queue *queue, struct message *message);

/*
 * Inserts `message` in front of the first message that arrived later, by `arrival`, which rises
 * through the queue. Looks through the whole queue at most.
 */
void match_queue_put_back(struct match_queue *queue, struct message *message);

/*
 * The first message that matches, still queued; NULL if none matches. Without memory for a table
 * it takes longer.
 */
struct message *match_queue_find(struct match_queue *queue, const struct pattern *pattern);

/* Takes `message`, which is queued, out; it is the caller's. */
void match_queue_remove(struct match_queue *queue, struct message *message);

#endif
