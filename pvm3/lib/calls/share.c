/* share.c - arrays that are sent without a copy to whom shares memory with the sender. */
#include "ck/base/cancel.h"
#include "core/shared_array.h"
#include "lib/calls/pack.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

struct share {
    const void *array;
    size_t bytes;
    void (*release)(void *array);
};

static int share_put(struct message *message, const void *context)
{
    const struct share *share = context;
    return shared_array_put(message, share->array, share->bytes, share->release);
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

int pvm_shared(const void **array, size_t *bytes)
{
    HOLD_OFF_CANCELLATION;
    struct share share = {NULL, 0, NULL};
    int error = array && bytes ? unpack_by(share_get, &share) : PvmBadParam;
    if (error == PvmOk) {
        *array = share.array;
        *bytes = share.bytes;
    }
    return task_result(caller_self()->task, "pvm_shared", error);
}
