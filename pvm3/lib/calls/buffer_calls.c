/* buffer_calls.c - the calls that make a buffer, name one, or tell of its message. */
#include "core/signature.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/buffer.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

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
    message->maker = caller->task->endpoint.engine->maker;
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

/*
 * Makes a new buffer of the caller's active send buffer, with the memory of the last message.
 * Returns the new id, or 0 when the buffer cannot be renewed: then nothing that a program sees has
 * changed.
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
    buffer->message->maker = task->endpoint.engine->maker; /* a child of fork has another one */
    message_renew(buffer->message, encoding, buffer_fragment(task));
    buffer->message->header.source = (uint32_t)atomic_load(&task->tid);
    buffer->use = BUFFER_PACKED;
    buffer->sent = buffer->arrived = false;
    buffer->cursor = (struct cursor){0, 0};
    owned_lock_release(&buffer->lock);
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
        owned_lock_acquire(&buffer->lock);
        buffer_use_for(buffer, role == TURNS_RECEIVE);
        if (role == TURNS_SEND && buffer->message)
            buffer->message->header.unmeasured = 0;
        owned_lock_release(&buffer->lock);
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

/* What is done with the message of a buffer. */
typedef void buffer_use(struct message *message, struct pvmminfo *info);

/*
 * Calls `use` with the message of `buffer` if that has this id. PvmNoSuchBuf if it has not. A
 * message that is still queued may be read only.
 */
static int buffer_use_message(struct buffer *buffer, int bufid, buffer_use *use,
                              struct pvmminfo *info)
{
    int error = PvmNoSuchBuf;
    owned_lock_acquire(&buffer->lock);
    if (buffer->id == bufid && buffer->message && !(buffer->queued && use == buffer_write_info))
        error = info ? PvmOk : PvmBadParam;
    if (error == PvmOk)
        use(buffer->message, info);
    owned_lock_release(&buffer->lock);
    return error;
}

/* Likewise, with any buffer; mostly it is the one that the thread has just received. */
static int buffer_with_message(struct caller *caller, int bufid, buffer_use *use,
                               struct pvmminfo *info)
{
    pvmd_link_try(caller->task);
    if (bufid <= 0)
        return PvmBadParam;
    int error = PvmNoSuchBuf;
    if (caller->receive)
        error = buffer_use_message(caller->receive, bufid, use, info);
    if (error != PvmNoSuchBuf)
        return error;
    struct buffer *buffer = buffer_find(caller->task, bufid);
    if (buffer)
        error = buffer_use_message(buffer, bufid, use, info);
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
    struct caller *caller = caller_self();
    struct pvmminfo info;
    int error = buffer_with_message(caller, bufid, buffer_read_info, &info);
    if (error < 0)
        return task_report(caller->task, "pvm_bufinfo", error);
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
    struct caller *caller = caller_self();
    return task_result(caller->task, "pvm_getminfo",
                       buffer_with_message(caller, bufid, buffer_read_info, info));
}

int pvm_setminfo(int bufid, const struct pvmminfo *info)
{
    struct caller *caller = caller_self();
    struct pvmminfo copy = {0};
    if (info)
        copy = *info;
    return task_result(caller->task, "pvm_setminfo",
                       buffer_with_message(caller, bufid, buffer_write_info, info ? &copy : NULL));
}
