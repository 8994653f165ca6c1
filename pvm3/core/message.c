/* message.c - bodies as lists of shared slices. */
#include "core/message.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/annotate.h"
#include "core/rarely.h"

/*
 * Chunks double with the message up to this size; one larger item still gets a chunk of its own
 * size.
 */
#define CHUNK_GROWTH_LIMIT (1u << 20)

/*
 * The application's memory travels as one segment up to this size; a frame's length has 32 bits.
 * Every size of an item divides it, so that none is cut.
 */
#define MEMORY_LIMIT ((size_t)1 << 29)

/* A message keeps its list of segments, in a pool too, up to this many entries. */
#define SEGMENTS_KEPT 512

/* Chunks up to this size are kept for the next message. */
#define CHUNK_KEPT (2u * CHUNK_GROWTH_LIMIT)

/*
 * An empty message of nobody, but for its list of segments. Member by member: a block as large as
 * this is cleared by an instruction that takes as long to start as all of these.
 */
static void message_start(struct message *message, uint32_t encoding, size_t fragment)
{
    message->header = (struct message_header){.encoding = encoding};
    message->length = 0;
    message->segment_count = 0;
    message->fragment = fragment;
    message->tail = message->segment_end = message->chunk_end = NULL;
    message->kept = NULL;
    message->expected = 0;
    message->maker = NULL;
    message->home = NULL;
    message->buffer = 0;
    message->next = message->previous = NULL;
}

void message_init(struct message *message, uint32_t encoding, size_t fragment)
{
    message_start(message, encoding, fragment);
    message->segments = message->few;
    message->segment_room = MESSAGE_SEGMENTS_INLINE;
}

struct message *message_new(uint32_t encoding, size_t fragment)
{
    struct message *message = malloc(sizeof *message);
    if (message)
        message_init(message, encoding, fragment);
    return message;
}

/* One for a pool. */
static struct message *message_new_in_lines(uint32_t encoding, size_t fragment)
{
    struct message *message = cache_line_allocate(sizeof *message);
    if (message)
        message_init(message, encoding, fragment);
    return message;
}

