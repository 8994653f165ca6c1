/* buffer.c - the table of buffers. */
#include "lib/task/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "core/annotate.h"
#include "core/rarely.h"
#include "core/references.h"
#include "lib/task/lock_ranks.h"
#include "lib/task/public.h"

/* When threads have shared so many buffers, the next ones belong to no thread. */
#define SHARED_MANY 16

struct buffer *buffer_hold(struct buffer *buffer)
{
    references_hold(&buffer->references);
    return buffer;
}

void buffer_release(struct buffer *buffer)
{
    if (!buffer || !references_drop(&buffer->references))
        return;
    if (!buffer->queued)
        message_free(buffer->message);
    struct buffers *home = buffer->home;
    if (owned_lock_is_shared(&buffer->lock))
        atomic_fetch_add_explicit(&home->shared, 1, memory_order_relaxed);
    owned_lock_destroy(&buffer->lock);
    ANNOTATE_RENEWED(buffer, sizeof *buffer);
    if (!pool_give(&home->spare, buffer))
        free(buffer);
}

/* Makes room for one more id in both lists. With the lock. */
RARELY static bool buffers_grow(struct buffers *buffers)
{
    if (buffers->next_id < buffers->room)
        return true;
    int room = buffers->room ? 2 * buffers->room : 16;
    struct buffer **by_id = realloc(buffers->by_id, (size_t)room * sizeof *by_id);
    if (by_id)
        buffers->by_id = by_id;
    int *free_ids = realloc(buffers->free_ids, (size_t)room * sizeof *free_ids);
    if (free_ids)
        buffers->free_ids = free_ids;
    if (!by_id || !free_ids)
        return false;
    for (int id = buffers->room; id < room; id++)
        by_id[id] = NULL;
    buffers->room = room;
    return true;
}

/* A new id that leads to `buffer`; 0 without memory. With the lock. */
static inline int buffers_new_id(struct buffers *buffers, struct buffer *buffer)
{
    int id = 0;
    if (buffers->free_count > 0)
        id = buffers->free_ids[--buffers->free_count];
    else if (buffers_grow(buffers))
        id = buffers->next_id++;
    if (id)
        buffers->by_id[id] = buffer;
    return id;
}

/* With the lock. */
static void buffers_free_id(struct buffers *buffers, int id)
{
    buffers->by_id[id] = NULL;
    buffers->free_ids[buffers->free_count++] = id;
}

/* Whether a new buffer is for its thread alone, as far as is known. */
static bool buffers_are_owned(struct buffers *buffers)
{
    return buffers->may_be_owned &&
           atomic_load_explicit(&buffers->shared, memory_order_relaxed) < SHARED_MANY;
}

/* A buffer without an id, with the table's reference and the caller's. NULL without memory. */
static struct buffer *buffer_make(struct task *task, struct message *message, enum buffer_use use,
                                  bool queued)
{
    struct buffer *buffer = pool_take(&task->buffers.spare);
    if (!buffer)
        buffer = malloc(sizeof *buffer);
    if (!buffer)
        return NULL;
    owned_lock_init(&buffer->lock, LOCK_BUFFER, buffers_are_owned(&task->buffers));
    references_start(&buffer->references, 2);
    buffer->home = &task->buffers;
    buffer->id = buffer->spare_id = 0;
    buffer->message = message;
    buffer->queued = queued;
    buffer->sent = false;
    buffer->arrived = false;
    buffer->shown = false;
    buffer->use = use;
    buffer->cursor = (struct cursor){0, 0};
    return buffer;
}

struct buffer *buffer_new(struct task *task, struct message *message, enum buffer_use use,
                          bool queued, int *id)
{
    struct buffer *buffer = buffer_make(task, message, use, queued);
    if (!buffer)
        return NULL;
    lock_acquire(&task->buffers.lock);
    *id = buffers_new_id(&task->buffers, buffer);
    lock_release(&task->buffers.lock);
    if (*id) {
        owned_lock_acquire(&buffer->lock);
        buffer->id = *id;
        owned_lock_release(&buffer->lock);
        return buffer;
    }
    owned_lock_destroy(&buffer->lock);
    free(buffer);
    return NULL;
}

/* 0 for one without a message, which no call finds. */
static int buffer_id(struct buffer *buffer)
{
    owned_lock_acquire(&buffer->lock);
    int id = buffer->message ? buffer->id : 0;
    owned_lock_release(&buffer->lock);
    return id;
}

