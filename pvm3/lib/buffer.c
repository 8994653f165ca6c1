/* buffer.c - the table of buffers, and the calls that name one. */
#include "lib/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "core/annotate.h"
#include "core/references.h"
#include "core/signature.h"
#include "lib/public.h"
#include "lib/pvmd_link.h"

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
    lock_destroy(&buffer->lock);
    ANNOTATE_RENEWED(buffer, sizeof *buffer);
    if (!pool_give(buffer->home, buffer))
        free(buffer);
}

/* Makes room for one more id in both lists. With the lock. */
static bool buffers_grow(struct buffers *buffers)
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

static int buffers_new_id(struct buffers *buffers)
{
    if (buffers->free_count > 0)
        return buffers->free_ids[--buffers->free_count];
    return buffers_grow(buffers) ? buffers->next_id++ : 0;
}

/* Gives the new buffer an id. False without memory. */
static bool buffers_add(struct buffers *buffers, struct buffer *buffer)
{
    lock_acquire(&buffers->lock);
    buffer->id = buffers_new_id(buffers);
    if (buffer->id)
        buffers->by_id[buffer->id] = buffer;
    lock_release(&buffers->lock);
    return buffer->id != 0;
}

struct buffer *buffer_new(struct task *task, struct message *message, enum buffer_use use,
                          bool queued)
{
    struct buffer *buffer = pool_take(&task->buffers.spare);
    if (!buffer)
        buffer = malloc(sizeof *buffer);
    if (!buffer)
        return NULL;
    lock_init(&buffer->lock, LOCK_BUFFER);
    references_start(&buffer->references, 2); /* the table's and the caller's */
    buffer->home = &task->buffers.spare;
    buffer->message = message;
    buffer->queued = queued;
    buffer->use = use;
    buffer->cursor = (struct cursor){0, 0};
    if (buffers_add(&task->buffers, buffer))
        return buffer;
    lock_destroy(&buffer->lock);
    free(buffer);
    return NULL;
}

struct buffer *buffer_find(struct task *task, int id)
{
    struct buffers *buffers = &task->buffers;
    lock_acquire(&buffers->lock);
    struct buffer *buffer = id > 0 && id < buffers->room ? buffers->by_id[id] : NULL;
    if (buffer)
        buffer_hold(buffer);
    lock_release(&buffers->lock);
    return buffer;
}

/*
 * True when only the caller and the table have the buffer: as long as the caller has the lock of
 * the table it is the caller's alone.
 */
static bool buffer_is_alone(const struct buffers *buffers, struct buffer *buffer)
{
    return references_are(&buffer->references, 2) && buffers->by_id[buffer->id] == buffer;
}

static void buffer_drop_contents(struct buffer *buffer)
{
    lock_acquire(&buffer->lock);
    struct message *message = buffer->queued ? NULL : buffer->message;
    buffer->message = NULL;
    buffer->queued = false;
    lock_release(&buffer->lock);
    message_free(message);
}

/* True for one without a message, which no call finds. */
static bool buffer_is_freed(struct buffer *buffer)
{
    lock_acquire(&buffer->lock);
    bool freed = buffer->message == NULL;
    lock_release(&buffer->lock);
    return freed;
}

void buffer_discard(struct task *task, struct buffer *buffer)
{
    struct buffers *buffers = &task->buffers;
    lock_acquire(&buffers->lock);
    bool listed = buffers->by_id[buffer->id] == buffer;
    bool alone = buffer_is_alone(buffers, buffer);
    if (listed) {
        buffers->by_id[buffer->id] = NULL;
        buffers->free_ids[buffers->free_count++] = buffer->id;
    }
    lock_release(&buffers->lock);
    if (!listed)
        return;
    if (!alone) /* otherwise they go with the caller's reference */
        buffer_drop_contents(buffer);
    buffer_release(buffer);
}