bool message_stock(struct pool *pool)
{
    struct message *message = message_new_in_lines(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    if (message && pool_give(pool, message))
        return true;
    message_free(message);
    return false;
}

struct message *message_new_from(struct pool *pool, uint32_t encoding, size_t fragment)
{
    struct message *message = pool_take(pool);
    if (message) {
        struct chunk *kept = message->kept;
        ANNOTATE_USED(&message->header, sizeof message->header);
        ANNOTATE_USED(message->few, sizeof message->few);
        message_start(message, encoding, fragment);
        message->kept = kept;
    } else {
        message = message_new_in_lines(encoding, fragment);
    }
    if (message)
        message->home = pool;
    return message;
}

static struct segment *message_last(const struct message *message)
{
    return message->segment_count ? &message->segments[message->segment_count - 1] : NULL;
}

/* What lies behind the last segment, which ends at `tail`, is not ours to use. */
static void message_seal_tail(struct message *message, unsigned char *tail)
{
    message->tail = message->segment_end = message->chunk_end = tail;
}

static inline void message_drop_segments(struct message *message)
{
    while (message->segment_count > 0)
        chunk_release(message->segments[--message->segment_count].chunk);
}

void message_clear(struct message *message)
{
    message_drop_segments(message);
    message->length = 0;
    message->header.longs = 0;
    message_seal_tail(message, NULL);
}

void message_finish(struct message *message)
{
    message_clear(message);
    chunk_release(message->kept);
    if (message->segments != message->few)
        free(message->segments);
    message->segments = NULL;
}

RARELY static void message_destroy(struct message *message)
{
    message_finish(message);
    free(message);
}

void message_discard(void *piece)
{
    struct message *message = piece;
    ANNOTATE_USED(&message->header, sizeof message->header);
    message_destroy(message);
}

/*
 * Drops the body of a message that is to be started anew. Its last chunk stays if it is ours alone
 * and has room for `least` bytes and not for more than `most`.
 */
static inline struct chunk *message_drop_but_chunk(struct message *message, size_t least,
                                                   size_t most)
{
    struct chunk *chunk = message->kept;
    message->kept = NULL;
    if (!chunk && message->segment_count > 0)
        chunk = message->segments[--message->segment_count].chunk;
    message_drop_segments(message);
    if (!chunk || (chunk_is_unshared(chunk) && chunk->capacity >= least &&
                   chunk->capacity <= most && !chunk_is_unwanted(chunk, message->maker)))
        return chunk;
    chunk_release(chunk);
    return NULL;
}

/* True when the message has gone to the pool that it came from. */
static bool message_go_home(struct message *message)
{
    if (!message->home || message->segment_room > SEGMENTS_KEPT)
        return false;
    message->kept = message_drop_but_chunk(message, MESSAGE_SHORT, MESSAGE_SHORT);
    if (message->kept)
        ANNOTATE_UNUSED(message->kept->data, MESSAGE_SHORT);
    ANNOTATE_UNUSED(&message->header, sizeof message->header);
    ANNOTATE_UNUSED(message->few, sizeof message->few);
    if (pool_give(message->home, message))
        return true;
    ANNOTATE_USED(&message->header, sizeof message->header);
    return false;
}

void message_free(struct message *message)
{
    if (message && !message_go_home(message))
        message_destroy(message);
}

void message_renew(struct message *message, uint32_t encoding, size_t fragment)
{
    struct pool *home = message->home;
    struct chunk_maker *maker = message->maker;
    size_t expected = message->length < CHUNK_GROWTH_LIMIT ? message->length : CHUNK_GROWTH_LIMIT;
    if (message->segment_count > 0 && !message_last(message)->chunk)
        expected = 0; /* the application's memory says nothing about ours */
    if (expected < fragment)
        expected = fragment;
    struct chunk *kept = message_drop_but_chunk(message, expected, CHUNK_KEPT);
    message_start(message, encoding, fragment);
    message->home = home;
    message->maker = maker;
    message->kept = kept;
    message->expected = expected;
}

/* Makes room for `need` entries in the list of segments, more than there is. */
RARELY static int message_grow_to(struct message *message, size_t need)
{
    size_t room = message->segment_room;
    while (room < need)
        room *= 2;
    struct segment *old = message->segments == message->few ? NULL : message->segments;
    struct segment *grown = realloc(old, room * sizeof *grown);
    if (!grown)
        return PvmNoMem;
    if (!old)
        memcpy(grown, message->few, message->segment_count * sizeof *grown);
    message->segments = grown;
    message->segment_room = (unsigned)room;
    return 0;
}

/* Makes room for `more` further entries in the list of segments. */
static inline int message_grow(struct message *message, size_t more)
{
    size_t need = message->segment_count + more;
    return need <= message->segment_room ? 0 : message_grow_to(message, need);
}

/* A chunk for `want` more bytes, whole fragments, at least as much as the message holds already. */
static struct chunk *message_new_chunk(const struct message *message, size_t want)
{
    size_t size = message->length < CHUNK_GROWTH_LIMIT ? message->length : CHUNK_GROWTH_LIMIT;
    if (message->length == 0)
        size = message->expected;
    if (size < want)
        size = want;
    if (size > SIZE_MAX - message->fragment)
        return NULL;
    size_t fragments = (size + message->fragment - 1) / message->fragment;
    return chunk_new_by(message->maker, fragments * message->fragment);
}

/* The chunk that is kept, if it has room for `least` bytes, or NULL; none is kept any more. */
static struct chunk *message_take_kept(struct message *message, size_t least)
{
    struct chunk *chunk = message->kept;
    message->kept = NULL;
    if (!chunk)
        return NULL;
    if (chunk->capacity < least) {
        chunk_release(chunk);
        return NULL;
    }
    ANNOTATE_USED(chunk->data, chunk->capacity);
    return chunk;
}

/* Of its own segments: 0 when each is one. */
static size_t message_run_fragment(const struct message *message)
{
    return message->fragment % MESSAGE_RUN_UNIT == 0 ? message->fragment : 0;
}

/* Opens an empty fragment, in the present chunk when a whole one fits there. */
static int message_open_fragment(struct message *message, size_t want)
{
    const struct segment *last = message_last(message);
    if (last && last->fragment && message_room(message) == 0 &&
        (size_t)(message->chunk_end - message->tail) >= message->fragment) {
        message->segment_end += message->fragment;
        return 0;
    }
    if (message_grow(message, 1) < 0)
        return PvmNoMem;
    struct chunk *chunk;
    if ((size_t)(message->chunk_end - message->tail) >= message->fragment) {
        chunk = chunk_hold(message->segments[message->segment_count - 1].chunk);
    } else {
        chunk = message_take_kept(message, message->fragment);
        if (!chunk)
            chunk = message_new_chunk(message, want);
        if (!chunk)
            return PvmNoMem;
        message->tail = chunk->data;
        message->chunk_end = chunk->data + chunk->capacity;
    }
    message->segment_end = message->tail + message->fragment;
    message->segments[message->segment_count++] =
        (struct segment){chunk, message->tail, 0, message_run_fragment(message)};
    return 0;
}

/* Where the last fragment of a segment begins in it. */
static size_t message_last_fragment(const struct segment *segment)
{
    if (!segment->fragment || segment->length == 0)
        return 0;
    return (segment->length - 1) / segment->fragment * segment->fragment;
}

int message_open_last(struct message *message, size_t fragment, size_t later)
{
    struct segment *last = message_last(message);
    message->fragment = fragment;
    if (!last)
        return 0;
    size_t start = message_last_fragment(last), length = last->length - start;
    size_t capacity = message->segment_count == 1 && start == 0 ? fragment : later;
    if (length >= capacity)
        return 0;
    if (message_grow(message, 1) < 0)
        return PvmNoMem;
    last = message_last(message);
    struct chunk *chunk = chunk_new(capacity);
    if (!chunk)
        return PvmNoMem;
    memcpy(chunk->data, last->data + start, length);
    if (start > 0) {
        last->length = start;
        message->segment_count++;
        last = message_last(message);
    } else {
        chunk_release(last->chunk);
    }
    *last = (struct segment){chunk, chunk->data, length, 0};
    message->tail = chunk->data + length;
    message->segment_end = message->chunk_end = chunk->data + capacity;
    return 0;
}

/* Opens further fragments behind the last one, for `more` bytes or as many as the chunk has. */
static void message_open_run(struct message *message, size_t more)
{
    size_t there = (size_t)(message->chunk_end - message->segment_end) / message->fragment;
    size_t needed = more / message->fragment + (more % message->fragment > 0);
    message->segment_end += (needed < there ? needed : there) * message->fragment;
}

unsigned char *message_reserve_more(struct message *message, size_t want, size_t least,
                                    size_t *granted)
{
    if (message_room(message) < least &&
        (least > message->fragment || message_open_fragment(message, want) < 0))
        return NULL;
    size_t room = message_room(message);
    if (want > room && room % least == 0 && message_last(message)->fragment)
        message_open_run(message, want - room);
    room = message_room(message);
    *granted = want < room ? want : room;
    return message->tail;
}

int message_append_run(struct message *message, struct chunk *chunk, unsigned char *data,
                       size_t length, size_t fragment)
{
    if (message_grow(message, 1) < 0)
        return PvmNoMem;
    message->segments[message->segment_count++] =
        (struct segment){chunk_hold(chunk), data, length, fragment};
    message->length += length;
    message_seal_tail(message, data + length);
    return 0;
}

int message_append(struct message *message, struct chunk *chunk, unsigned char *data, size_t length)
{
    return message_append_run(message, chunk, data, length, 0);
}

unsigned char *message_append_room(struct message *message, size_t size)
{
    if (message_grow(message, 1) < 0)
        return NULL;
    struct chunk *chunk = message_take_kept(message, size);
    if (!chunk)
        chunk = chunk_new(size < MESSAGE_SHORT ? MESSAGE_SHORT : size);
    if (!chunk)
        return NULL;
    message->segments[message->segment_count++] = (struct segment){chunk, chunk->data, size, 0};
    message->length += size;
    message_seal_tail(message, chunk->data + size);
    return chunk->data;
}

int message_append_copy(struct message *message, const void *memory, size_t size)
{
    unsigned char *room = message_append_room(message, size);
    if (room)
        memcpy(room, memory, size);
    return room ? 0 : PvmNoMem;
}

int message_detach(struct message *message, bool foreign)
{
    for (size_t i = 0; i < message->segment_count; i++) {
        struct segment *segment = &message->segments[i];
        if (foreign ? !segment->chunk || !segment->chunk->foreign : segment->chunk != NULL)
            continue;
        struct chunk *chunk = chunk_new(segment->length);
        if (!chunk)
            return PvmNoMem;
        memcpy(chunk->data, segment->data, segment->length);
        chunk_release(segment->chunk);
        *segment = (struct segment){chunk, chunk->data, segment->length, segment->fragment};
        message_seal_tail(message, NULL);
    }
    if (foreign && message->kept && message->kept->foreign) {
        chunk_release(message->kept);
        message->kept = NULL;
    }
    return 0;
}

void message_forget_foreign(struct message *message)
{
    bool foreign = message->kept && message->kept->foreign;
    for (size_t i = 0; i < message->segment_count && !foreign; i++)
        foreign = message->segments[i].chunk && message->segments[i].chunk->foreign;
    if (!foreign)
        return;
    message->kept = NULL;
    message->segment_count = 0;
    message_clear(message);
}

int message_append_memory(struct message *message, const void *memory, size_t size)
{
    /* The application's memory is only read; a segment's pointer serves both its kinds. */
    unsigned char *data = (unsigned char *)(uintptr_t)memory;
    while (size > 0) {
        struct segment *last = message_last(message);
        if (!last || last->chunk || message->tail != data || last->length == MEMORY_LIMIT) {
            if (message_append(message, NULL, data, 0) < 0)
                return PvmNoMem;
            last = message_last(message);
        }
        size_t some = size < MEMORY_LIMIT - last->length ? size : MEMORY_LIMIT - last->length;
        last->length += some;
        message->length += some;
        message_seal_tail(message, data += some);
        size -= some;
    }
    return 0;
}

int message_append_rest(struct message *message, const struct message *from, struct cursor cursor)
{
    if (cursor.segment >= from->segment_count)
        return 0;
    if (message_grow(message, from->segment_count - cursor.segment + 1) < 0)
        return PvmNoMem;
    const struct segment *segment = &from->segments[cursor.segment];
    if (segment->fragment && cursor.offset % segment->fragment > 0) { /* amid one of a run */
        size_t rest = segment->fragment - cursor.offset % segment->fragment;
        if (rest > segment->length - cursor.offset)
            rest = segment->length - cursor.offset;
        message_append(message, segment->chunk, segment->data + cursor.offset, rest);
        cursor.offset += rest;
        if (cursor.offset == segment->length)
            cursor = (struct cursor){cursor.segment + 1, 0};
    }
    for (; cursor.segment < from->segment_count; cursor = (struct cursor){cursor.segment + 1, 0}) {
        segment = &from->segments[cursor.segment];
        message_append_run(message, segment->chunk, segment->data + cursor.offset,
                           segment->length - cursor.offset, segment->fragment);
    }
    return 0;
}

/* Makes `view`, which is new, a view of `message`; NULL, and the view freed, without memory. */
static struct message *message_show(struct message *view, const struct message *message)
{
    if (!view)
        return NULL;
    view->header = message->header;
    if (message_append_rest(view, message, (struct cursor){0, 0}) < 0) {
        message_free(view);
        return NULL;
    }
    return view;
}

struct message *message_view(const struct message *message)
{
    return message_show(message_new(message->header.encoding, message->fragment), message);
}

struct message *message_view_from(struct pool *pool, const struct message *message)
{
    return message_show(message_new_from(pool, message->header.encoding, message->fragment),
                        message);
}

struct message *message_copy_from(struct pool *pool, const struct message *message)
{
    struct message *copy = message_new_from(pool, message->header.encoding, message->fragment);
    bool whole = copy != NULL;
    for (size_t i = 0; i < message->segment_count && whole; i++) {
        const struct segment *segment = &message->segments[i];
        struct chunk *chunk = chunk_new(segment->length);
        whole = chunk && message_append_run(copy, chunk, chunk->data, segment->length,
                                            segment->fragment) == 0;
        if (whole && segment->length > 0)
            memcpy(chunk->data, segment->data, segment->length);
        chunk_release(chunk);
    }
    if (whole) {
        copy->header = message->header;
        return copy;
    }
    message_free(copy);
    return NULL;
}

bool message_copy_short(const struct message *message, struct message *copy, unsigned char *body,
                        size_t room)
{
    if (!message_is_short(message, room))
        return false;
    message_init(copy, message->header.encoding, message->fragment);
    copy->header = message->header;
    if (message->segment_count == 0)
        return true;
    const struct segment *segment = &message->segments[0];
    memcpy(body, segment->data, segment->length);
    copy->few[0] = (struct segment){NULL, body, segment->length, segment->fragment};
    copy->segment_count = 1;
    copy->length = segment->length;
    message_seal_tail(copy, body + segment->length);
    return true;
}

const unsigned char *message_peek_on(const struct message *message, struct cursor *cursor,
                                     size_t *available)
{
    for (; cursor->segment < message->segment_count; cursor->segment++, cursor->offset = 0) {
        const struct segment *segment = &message->segments[cursor->segment];
        if (cursor->offset < segment->length) {
            *available = segment->length - cursor->offset;
            return segment->data + cursor->offset;
        }
    }
    *available = 0;
    return NULL;
}

bool message_next_fragment(const struct message *message, struct cursor *cursor,
                           unsigned char **data, size_t *length)
{
    if (cursor->segment >= message->segment_count)
        return false;
    const struct segment *segment = &message->segments[cursor->segment];
    size_t left = segment->length - cursor->offset;
    *data = segment->data + cursor->offset;
    *length = segment->fragment && segment->fragment < left ? segment->fragment : left;
    cursor->offset += *length;
    if (*length == left)
        *cursor = (struct cursor){cursor->segment + 1, 0};
    return true;
}

size_t message_fragments(const struct message *message)
{
    size_t count = 0;
    for (size_t i = 0; i < message->segment_count; i++) {
        const struct segment *segment = &message->segments[i];
        bool run = segment->fragment && segment->length > segment->fragment;
        count += run ? (segment->length + segment->fragment - 1) / segment->fragment : 1;
    }
    return count;
}

size_t message_remaining(const struct message *message, struct cursor cursor)
{
    size_t bytes = 0;
    for (size_t i = cursor.segment; i < message->segment_count; i++)
        bytes += message->segments[i].length;
    return bytes - (bytes ? cursor.offset : 0);
}
