/*
 * message.h - a message: a header, and a body that grows at its end and is shared without copies.
 *
 * The body is a list of segments, which are slices of chunks. A segment is one fragment of 3.4.6,
 * or a run of several that lie one behind the other: a fragment is packed to its capacity, travels
 * in one frame, and no item of the default encoding crosses from one to the next. So
 * what is packed and unpacked at once is copied at once, and still goes out in the frames of 3.4.6.
 *
 * A message is owned by one caller at a time. A *view* is a message that shares the chunks of
 * another as they were at that moment: appending to the original afterwards never changes it.
 */
#ifndef CORE_MESSAGE_H
#define CORE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cache_line.h"
#include "core/chunk.h"

/* Values of the encoding field that are no data signature. */
#define MESSAGE_XDR      0x10000000u
#define MESSAGE_IN_PLACE 0x20000000u /* only before sending; goes out as the native signature */
#define MESSAGE_TRACE    0x40000000u

/* Fragment capacity, bytes of body in one frame, that 3.4.6 uses unless told otherwise. */
#define MESSAGE_FRAGMENT_DEFAULT  4032u
/*
 * A fragment buffer of N bytes (option PvmFragSize) has room for N - MESSAGE_FRAGMENT_OVERHEAD
 * bytes of body.
 */
#define MESSAGE_FRAGMENT_OVERHEAD 48u

/*
 * Which longs were packed into a message in the default encoding. A word with its highest bit set
 * may be a negative long or a long beyond INT32_MAX; 3.4.6 always takes it for a large one. A
 * receiver that knows that all such longs of the message are negative gets the sign right. Of a
 * message that 3.4.6 has sent nothing is known.
 */
#define MESSAGE_LONGS_NEGATIVE 1u
#define MESSAGE_LONGS_HIGH     2u
#define MESSAGE_LONGS_UNKNOWN  4u

struct message_header {
    uint32_t encoding;
    int32_t tag;
    int32_t context;
    int32_t wait; /* wait identifier; 0 in ordinary messages */
    uint32_t checksum;
    uint32_t source;
    uint32_t destination;
    unsigned longs;      /* MESSAGE_LONGS_ bits */
    unsigned unmeasured; /* 1: 3.4.6 does not know how long it is, and tells 0 */
};

struct segment {
    struct chunk *chunk; /* one reference is held by the segment; NULL: the application's memory */
    unsigned char *data;
    size_t length;   /* bytes at data */
    size_t fragment; /* of each fragment, though the last may be shorter; 0: it is one */
};

/*
 * Fragments whose size is a multiple of this may form a run: an item, and the filling behind it,
 * then lies in the run where it lies in its fragment.
 */
#define MESSAGE_RUN_UNIT 8u

#define MESSAGE_SEGMENTS_INLINE 4

/* Bytes of memory with which a message lies in a pool, once it has had them. */
#define MESSAGE_SHORT 256u

/* Where a message stands in a table of the queue that it waits in (match.h). */
struct match_place {
    struct message *next;     /* of the same key, in order of arrival */
    struct message *previous; /* likewise */
    struct match_key *key;
};

#define MATCH_TABLES 4

/*
 * Of a message in a pool the header and the lists that it is in are one line of the cache; what an
 * empty message has to do with is a second one; and what one segment takes, a third one.
 */
