/* migrate.c - has a user-level process move to another host. */
#include <stdlib.h>

#include "ck/base/cancel.h"
#include "core/control.h"
#include "core/tid.h"
#include "lib/link/move_order.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

/* Who is to move itself must not wait for the answer: it would not move meanwhile. */
static int migrate_self(struct task *task, struct message *request)
{
    return pvmd_link_tell(task, request, TID_OWN_DAEMON);
}

static int migrate_other(struct task *task, struct message *request)
{
    struct message *answer;
    int result = pvmd_link_call(task, request, &answer);
    if (result == PvmOk)
        result = move_order_read_answer(task, answer);
    message_free(answer);
    return result;
}

static int migrate(struct task *task, int tid, int host)
{
    int result = pvmd_link_enrol(task);
    if (result < 0)
        return result;
    if (!tid_is_task((uint32_t)tid))
        return PvmBadParam;
    if (!task->may_lease && !atomic_load(&task->leased))
        return PvmNotImpl; /* the pvmd is one of 3.4.6 */
    struct message *request = pvmd_link_request(CONTROL_MIGRATE);
    control_put_int(request, tid);
    control_put_int(request, host);
    bool self = tid == atomic_load(&task->tid) && move_order_may_come(task);
    return self ? migrate_self(task, request) : migrate_other(task, request);
}

int pvm_migrate(int tid, int host)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_migrate", migrate(task, tid, host));
}