void buffers_detach(struct buffers *buffers)
{
    for (int id = 1; id < buffers->next_id; id++) {
        struct buffer *buffer = buffers->by_id[id];
        if (!buffer)
            continue;
        lock_acquire(&buffer->lock);
        if (!buffer->queued && buffer->message) /* what stays, without memory, is lost there */
            message_detach(buffer->message, true);
        lock_release(&buffer->lock);
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
        if (buffer && !buffer->queued && lock_is_free(&buffer->lock)) {
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
    return *active && !buffer_is_freed(*active) ? (*active)->id : 0;
}

void buffer_forget_caller(struct caller *caller)
{
    buffer_discard_active(caller->task, &caller->send);
    buffer_discard_active(caller->task, &caller->receive);
}

/*
 * A buffer to unpack `message` from, which is in no queue any more. One that pvm_probe has given an
 * id keeps it.
 */
static struct buffer *buffer_for_message(struct task *task, struct message *message)
{
    struct buffer *buffer = message->buffer > 0 ? buffer_find(task, message->buffer) : NULL;
    if (!buffer)
        return buffer_new(task, message, BUFFER_UNPACKED, false);
    lock_acquire(&buffer->lock);
    bool still = buffer->message == message; /* unless it was freed, and the id given to another */
    if (still) {
        buffer->queued = false;
        buffer->use = BUFFER_UNPACKED;
        buffer->cursor = (struct cursor){0, 0}; /* a matcher may have unpacked some of it */
    }
    lock_release(&buffer->lock);
    if (still)
        return buffer;
    buffer_release(buffer);
    return buffer_new(task, message, BUFFER_UNPACKED, false);
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

int buffer_receive(struct caller *caller, struct message *message)
{
    struct buffer *buffer = buffer_for_message(caller->task, message);
    if (!buffer) {
        message_free(message);
        return PvmNoMem;
    }
    buffer_activate(&caller->receive, buffer);
    return buffer->id;
}

void buffer_begin_receive(struct caller *caller)
{
    if (caller->receive)
        buffer_drop_contents(caller->receive);
}

/* Makes an emptied buffer that only the caller and the table have one of `message`. */
static bool buffer_refill(struct buffers *buffers, struct buffer *buffer, struct message *message)
{
    lock_acquire(&buffers->lock);
    bool alone = buffer_is_alone(buffers, buffer) && !buffer->message;
    if (alone) {
        buffer->message = message;
        buffer->use = BUFFER_UNPACKED;
        buffer->cursor = (struct cursor){0, 0};
    }
    lock_release(&buffers->lock);
    return alone;
}

int buffer_end_receive(struct caller *caller, struct message *message, int result)
{
    struct buffer *buffer = caller->receive;
    if (buffer && message && message->buffer == 0 &&
        buffer_refill(&caller->task->buffers, buffer, message))
        return buffer->id;
    buffer_discard_active(caller->task, &caller->receive);
    return message ? buffer_receive(caller, message) : result;
}

int buffer_identify(struct task *task, struct message *message)
{
    struct buffer *buffer = message->buffer > 0 ? buffer_find(task, message->buffer) : NULL;
    if (buffer) {
        lock_acquire(&buffer->lock);
        bool still = buffer->message == message;
        lock_release(&buffer->lock);
        buffer_release(buffer);
        if (still)
            return message->buffer;
    }
    buffer = buffer_new(task, message, BUFFER_UNPACKED, true);
    if (!buffer)
        return PvmNoMem;
    message->buffer = buffer->id;
    buffer_release(buffer);
    return message->buffer;
}

void buffer_drop_message(struct task *task, struct message *message)
{
    struct buffer *buffer = message->buffer ? buffer_for_message(task, message) : NULL;
    if (!buffer) {
        message_free(message);
        return;
    }
    buffer_discard(task, buffer);
    buffer_release(buffer);
}

/* The calls. ----------------------------------------------------------------------------------- */

/* The encoding field for an encoding of pvm3.h; 0 when there is no such encoding. */
static uint32_t buffer_encoding(int encoding)
{
    switch (encoding) {
    case PvmDataDefault:
        return MESSAGE_XDR;
    case PvmDataRaw:
        return signature_native();
    case PvmDataInPlace:
        return MESSAGE_IN_PLACE;
    case PvmDataTrace:
        return MESSAGE_TRACE;
    default:
        return 0;
    }
}

static size_t buffer_fragment(const struct task *task)
{
    int size = __atomic_load_n(&task->options.fragment_size, __ATOMIC_RELAXED);
    return (size_t)size - MESSAGE_FRAGMENT_OVERHEAD;
}

/* A fresh buffer with a reference for the caller; NULL with *error. */
static struct buffer *buffer_make(struct caller *caller, int encoding, int *error)
{
    uint32_t field = buffer_encoding(encoding);
    *error = PvmBadParam;
    if (!field)
        return NULL;
    *error = PvmNoMem;
    struct message *message = message_new(field, buffer_fragment(caller->task));
    if (!message)
        return NULL;
    message->maker = &caller->task->endpoint.shm.arena.maker;
    message->header.source = (uint32_t)atomic_load(&caller->task->tid);
    if (field == MESSAGE_TRACE && trace_begin_user_event(message) < 0) {
        message_free(message);
        return NULL;
    }
    struct buffer *buffer = buffer_new(caller->task, message, BUFFER_PACKED, false);
    if (!buffer)
        message_free(message);
    return buffer;
}

/* The buffer has this id instead of its own. With the lock. */
static void buffers_change_id(struct buffers *buffers, struct buffer *buffer, int id)
{
    buffers->by_id[buffer->id] = NULL;
    buffers->free_ids[buffers->free_count++] = buffer->id;
    buffers->by_id[id] = buffer;
    buffer->id = id;
}

/*
 * Locks the caller's active send buffer and gives it another id, if only the caller and the table
 * have it. As in 3.4.6 the old one is free only then.
 */
static bool buffer_begin_renewal(struct buffers *buffers, struct buffer *buffer)
{
    lock_acquire(&buffers->lock);
    bool ours = buffer_is_alone(buffers, buffer) && !buffer->queued;
    int id = ours ? buffers_new_id(buffers) : 0;
    if (id) {
        buffers_change_id(buffers, buffer, id);
        lock_acquire(&buffer->lock); /* from now on it can be found again */
    }
    lock_release(&buffers->lock);
    return id != 0;
}

/*
 * Makes a new buffer of the caller's active send buffer, with the memory of the last message. False
 * when that cannot be: then nothing was done.
 */
static bool buffer_renew(struct caller *caller, uint32_t encoding)
{
    struct task *task = caller->task;
    struct buffer *buffer = caller->send;
    if (!buffer || !encoding || encoding == MESSAGE_TRACE) /* an event does not begin empty */
        return false;
    if (!buffer_begin_renewal(&task->buffers, buffer))
        return false;
    buffer->message->maker = &task->endpoint.shm.arena.maker; /* a child of fork has another one */
    message_renew(buffer->message, encoding, buffer_fragment(task));
    buffer->message->header.source = (uint32_t)atomic_load(&task->tid);
    buffer->use = BUFFER_PACKED;
    buffer->cursor = (struct cursor){0, 0};
    lock_release(&buffer->lock);
    return true;
}

int pvm_mkbuf(int encoding)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    int error;
    struct buffer *buffer = buffer_make(caller, encoding, &error);
    if (!buffer)
        return task_report(caller->task, "pvm_mkbuf", error);
    int id = buffer->id;
    buffer_release(buffer);
    return id;
}

int pvm_initsend(int encoding)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    if (buffer_renew(caller, buffer_encoding(encoding)))
        return caller->send->id;
    int error;
    struct buffer *buffer = buffer_make(caller, encoding, &error);
    if (!buffer) {
        task_report(caller->task, "pvm_mkbuf", error);
        return task_report(caller->task, "pvm_initsend", error);
    }
    buffer_discard_active(caller->task, &caller->send);
    buffer_activate(&caller->send, buffer);
    return buffer->id;
}

/* buffer_find, but for one that has a message. */
static struct buffer *buffer_find_full(struct task *task, int id)
{
    struct buffer *buffer = buffer_find(task, id);
    if (!buffer || !buffer_is_freed(buffer))
        return buffer;
    buffer_release(buffer);
    return NULL;
}

/* Drops `buffer` from the caller's active ones. */
static void buffer_deactivate(struct caller *caller, const struct buffer *buffer)
{
    if (caller->send == buffer)
        buffer_activate(&caller->send, NULL);
    if (caller->receive == buffer)
        buffer_activate(&caller->receive, NULL);
}

int pvm_freebuf(int bufid)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    if (bufid == 0)
        return PvmOk;
    if (bufid < 0)
        return task_report(caller->task, "pvm_freebuf", PvmBadParam);
    struct buffer *buffer = buffer_find_full(caller->task, bufid);
    if (!buffer)
        return task_report(caller->task, "pvm_freebuf", PvmNoSuchBuf);
    buffer_deactivate(caller, buffer);
    buffer_discard(caller->task, buffer);
    buffer_release(buffer);
    return PvmOk;
}

