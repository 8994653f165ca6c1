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

/* A new id that leads to `buffer`; 0 without memory. With the lock. */
static int buffers_new_id(struct buffers *buffers, struct buffer *buffer)
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

struct buffer *buffer_new(struct task *task, struct message *message, enum buffer_use use,
                          bool queued, int *id)
{
    struct buffer *buffer = pool_take(&task->buffers.spare);
    if (!buffer)
        buffer = malloc(sizeof *buffer);
    if (!buffer)
        return NULL;
    lock_init(&buffer->lock, LOCK_BUFFER);
    references_start(&buffer->references, 2); /* the table's and the caller's */
    buffer->home = &task->buffers.spare;
    buffer->id = buffer->spare_id = 0;
    buffer->message = message;
    buffer->queued = queued;
    buffer->sent = false;
    buffer->arrived = false;
    buffer->use = use;
    buffer->cursor = (struct cursor){0, 0};
    lock_acquire(&task->buffers.lock);
    *id = buffers_new_id(&task->buffers, buffer);
    lock_release(&task->buffers.lock);
    if (*id) {
        lock_acquire(&buffer->lock);
        buffer->id = *id;
        lock_release(&buffer->lock);
        return buffer;
    }
    lock_destroy(&buffer->lock);
    free(buffer);
    return NULL;
}

