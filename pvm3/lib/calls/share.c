/* share.c - arrays that are sent without a copy to whom shares memory with the sender. */
#include <stdlib.h>
#include <string.h>

#include "ck/base/cancel.h"
#include "core/shared_array.h"
#include "lib/calls/pack.h"
#include "lib/task/buffer.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

struct share {
    const void *array;
    size_t bytes;
    void (*release)(void *array);
};

/*
 * The memory of a user-level process goes with it, perhaps to another process, while others read:
 * they get a copy, which is the library's.
 */
static int share_put_copy(struct message *message, const struct share *share)
{
    void *copy = malloc(share->bytes + 1);
    if (!copy)
        return PvmNoMem;
    if (share->bytes > 0)
        memcpy(copy, share->array, share->bytes);
    int error = shared_array_put(message, copy, share->bytes, free);
    if (error < 0)
        free(copy);
    else if (share->release)
        share->release((void *)(uintptr_t)share->array);
    return error;
}

static int share_put(struct message *message, const void *context)
{
    const struct share *share = context;
    const struct task *task = caller_current()->task;
    return task->is_thread && task->process->carriers
               ? share_put_copy(message, share)
               : shared_array_put(message, share->array, share->bytes, share->release);
}

int pvm_share(const void *array, size_t bytes, void (*release)(void *array))
{
    HOLD_OFF_CANCELLATION;
    const struct share share = {array, bytes, release};
    int error = !array && bytes > 0 ? PvmBadParam : pack_by(share_put, &share);
    return task_result(caller_self()->task, "pvm_share", error);
}

static int share_get(struct message *message, struct cursor *cursor, void *context)
{
    struct share *share = context;
    return shared_array_get(message, cursor, &share->array, &share->bytes);
}

/* The program has a pointer into the message that it has received. */
static void share_note_shown(struct buffer *received)
{
    owned_lock_acquire(&received->lock);
    received->shown = true;
    owned_lock_release(&received->lock);
}

int pvm_shared(const void **array, size_t *bytes)
{
    HOLD_OFF_CANCELLATION;
    struct share share = {NULL, 0, NULL};
    int error = array && bytes ? unpack_by(share_get, &share) : PvmBadParam;
    if (error == PvmOk) {
        *array = share.array;
        *bytes = share.bytes;
        share_note_shown(caller_current()->receive);
    }
    return task_result(caller_self()->task, "pvm_shared", error);
}
