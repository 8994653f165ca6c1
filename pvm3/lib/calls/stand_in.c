/* stand_in.c - a message that is delivered as what the task sends itself is. */
#include "lib/calls/stand_in.h"

#include "ck/base/cancel.h"
#include "core/control.h"
#include "lib/serve/handler.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

int stand_in_deliver(int source, int tag, int number)
{
    HOLD_OFF_CANCELLATION;
    struct caller *caller = caller_self();
    struct message *message = control_new(tag, caller_context(caller), number);
    if (!control_is_whole(message)) {
        message_free(message);
        return PvmNoMem;
    }
    message->header.source = (uint32_t)source;
    endpoint_take_own(&caller->task->endpoint, message);
    return PvmOk;
}

bool stand_in_has_handler(int tag)
{
    struct caller *caller = caller_self();
    const struct pattern pattern = {PATTERN_ANY_SOURCE, tag, caller_context(caller), 0};
    return handler_is_there(caller->task, &pattern);
}