/* 0 for one without a message, which no call finds. */
static int buffer_id(struct buffer *buffer)
{
    lock_acquire(&buffer->lock);
    int id = buffer->message ? buffer->id : 0;
    lock_release(&buffer->lock);
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

static void buffer_drop_contents(struct buffer *buffer)
{
    lock_acquire(&buffer->lock);
    struct message *message = buffer->queued ? NULL : buffer->message;
    buffer->message = NULL;
    buffer->queued = false;
    lock_release(&buffer->lock);
    message_free(message);
}

void buffer_discard(struct task *task, struct buffer *buffer)
{
    lock_acquire(&buffer->lock);
    bool alone = buffer_is_alone(buffer);
    int id = buffer->id, spare_id = buffer->spare_id;
    buffer->id = buffer->spare_id = 0;
    lock_release(&buffer->lock);
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
        if (buffer && !buffer->queued && lock_is_free(&buffer->lock) &&
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

/* What other threads may be about to use stays. */
static void buffer_leave(struct caller *caller, struct buffer **active, enum turns_role role)
{
    if (turns_leave(caller, role))
        buffer_activate(active, NULL);
    else
        buffer_discard_active(caller->task, active);
}

void buffer_forget_caller(struct caller *caller)
{
    buffer_leave(caller, &caller->send, TURNS_SEND);
    buffer_leave(caller, &caller->receive, TURNS_RECEIVE);
    turns_leave_call(caller);
}

/*
 * A buffer to unpack `message` from, which is in no queue any more, and its id. One that pvm_probe
 * has given an id keeps it.
 */
static struct buffer *buffer_for_message(struct task *task, struct message *message, int *id)
{
    struct buffer *buffer = message->buffer > 0 ? buffer_find(task, message->buffer) : NULL;
    if (!buffer)
        return buffer_new(task, message, BUFFER_UNPACKED, false, id);
    *id = message->buffer;
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

/* For what came in `message`, which is freed if there is no buffer. */
static int buffer_make_receive(struct caller *caller, struct buffer *buffer, int id,
                               struct message *message, bool arrived)
{
    if (!buffer) {
        message_free(message);
        return PvmNoMem;
    }
    lock_acquire(&buffer->lock);
    buffer->arrived = arrived;
    lock_release(&buffer->lock);
    buffer_activate(&caller->receive, buffer);
    turns_tell(&caller->task->turns, caller, TURNS_RECEIVE, id);
    return id;
}

int buffer_receive(struct caller *caller, struct message *message)
{
    int id;
    struct buffer *buffer = buffer_for_message(caller->task, message, &id);
    return buffer_make_receive(caller, buffer, id, message, true);
}

int buffer_receive_inner(struct caller *caller, struct message *message, struct cursor cursor)
{
    int id;
    message->fragment = buffer_fragment(caller->task);
    struct buffer *buffer = buffer_new(caller->task, message, BUFFER_UNPACKED, false, &id);
    if (buffer) {
        lock_acquire(&buffer->lock);
        buffer->cursor = cursor;
        lock_release(&buffer->lock);
    }
    return buffer_make_receive(caller, buffer, id, message, false);
}

void buffer_begin_receive(struct caller *caller)
{
    turns_replace(&caller->task->turns, caller, TURNS_RECEIVE);
    if (caller->receive)
        buffer_drop_contents(caller->receive);
}

/*
 * Makes an emptied buffer that only the caller and the table have one of `message`. Returns its id,
 * or 0 when it is not such a one.
 */
static int buffer_refill(struct buffer *buffer, struct message *message)
{
    lock_acquire(&buffer->lock);
    int id = buffer_is_alone(buffer) && !buffer->message ? buffer->id : 0;
    if (id) {
        buffer->message = message;
        buffer->arrived = true;
        buffer->use = BUFFER_UNPACKED;
        buffer->cursor = (struct cursor){0, 0};
    }
    lock_release(&buffer->lock);
    return id;
}

int buffer_end_receive(struct caller *caller, struct message *message, int result)
{
    struct buffer *buffer = caller->receive;
    int id = 0;
    if (buffer && message && message->buffer == 0)
        id = buffer_refill(buffer, message);
    if (id) {
        turns_tell(&caller->task->turns, caller, TURNS_RECEIVE, id);
        return id;
    }
    buffer_discard_active(caller->task, &caller->receive);
    if (message)
        return buffer_receive(caller, message);
    turns_tell(&caller->task->turns, caller, TURNS_RECEIVE, 0);
    return result;
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

size_t buffer_fragment(const struct task *task)
{
    int size = __atomic_load_n(&task->options.fragment_size, __ATOMIC_RELAXED);
    return (size_t)size - MESSAGE_FRAGMENT_OVERHEAD;
}

/* A fresh buffer with a reference for the caller, and its id; NULL with the error in *id. */
static struct buffer *buffer_make(struct caller *caller, int encoding, int *id)
{
    uint32_t field = buffer_encoding(encoding);
    *id = PvmBadParam;
    if (!field)
        return NULL;
    *id = PvmNoMem;
    struct message *message = message_new(field, buffer_fragment(caller->task));
    if (!message)
        return NULL;
    message->maker = &caller->task->endpoint.shm.arena.maker;
    message->header.source = (uint32_t)atomic_load(&caller->task->tid);
    if (field == MESSAGE_TRACE && trace_begin_user_event(message) < 0) {
        message_free(message);
        return NULL;
    }
    struct buffer *buffer = buffer_new(caller->task, message, BUFFER_PACKED, false, id);
    if (!buffer) {
        message_free(message);
        *id = PvmNoMem;
    }
    return buffer;
}

/* Locks the buffer if only the caller and the table have it. */
static bool buffer_lock_alone(struct buffer *buffer)
{
    lock_acquire(&buffer->lock);
    bool alone = buffer_is_alone(buffer) && buffer->message && !buffer->queued;
    if (!alone)
        lock_release(&buffer->lock);
    return alone;
}

/*
 * The same, and gives it a new id. In a process of threads the old one becomes the spare one;
 * otherwise the table costs no lock, and gives out the ids of 3.4.6.
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
        lock_release(&buffer->lock);
    }
    lock_release(&buffers->lock);
    return id != 0;
}

/* The same by its spare id, if it has one. */
static bool buffer_begin_renewal(struct buffers *buffers, struct buffer *buffer)
{
    if (!buffer_lock_alone(buffer))
        return false;
    int id = buffer->spare_id;
    if (id) {
        buffer->spare_id = buffer->id;
        buffer->id = id;
        return true;
    }
    lock_release(&buffer->lock);
    return buffer_lock_with_new_id(buffers, buffer);
}

/*
 * Makes a new buffer of the caller's active send buffer, with the memory of the last message. Its
 * new id, or 0 when that cannot be: then nothing was done that is seen.
 */
static int buffer_renew(struct caller *caller, uint32_t encoding)
{
    struct task *task = caller->task;
    struct buffer *buffer = caller->send;
    if (!buffer || !encoding || encoding == MESSAGE_TRACE) /* an event does not begin empty */
        return 0;
    if (!buffer_begin_renewal(&task->buffers, buffer))
        return 0;
    int id = buffer->id;
    buffer->message->maker = &task->endpoint.shm.arena.maker; /* a child of fork has another one */
    message_renew(buffer->message, encoding, buffer_fragment(task));
    buffer->message->header.source = (uint32_t)atomic_load(&task->tid);
    buffer->use = BUFFER_PACKED;
    buffer->sent = buffer->arrived = false;
    buffer->cursor = (struct cursor){0, 0};
    lock_release(&buffer->lock);
    turns_tell(&task->turns, caller, TURNS_SEND, id);
    return id;
}

int pvm_mkbuf(int encoding)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    int id;
    struct buffer *buffer = buffer_make(caller, encoding, &id);
    if (!buffer)
        return task_report(caller->task, "pvm_mkbuf", id);
    buffer_release(buffer);
    return id;
}

int pvm_initsend(int encoding)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    turns_replace(&caller->task->turns, caller, TURNS_SEND);
    int id = buffer_renew(caller, buffer_encoding(encoding));
    if (id)
        return id;
    struct buffer *buffer = buffer_make(caller, encoding, &id);
    if (!buffer) {
        task_report(caller->task, "pvm_mkbuf", id);
        return task_report(caller->task, "pvm_initsend", id);
    }
    buffer_discard_active(caller->task, &caller->send);
    buffer_activate(&caller->send, buffer);
    turns_tell(&caller->task->turns, caller, TURNS_SEND, id);
    return id;
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
    struct buffer *buffer = buffer_find(caller->task, bufid);
    if (!buffer)
        return task_report(caller->task, "pvm_freebuf", PvmNoSuchBuf);
    buffer_deactivate(caller, buffer);
    turns_forget(caller->task, bufid);
    buffer_discard(caller->task, buffer);
    buffer_release(buffer);
    return PvmOk;
}

int pvm_getsbuf(void)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    turns_replace(&caller->task->turns, caller, TURNS_SEND);
    return buffer_active_id(&caller->send);
}

int pvm_getrbuf(void)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    turns_replace(&caller->task->turns, caller, TURNS_RECEIVE);
    return buffer_active_id(&caller->receive);
}

/* Makes the buffer active in one role, which ends its other role. */
static int buffer_set_active(struct caller *caller, int bufid, struct buffer **active,
                             struct buffer **other)
{
    struct turns *turns = &caller->task->turns;
    enum turns_role role = active == &caller->send ? TURNS_SEND : TURNS_RECEIVE;
    enum turns_role other_role = role == TURNS_SEND ? TURNS_RECEIVE : TURNS_SEND;
    pvmd_link_try(caller->task);
    if (bufid < 0)
        return PvmBadParam;
    turns_replace(turns, caller, role);
    turns_replace(turns, caller, other_role);
    struct buffer *buffer = bufid ? buffer_find(caller->task, bufid) : NULL;
    if (bufid && !buffer)
        return PvmNoSuchBuf;
    int before = buffer_active_id(active);
    if (buffer && *other == buffer) {
        buffer_activate(other, NULL);
        turns_tell(turns, caller, other_role, 0);
    }
    if (buffer) {
        lock_acquire(&buffer->lock);
        buffer_use_for(buffer, role == TURNS_RECEIVE);
        if (role == TURNS_SEND && buffer->message)
            buffer->message->header.unmeasured = 0;
        lock_release(&buffer->lock);
    }
    buffer_activate(active, buffer);
    caller->taken[role] = false;
    if (bufid)
        turns_tell(turns, caller, role, bufid);
    else
        turns_put_back(caller, role);
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
    bool known = message->header.encoding != MESSAGE_IN_PLACE && !message->header.unmeasured;
    return known ? (int)message->length : 0;
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

int pvm_setminfo(int bufid, const struct pvmminfo *info)
{
    struct task *task = caller_self()->task;
    struct pvmminfo copy = {0};
    if (info)
        copy = *info;
    return task_result(task, "pvm_setminfo",
                       buffer_with_message(task, bufid, buffer_write_info, info ? &copy : NULL));
}