int pvm_getsbuf(void)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    return buffer_active_id(&caller->send);
}

int pvm_getrbuf(void)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    return buffer_active_id(&caller->receive);
}

/* Makes the buffer active in one role, which ends its other role. */
static int buffer_set_active(struct caller *caller, int bufid, struct buffer **active,
                             struct buffer **other)
{
    pvmd_link_try(caller->task);
    if (bufid < 0)
        return PvmBadParam;
    struct buffer *buffer = bufid ? buffer_find_full(caller->task, bufid) : NULL;
    if (bufid && !buffer)
        return PvmNoSuchBuf;
    int before = buffer_active_id(active);
    if (buffer && *other == buffer)
        buffer_activate(other, NULL);
    if (buffer) {
        lock_acquire(&buffer->lock);
        buffer_use_for(buffer, active == &caller->receive);
        lock_release(&buffer->lock);
    }
    buffer_activate(active, buffer);
    return before;
}

int pvm_setsbuf(int bufid)
{
    struct caller *caller = caller_self();
    int before = buffer_set_active(caller, bufid, &caller->send, &caller->receive);
    return task_result(caller->task, "pvm_setsbuf", before);
}

int pvm_setrbuf(int bufid)
{
    struct caller *caller = caller_self();
    int before = buffer_set_active(caller, bufid, &caller->receive, &caller->send);
    return task_result(caller->task, "pvm_setrbuf", before);
}

