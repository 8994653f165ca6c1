/* send.c - messages on their way out. */
#include "lib/calls/send.h"

#include <stdlib.h>
#include <string.h>

#include "ck/base/cancel.h"
#include "core/control.h"
#include "core/encode.h"
#include "core/rarely.h"
#include "core/tid.h"
#include "lib/link/dialect.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/buffer.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

/* Only tasks that set PvmResvTids may use tags below 0 and destinations that are no tasks. */
RARELY static bool send_may_use_reserved(struct task *task)
{
    lock_acquire(&task->options_lock);
    bool may = task->options.reserved_tids != 0;
    lock_release(&task->options_lock);
    return may;
}

static inline int send_check(struct task *task, const int *tids, int count, int tag)
{
    bool plain = tag >= 0;
    for (int i = 0; i < count && plain; i++)
        plain = tid_is_task((uint32_t)tids[i]);
    return plain || send_may_use_reserved(task) ? PvmOk : PvmBadParam;
}

/* What is done with a message that is sealed. */
enum sealing {
    SEAL_FOR_ONE,  /* it is sent to one task, */
    SEAL_FOR_MANY, /* or to several; */
    SEAL_TO_KEEP,  /* or it is needed for longer */
};

/*
 * A message as it goes out. A short one is copied, which takes less than to share its body: if it
 * may be for a task of this process, it becomes the receiver's own one. Where nobody can change the
 * buffer meanwhile, its own message goes out.
 */
struct sealed {
    const struct message *message;
    struct message *view; /* to be freed, or NULL */
    bool for_receiver;    /* as the receiver's own one (endpoint_make_short) */
    struct message copy;
    unsigned char body[ENDPOINT_SHORT];
};

/* Whether no thread and no function of the program runs until the caller has sent its message. */
static bool send_is_alone(const struct task *task)
{
    return process_has_one_thread() &&
           atomic_load_explicit(&task->handlers.in_sends, memory_order_relaxed) == 0;
}

/* With the lock of the buffer, whose message has its header. 0 or PvmNoMem. */
static int send_seal_message(struct caller *caller, const struct message *message,
                             enum sealing sealing, struct sealed *sealed)
{
    struct endpoint *endpoint = &caller->task->endpoint;
    bool kept = sealing == SEAL_TO_KEEP;
    sealed->view = NULL;
    if (sealing == SEAL_FOR_ONE && !process_has_one_thread())
        sealed->view = endpoint_make_short(endpoint, message->header.destination, message);
    sealed->for_receiver = sealed->view != NULL;
    if (sealed->view)
        sealed->message = sealed->view;
    else if (!kept && send_is_alone(caller->task))
        sealed->message = message;
    else if (!kept && engine_passing(endpoint->engine) != PASS_SHARED &&
             message_copy_short(message, &sealed->copy, sealed->body, ENDPOINT_SHORT))
        sealed->message = &sealed->copy;
    else
        sealed->message = sealed->view = message_view_from(&caller->views, message);
    return sealed->message ? PvmOk : PvmNoMem;
}

/*
 * The active send buffer as it goes out now, until send_unseal, or for longer in a view of it. What
 * 3.4.6 shows of a buffer after sending it, its tag and context, is noted in the
 * buffer.
 */
static int send_seal(struct caller *caller, int tag, uint32_t destination, enum sealing sealing,
                     struct sealed *sealed)
{
    turns_use(&caller->task->turns, caller, TURNS_SEND);
    struct buffer *buffer = caller->send;
    if (!buffer)
        return PvmNoBuf;
    owned_lock_acquire(&buffer->lock);
    int error = PvmNoBuf;
    if (buffer->message && !buffer->queued) {
        buffer->sent = true;
        buffer->message->header.tag = tag;
        buffer->message->header.context = caller_context(caller);
        buffer->message->header.destination = destination;
        error = send_seal_message(caller, buffer->message, sealing, sealed);
    }
    owned_lock_release(&buffer->lock);
    return error;
}

static void send_unseal(struct sealed *sealed)
{
    message_free(sealed->view);
}

int send_view(struct task *task, const struct message *view, uint32_t destination)
{
    const struct parcel parcel = {view, destination};
    return dialect_result(endpoint_send(&task->endpoint, &parcel, true));
}

/* Sends what was sealed, whatever this takes. */
static int send_sealed(struct caller *caller, struct sealed *sealed, int tid, bool event)
{
    HOLD_OFF_CANCELLATION;
    int error = event ? trace_send_user(caller, sealed->message)
                      : send_view(caller->task, sealed->message, (uint32_t)tid);
    send_unseal(sealed);
    return error;
}