struct buffer *buffer_find(struct task *task, int id)
{
    struct buffers *buffers = &task->buffers;
    lock_acquire(&buffers->lock);
    struct buffer *buffer = id > 0 && id < buffers->room ? buffers->by_id[id] : NULL;
    if (buffer)
        buffer_hold(buffer);
    lock_release(&buffers->lock);
    if (!buffer || buffer_id(buffer) == id)
        return buffer;
    buffer_release(buffer);
    return NULL;
}

/* True when only the caller and the table have the buffer. With its lock. */
static bool buffer_is_alone(struct buffer *buffer)
{
    return buffer->id && references_are(&buffer->references, 2);
}

void buffer_drop_contents(struct buffer *buffer)
{
    owned_lock_acquire(&buffer->lock);
    struct message *message = buffer->queued ? NULL : buffer->message;
    buffer->message = NULL;
    buffer->queued = false;
    owned_lock_release(&buffer->lock);
    message_free(message);
}

void buffer_discard(struct task *task, struct buffer *buffer)
{
    owned_lock_acquire(&buffer->lock);
    bool alone = buffer_is_alone(buffer);
    int id = buffer->id, spare_id = buffer->spare_id;
    buffer->id = buffer->spare_id = 0;
    owned_lock_release(&buffer->lock);
    if (!id)
        return;
    lock_acquire(&task->buffers.lock);
    if (spare_id)
        buffers_free_id(&task->buffers, spare_id);
    buffers_free_id(&task->buffers, id);
    lock_release(&task->buffers.lock);
    if (!alone) /* otherwise they go with the caller's reference */
        buffer_drop_contents(buffer);
    buffer_release(buffer);
}

void buffers_finish(struct task *task)
{
    struct buffers *buffers = &task->buffers;
    for (int id = 1; id < buffers->next_id; id++)
        if (buffers->by_id[id])
            buffer_discard(task, buffers->by_id[id]);
    free(buffers->by_id);
    free(buffers->free_ids);
    pool_finish(&buffers->spare, free);
    lock_destroy(&buffers->lock);
}

void buffers_detach(struct buffers *buffers)
{
    for (int id = 1; id < buffers->next_id; id++) {
        struct buffer *buffer = buffers->by_id[id];
        if (!buffer)
            continue;
        owned_lock_acquire(&buffer->lock);
        if (!buffer->queued && buffer->message) /* what stays, without memory, is lost there */
            message_detach(buffer->message, true);
        owned_lock_release(&buffer->lock);
    }
}

void buffers_inherit(struct buffers *buffers, const struct buffers *from)
{
    struct buffer **by_id = calloc((size_t)from->room, sizeof *by_id);
    int *free_ids = calloc((size_t)from->room, sizeof *free_ids);
    if (!by_id || !free_ids) {
        free(by_id);
        free(free_ids);
        return;
    }
    buffers->by_id = by_id;
    buffers->free_ids = free_ids;
    buffers->room = from->room;
    buffers->next_id = from->next_id;
    buffers->free_count = from->free_count;
    for (int i = 0; i < from->free_count; i++)
        free_ids[i] = from->free_ids[i];
    for (int id = 1; id < from->next_id; id++) {
        struct buffer *buffer = from->by_id[id];
        if (buffer && !buffer->queued && owned_lock_is_free(&buffer->lock) &&
            (id == buffer->id || id == buffer->spare_id)) {
            by_id[id] = buffer;
            if (buffer->message)
                message_forget_foreign(buffer->message);
        } else if (buffer) {
            free_ids[buffers->free_count++] = id;
        }
    }
}

void buffer_activate(struct buffer **active, struct buffer *buffer)
{
    struct buffer *before = *active;
    *active = buffer;
    buffer_release(before);
}

void buffer_discard_active(struct task *task, struct buffer **active)
{
    if (*active)
        buffer_discard(task, *active);
    buffer_activate(active, NULL);
}

int buffer_active_id(struct buffer **active)
{
    return *active ? buffer_id(*active) : 0;
}