static void buffer_read_info(struct message *message, struct pvmminfo *info);
static void buffer_write_info(struct message *message, struct pvmminfo *info);

/*
 * Calls `use` with the buffer's message under its lock. PvmOk, or the error for a bad id. A message
 * that is still queued may be read only.
 */
static int buffer_with_message(struct task *task, int bufid,
                               void (*use)(struct message *message, struct pvmminfo *info),
                               struct pvmminfo *info)
{
    pvmd_link_try(task);
    if (bufid <= 0)
        return PvmBadParam;
    struct buffer *buffer = buffer_find(task, bufid);
    if (!buffer)
        return PvmNoSuchBuf;
    lock_acquire(&buffer->lock);
    int error = PvmNoSuchBuf;
    if (buffer->message && !(buffer->queued && use == buffer_write_info))
        error = info ? PvmOk : PvmBadParam;
    if (error == PvmOk)
        use(buffer->message, info);
    lock_release(&buffer->lock);
    buffer_release(buffer);
    return error;
}

/* In-place data have no length before they are sent. */
static int buffer_length(const struct message *message)
{
    return message->header.encoding == MESSAGE_IN_PLACE ? 0 : (int)message->length;
}

static void buffer_read_info(struct message *message, struct pvmminfo *info)
{
    *info = (struct pvmminfo){
        .len = buffer_length(message),
        .ctx = message->header.context,
        .tag = message->header.tag,
        .wid = message->header.wait,
        .enc = (int)message->header.encoding,
        .crc = (int)message->header.checksum,
        .src = (int)message->header.source,
        .dst = (int)message->header.destination,
    };
}

static void buffer_write_info(struct message *message, struct pvmminfo *info)
{
    message->header.context = info->ctx;
    message->header.tag = info->tag;
    message->header.wait = info->wid;
    message->header.source = (uint32_t)info->src;
    message->header.destination = (uint32_t)info->dst;
}

int pvm_bufinfo(int bufid, int *bytes, int *msgtag, int *tid)
{
    struct task *task = caller_self()->task;
    struct pvmminfo info;
    int error = buffer_with_message(task, bufid, buffer_read_info, &info);
    if (error < 0)
        return task_report(task, "pvm_bufinfo", error);
    if (bytes)
        *bytes = info.len;
    if (msgtag)
        *msgtag = info.tag;
    if (tid)
        *tid = info.src;
    return PvmOk;
}

int pvm_getminfo(int bufid, struct pvmminfo *info)
{
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_getminfo",
                       buffer_with_message(task, bufid, buffer_read_info, info));
}

int pvm_setminfo(int bufid, struct pvmminfo *info)
{
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_setminfo",
                       buffer_with_message(task, bufid, buffer_write_info, info));
}
