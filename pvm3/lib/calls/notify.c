/* notify.c - asking for a message when something happens. */
#include "core/tid.h"
#include "lib/link/pvmd_link.h"
#include "lib/serve/own_notice.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

static int notify_check(struct task *task, int kind, int tag, int count, const int *tids)
{
    lock_acquire(&task->options_lock);
    bool reserved = task->options.reserved_tids != 0;
    lock_release(&task->options_lock);
    if (tag < 0 && !reserved)
        return PvmBadParam;
    switch (kind) {
    case PvmHostAdd:
    case PvmRouteAdd:
        return PvmOk;
    case PvmHostDelete:
        return count < 1 || !tids ? PvmBadParam : PvmOk;
    case PvmTaskExit:
    case PvmRouteDelete:
        if (count < 1 || !tids)
            return PvmBadParam;
        for (int i = 0; i < count; i++)
            if (!tid_is_task((uint32_t)tids[i]))
                return PvmBadParam;
        return PvmOk;
    default:
        return PvmBadParam;
    }
}

/* Routes are the library's own affair. Cancelling a PvmRouteDelete asks again, as in 3.4.6. */
static int notify_of_routes(struct caller *caller, int what, int tag, int count, const int *tids)
{
    if ((what & ~PvmNotifyCancel) == PvmRouteAdd)
        return own_notice_ask_route_added(caller->task, tag, caller_context(caller),
                                          what & PvmNotifyCancel ? 0 : count);
    int error = PvmOk;
    for (int i = 0; i < count && error == PvmOk; i++)
        error = own_notice_ask_route_deleted(caller->task, (uint32_t)tids[i], tag,
                                             caller_context(caller));
    return error;
}

/* What names this task itself is remembered here, too. As in 3.4.6 a cancel counts as a request. */
static int notify_of_own_end(struct caller *caller, int tag, int count, const int *tids)
{
    int error = PvmOk;
    for (int i = 0; i < count && error == PvmOk; i++)
        if (tids[i] == atomic_load(&caller->task->tid))
            error = own_notice_ask_end(caller->task, tag, caller_context(caller));
    return error;
}

int pvm_notify(int what, int msgtag, int cnt, const int *vals)
{
    struct caller *caller = caller_self();
    struct task *task = caller->task;
    int kind = what & ~PvmNotifyCancel;
    int error = pvmd_link_enrol(task);
    if (error == 0)
        error = notify_check(task, kind, msgtag, cnt, vals);
    if (error < 0)
        return task_report(task, "pvm_notify", error);
    if (kind == PvmRouteAdd || kind == PvmRouteDelete)
        return task_result(task, "pvm_notify", notify_of_routes(caller, what, msgtag, cnt, vals));
    struct message *request = control_new(TM_NOTIFY, PvmBaseContext, 0);
    control_put_int(request, what);
    control_put_int(request, caller_context(caller));
    control_put_int(request, msgtag);
    control_put_int(request, cnt);
    for (int i = 0; kind != PvmHostAdd && i < cnt; i++)
        control_put_int(request, vals[i]);
    error = pvmd_link_order(task, request);
    if (error == 0 && kind == PvmTaskExit)
        error = notify_of_own_end(caller, msgtag, cnt, vals);
    return task_result(task, "pvm_notify", error);
}