struct message {
    struct message_header header;
    struct message *next;     /* for whoever holds the message in a list */
    struct message *previous; /* likewise */
    int buffer;       /* id by which the owner of a queued message knows it; 0 when it has none */
    unsigned entered; /* the queue's: bits of the tables that the message is in */
    uint64_t arrival; /* the inbox's: grows with each message that arrives */
    size_t length;    /* bytes of body: the sum over the segments */
    struct segment *segments;
    unsigned segment_count;
    unsigned segment_room;      /* entries at segments */
    struct pool *home;          /* where the message goes in the end; NULL: it is freed */
    struct chunk *kept;         /* for the body to come, or NULL (message_renew, MESSAGE_SHORT) */
    size_t fragment;            /* fragment capacity used for what is appended, bytes */
    struct chunk_maker *maker;  /* of the memory that it grows in, or NULL; set by the owner */
    size_t expected;            /* how long the body to come may be */
    unsigned char *tail;        /* the end of the last segment, */
    unsigned char *segment_end; /* up to where its last fragment can grow, */
    unsigned char *chunk_end;   /* and up to where its chunk is ours to use */
    struct segment few[MESSAGE_SEGMENTS_INLINE];
    struct match_place places[MATCH_TABLES]; /* in the tables that it is in */
};

/* Where in a message the next item is unpacked from; all zero is the start. */
struct cursor {
    size_t segment;
    size_t offset;
};

/*
 * A new empty message; `encoding` as in the header. NULL when memory is short. Freed by
 * message_free.
 */
struct message *message_new(uint32_t encoding, size_t fragment);
void message_free(struct message *message);

/*
 * Like message_new, from `pool`. message_free gives the message back to the pool, with the memory
 * of a short body. The pool outlives the message; pool_finish discards by message_discard.
 */
struct message *message_new_from(struct pool *pool, uint32_t encoding, size_t fragment);
void message_discard(void *piece);

/* Gives the pool a message more. False when it is full or in use, or memory is short. */
bool message_stock(struct pool *pool);

/* Begins to bring what the receiver of a message with a short body reads first. */
static inline void message_fetch(const struct message *message)
{
    cache_line_fetch_to_read(&message->header);
    cache_line_fetch_to_read(&message->arrival);
    cache_line_fetch_to_read(&message->expected);
}

/* For messages that are part of something larger; message_finish releases the body. */
void message_init(struct message *message, uint32_t encoding, size_t fragment);
void message_finish(struct message *message);

/* Drops the body; header and fragment capacity stay. */
void message_clear(struct message *message);

/*
 * Makes a message a new, empty one. Memory that nobody shares is kept for a body of the same size:
 * who packs one message after the other in it needs no more memory.
 */
void message_renew(struct message *message, uint32_t encoding, size_t fragment);

/*
 * Room at the end of the body for at least `least` bytes in one piece (at most the fragment
 * capacity), in a new fragment when the present one has less. *granted is what is there, at most
 * `want`: more than one fragment when items of `least` bytes fill each, and then all of it is used.
 * The bytes count only after message_commit. `want` is also the hint for how much memory to take.
 * NULL when memory is short, or when `least` is more than a fragment holds.
 */
static inline unsigned char *message_reserve(struct message *message, size_t want, size_t least,
                                             size_t *granted);
static inline void message_commit(struct message *message, size_t bytes);

/*
 * Appends a slice as a segment of its own, sharing the chunk: one reference more. 0 or PvmNoMem.
 */
int message_append(struct message *message, struct chunk *chunk, unsigned char *data,
                   size_t length);

/*
 * Like message_append, for a run of fragments; the length of each but the last is a multiple of
 * MESSAGE_RUN_UNIT.
 */
int message_append_run(struct message *message, struct chunk *chunk, unsigned char *data,
                       size_t length, size_t fragment);

/*
 * Appends memory of the application, which stays theirs and must outlive the message. What lies
 * right behind the memory appended before goes to the same segment. 0 or PvmNoMem.
 */
int message_append_memory(struct message *message, const void *memory, size_t size);

/*
 * Appends `size` bytes in one piece, which the caller writes: returns where, or NULL when memory is
 * short. A body of up to MESSAGE_SHORT takes no memory that a message from a pool has not got.
 */
unsigned char *message_append_room(struct message *message, size_t size);

/* Appends a copy of `memory`, whatever the encoding. 0 or PvmNoMem. */
int message_append_copy(struct message *message, const void *memory, size_t size);