static int send_active(struct caller *caller, int tid, int tag)
{
    struct task *task = caller->task;
    bool event = tid == PVM_TRACE_TID && tag == PVM_TRACE_CODE;
    int error = pvmd_link_enrol(task);
    if (error == 0 && !event)
        error = send_check(task, &tid, 1, tag);
    struct sealed sealed;
    if (error == 0)
        error = send_seal(caller, tag, (uint32_t)tid, event ? SEAL_TO_KEEP : SEAL_FOR_ONE, &sealed);
    if (event && error == PvmNoBuf)
        return PvmOk;
    if (error < 0)
        return error;
    if (sealed.for_receiver && endpoint_hand_at_once(&task->endpoint, sealed.view))
        return PvmOk;
    return send_sealed(caller, &sealed, tid, event);
}

int pvm_send(int tid, int msgtag)
{
    struct caller *caller = caller_self();
    return task_result(caller->task, "pvm_send", send_active(caller, tid, msgtag));
}

/* Multicast. ----------------------------------------------------------------------------------- */

static int send_compare_tids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts, and drops doubles and the own tid. Returns how many are left. */
static int send_sort_tids(uint32_t *tids, int count, uint32_t own)
{
    int kept = 0;
    qsort(tids, (size_t)count, sizeof *tids, send_compare_tids);
    for (int i = 0; i < count; i++)
        if (tids[i] != own && (kept == 0 || tids[kept - 1] != tids[i]))
            tids[kept++] = tids[i];
    return kept;
}

/* In 3.4.6 a multicast to nobody leaves the buffer as it was. */
static bool send_is_to_nobody(const int *tids, int count, uint32_t own)
{
    for (int i = 0; i < count; i++)
        if ((uint32_t)tids[i] != own)
            return false;
    return true;
}

int send_multicast(struct task *task, const int *tids, int count, const struct message *view)
{
    if (count == 0)
        return PvmOk;
    uint32_t *sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted)
        return PvmNoMem;
    memcpy(sorted, tids, (size_t)count * sizeof *sorted);
    int kept = send_sort_tids(sorted, count, (uint32_t)atomic_load(&task->tid));
    int error = kept > 0 ? endpoint_send_all(&task->endpoint, view, sorted, kept) : 0;
    free(sorted);
    return dialect_result(error);
}

static int send_active_to_many(struct caller *caller, const int *tids, int count, int tag)
{
    struct task *task = caller->task;
    int error = pvmd_link_enrol(task);
    turns_use(&task->turns, caller, TURNS_SEND);
    if (error == 0 && !buffer_active_id(&caller->send))
        error = PvmNoBuf;
    if (error == 0)
        error =
            count < 0 || (!tids && count > 0) ? PvmBadParam : send_check(task, tids, count, tag);
    uint32_t own = (uint32_t)atomic_load(&task->tid);
    if (error < 0 || send_is_to_nobody(tids, count, own))
        return error;
    struct sealed sealed;
    error = send_seal(caller, tag, own | TID_MULTICAST_BIT, SEAL_FOR_MANY, &sealed);
    if (error < 0)
        return error;
    error = send_multicast(task, tids, count, sealed.message);
    send_unseal(&sealed);
    return error;
}

int pvm_mcast(const int *tids, int ntask, int msgtag)
{
    struct caller *caller = caller_self();
    return task_result(caller->task, "pvm_mcast", send_active_to_many(caller, tids, ntask, msgtag));
}

/* An array as it lies in memory. --------------------------------------------------------------- */

static int send_array(struct caller *caller, int tid, int tag, const void *items, int count,
                      int type)
{
    struct task *task = caller->task;
    pvmd_link_try(task);
    if (type == PVM_STR)
        return PvmNotImpl;
    if (encode_item_size(type) == 0 || (!items && count > 0))
        return PvmBadParam;
    int error = pvmd_link_enrol(task);
    if (error < 0)
        return error;
    if (count < 0) /* 3.4.6 packs nothing and sends nevertheless */
        task_report(task, "pvm_pkbyte", PvmBadParam);
    error = send_check(task, &tid, 1, tag);
    if (error < 0) /* 3.4.6 packs and sends: the inner call tells of it, too */
        return task_report(task, "pvm_send", error);
    struct message view;
    message_init(&view, MESSAGE_IN_PLACE, MESSAGE_FRAGMENT_DEFAULT);
    view.header.tag = tag;
    view.header.context = caller_context(caller);
    error = count > 0 ? encode_pack(&view, type, items, count, 1) : PvmOk;
    if (error == 0)
        error = send_view(task, &view, (uint32_t)tid);
    message_finish(&view);
    return error;
}

int pvm_psend(int tid, int msgtag, const void *buf, int len, int datatype)
{
    struct caller *caller = caller_self();
    return task_result(caller->task, "pvm_psend",
                       send_array(caller, tid, msgtag, buf, len, datatype));
}