struct buffer *buffer_for_message(struct task *task, struct message *message, int *id)
{
    struct buffer *buffer = message->buffer > 0 ? buffer_find(task, message->buffer) : NULL;
    if (!buffer)
        return buffer_new(task, message, BUFFER_UNPACKED, false, id);
    *id = message->buffer;
    owned_lock_acquire(&buffer->lock);
    bool still = buffer->message == message; /* unless it was freed, and the id given to another */
    if (still) {
        buffer->queued = false;
        buffer->use = BUFFER_UNPACKED;
        buffer->cursor = (struct cursor){0, 0}; /* a matcher may have unpacked some of it */
    }
    owned_lock_release(&buffer->lock);
    if (still)
        return buffer;
    buffer_release(buffer);
    return buffer_new(task, message, BUFFER_UNPACKED, false, id);
}

void buffer_use_for(struct buffer *buffer, bool unpacking)
{
    if (!unpacking && buffer->use == BUFFER_UNPACKED)
        buffer->use = BUFFER_REOPENED;
    if (!unpacking || buffer->use == BUFFER_UNPACKED)
        return;
    buffer->cursor = (struct cursor){0, 0};
    buffer->use = BUFFER_UNPACKED;
}

int buffer_refill(struct buffer *buffer, struct message *message)
{
    owned_lock_acquire(&buffer->lock);
    int id = buffer_is_alone(buffer) && !buffer->message ? buffer->id : 0;
    if (id) {
        buffer->message = message;
        buffer->arrived = true;
        buffer->shown = false;
        buffer->use = BUFFER_UNPACKED;
        buffer->cursor = (struct cursor){0, 0};
    }
    owned_lock_release(&buffer->lock);
    return id;
}

int buffer_identify(struct task *task, struct message *message)
{
    struct buffer *buffer = message->buffer > 0 ? buffer_find(task, message->buffer) : NULL;
    if (buffer) {
        owned_lock_acquire(&buffer->lock);
        bool still = buffer->message == message;
        owned_lock_release(&buffer->lock);
        buffer_release(buffer);
        if (still)
            return message->buffer;
    }
    int id;
    buffer = buffer_new(task, message, BUFFER_UNPACKED, true, &id);
    if (!buffer)
        return PvmNoMem;
    message->buffer = id;
    message->header.unmeasured = 0; /* as in 3.4.6 */
    buffer_release(buffer);
    return message->buffer;
}

void buffer_drop_message(struct task *task, struct message *message)
{
    int id;
    struct buffer *buffer = message->buffer ? buffer_for_message(task, message, &id) : NULL;
    if (!buffer) {
        message_free(message);
        return;
    }
    buffer_discard(task, buffer);
    buffer_release(buffer);
}

size_t buffer_fragment(const struct task *task)
{
    int size = __atomic_load_n(&task->options.fragment_size, __ATOMIC_RELAXED);
    return (size_t)size - MESSAGE_FRAGMENT_OVERHEAD;
}

/* Locks the buffer if only the caller and the table have it. */
static bool buffer_lock_alone(struct buffer *buffer)
{
    owned_lock_acquire(&buffer->lock);
    bool alone = buffer_is_alone(buffer) && buffer->message && !buffer->queued;
    if (!alone)
        owned_lock_release(&buffer->lock);
    return alone;
}

/*
 * Locks the buffer likewise, and gives it a new id. In a process of threads the old one becomes the
 * spare one; otherwise the table costs no lock, and gives out the ids of 3.4.6.
 */
static bool buffer_lock_with_new_id(struct buffers *buffers, struct buffer *buffer)
{
    lock_acquire(&buffers->lock);
    bool alone = buffer_lock_alone(buffer);
    int id = alone ? buffers_new_id(buffers, buffer) : 0;
    if (id) {
        if (process_has_one_thread())
            buffers_free_id(buffers, buffer->id);
        else
            buffer->spare_id = buffer->id;
        buffer->id = id;
    } else if (alone) {
        owned_lock_release(&buffer->lock);
    }
    lock_release(&buffers->lock);
    return id != 0;
}

bool buffer_begin_renewal(struct buffers *buffers, struct buffer *buffer)
{
    if (process_has_one_thread() && !buffer->spare_id)
        return buffer_lock_with_new_id(buffers, buffer);
    if (!buffer_lock_alone(buffer))
        return false;
    int id = buffer->spare_id;
    if (id) {
        buffer->spare_id = buffer->id;
        buffer->id = id;
        return true;
    }
    owned_lock_release(&buffer->lock);
    return buffer_lock_with_new_id(buffers, buffer);
}