/*
 * Makes the body independent of what may change or go while the message lives: with `foreign`,
 * segments in foreign chunks are copied, otherwise segments in memory of the application. 0 or
 * PvmNoMem; then some segments may still be as they were.
 */
int message_detach(struct message *message, bool foreign);

/*
 * For a body that came from elsewhere: what is appended fills the last fragment first. In 3.4.6
 * this fragment lies in a buffer with room for `fragment` bytes if it is the only one, otherwise
 * for `later` bytes. Further fragments have room for `fragment` bytes. 0 or PvmNoMem.
 */
int message_open_last(struct message *message, size_t fragment, size_t later);

/* In a child of fork: a body that is foreign even in part is gone, without a word to its owner. */
void message_forget_foreign(struct message *message);

/*
 * Appends what `from` holds behind `cursor`, sharing its chunks. 0 or PvmNoMem; then nothing was
 * appended.
 */
int message_append_rest(struct message *message, const struct message *from, struct cursor cursor);

/* A view of `message` with the same header. NULL when memory is short. Freed by message_free. */
struct message *message_view(const struct message *message);
struct message *message_view_from(struct pool *pool, const struct message *message);

/* Like message_view_from, with a body of its own. */
struct message *message_copy_from(struct pool *pool, const struct message *message);

/*
 * Makes *copy a message that is equal to `message`, whose body is copied to `body`, which must
 * outlive it; nothing is to be freed. False for one that is not short: `room` are the bytes there.
 */
bool message_copy_short(const struct message *message, struct message *copy, unsigned char *body,
                        size_t room);

/* True when the body lies at `memory`, which is the application's. */
static inline bool message_is_at(const struct message *message, const void *memory)
{
    return message->segment_count == 1 && !message->segments[0].chunk &&
           message->segments[0].data == memory;
}

/*
 * The bytes at the cursor in the present segment, stepping over finished segments; *available says
 * how many. NULL at the end of the body.
 */
static inline const unsigned char *message_peek(const struct message *message,
                                                struct cursor *cursor, size_t *available);

/*
 * The fragment that begins at the cursor, which steps over it. False at the end of the body. An
 * empty segment is an empty fragment.
 */
bool message_next_fragment(const struct message *message, struct cursor *cursor,
                           unsigned char **data, size_t *length);

/* How many there are. */
size_t message_fragments(const struct message *message);

/* Bytes of body behind the cursor. */
size_t message_remaining(const struct message *message, struct cursor cursor);

/* What follows is the way of nearly every item: programs pack and unpack numbers one by one. */

/* True when the body is in one piece of up to `most` bytes, or there is none. */
static inline bool message_is_short(const struct message *message, size_t most)
{
    return message->length <= most && message->segment_count <= 1;
}

/* Bytes by which the last fragment can grow. */
static inline size_t message_room(const struct message *message)
{
    return (size_t)(message->segment_end - message->tail);
}

/* What message_reserve does when the last fragment has no room for `want` bytes. */
unsigned char *message_reserve_more(struct message *message, size_t want, size_t least,
                                    size_t *granted);

static inline unsigned char *message_reserve(struct message *message, size_t want, size_t least,
                                             size_t *granted)
{
    if (message_room(message) < want)
        return message_reserve_more(message, want, least, granted);
    *granted = want;
    return message->tail;
}

static inline void message_commit(struct message *message, size_t bytes)
{
    message->segments[message->segment_count - 1].length += bytes;
    message->length += bytes;
    message->tail += bytes;
}

/* What message_peek does when the present segment is finished. */
const unsigned char *message_peek_on(const struct message *message, struct cursor *cursor,
                                     size_t *available);

static inline const unsigned char *message_peek(const struct message *message,
                                                struct cursor *cursor, size_t *available)
{
    if (cursor->segment >= message->segment_count ||
        cursor->offset >= message->segments[cursor->segment].length)
        return message_peek_on(message, cursor, available);
    *available = message->segments[cursor->segment].length - cursor->offset;
    return message->segments[cursor->segment].data + cursor->offset;
}

#endif