/* What of a buffer moves along as it is. */
struct buffer_record {
    int id;
    int spare_id;
    bool queued;
    bool sent;
    bool arrived;
    bool filled;
    enum buffer_use use;
    struct cursor cursor;
};

static void buffer_put(struct buffer *buffer, struct luggage *luggage)
{
    owned_lock_acquire(&buffer->lock);
    const struct message *message = buffer->queued ? NULL : buffer->message;
    struct buffer_record record;
    memset(&record, 0, sizeof record); /* and what is between its fields */
    record.id = buffer->id;
    record.spare_id = buffer->spare_id;
    record.queued = buffer->queued;
    record.sent = buffer->sent;
    record.arrived = buffer->arrived;
    record.filled = message != NULL;
    record.use = buffer->use;
    record.cursor = buffer->cursor;
    luggage_put(luggage, &record, sizeof record);
    if (message)
        luggage_put_message(luggage, message);
    owned_lock_release(&buffer->lock);
}

/* The table has an entry more for a buffer with a spare id, which is put once. */
static bool buffers_have(const struct buffers *buffers, int id)
{
    return buffers->by_id[id] && buffers->by_id[id]->id == id;
}

bool buffers_are_shown(struct buffers *buffers)
{
    bool shown = false;
    lock_acquire(&buffers->lock);
    for (int id = 1; id < buffers->next_id && !shown; id++)
        shown = buffers_have(buffers, id) && buffers->by_id[id]->shown;
    lock_release(&buffers->lock);
    return shown;
}

void buffers_put(struct buffers *buffers, struct luggage *luggage)
{
    int count = 0;
    for (int id = 1; id < buffers->next_id; id++)
        count += buffers_have(buffers, id);
    luggage_put_int(luggage, buffers->next_id);
    luggage_put_int(luggage, buffers->free_count);
    luggage_put(luggage, buffers->free_ids, (size_t)buffers->free_count * sizeof(int));
    luggage_put_int(luggage, count);
    for (int id = 1; id < buffers->next_id; id++)
        if (buffers_have(buffers, id))
            buffer_put(buffers->by_id[id], luggage);
}

/* An empty table with room for the ids. */
static bool buffers_make_room(struct buffers *buffers, int next_id)
{
    while (buffers->room < next_id) {
        buffers->next_id = buffers->room;
        if (!buffers_grow(buffers))
            return false;
    }
    buffers->next_id = next_id;
    return true;
}

/* The buffer of a record, which is in the table alone. Without memory there is none. */
static void buffer_get(struct task *task, struct luggage_reader *reader)
{
    struct buffer_record record;
    luggage_get(reader, &record, sizeof record);
    struct message *message = record.filled ? luggage_get_message(reader) : NULL;
    const int last = task->buffers.next_id - 1;
    bool known = record.id > 0 && record.id <= last && record.spare_id >= 0 &&
                 record.spare_id <= last && !reader->failed;
    struct buffer *buffer = known ? buffer_make(task, message, record.use, record.queued) : NULL;
    if (!buffer) {
        reader->failed = true;
        message_free(message);
        return;
    }
    references_start(&buffer->references, 1);
    buffer->id = record.id;
    buffer->spare_id = record.spare_id;
    buffer->sent = record.sent;
    buffer->arrived = record.arrived;
    buffer->cursor = record.cursor;
    task->buffers.by_id[record.id] = buffer;
    if (record.spare_id)
        task->buffers.by_id[record.spare_id] = buffer;
}

void buffers_get(struct task *task, struct luggage_reader *reader)
{
    struct buffers *buffers = &task->buffers;
    int next_id = luggage_get_int(reader);
    int free_count = luggage_get_count(reader, sizeof(int));
    if (next_id <= free_count || !buffers_make_room(buffers, next_id))
        reader->failed = true;
    else
        luggage_get(reader, buffers->free_ids, (size_t)free_count * sizeof(int));
    buffers->free_count = reader->failed ? 0 : free_count;
    int count = luggage_get_count(reader, sizeof(struct buffer_record));
    for (int i = 0; i < count && !reader->failed; i++)
        buffer_get(task, reader);
}

void buffer_requeue(struct task *task, struct message *message)
{
    struct buffer *buffer = message->buffer > 0 ? task->buffers.by_id[message->buffer] : NULL;
    if (buffer && buffer->queued)
        buffer->message = message;
}
