/* tracer.c - the masks of events, and how a task becomes the tracer. */
#include <string.h>

#include "core/control.h"
#include "lib/calls/service.h"
#include "lib/serve/trace_settings.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

static struct Pvmtracer *tracer_settings_of(struct task *task, int who)
{
    if (who == PvmTaskSelf)
        return &task->own_sinks;
    return who == PvmTaskChild ? &task->child_sinks : NULL;
}

int pvm_gettmask(int who, Pvmtmask mask)
{
    struct task *task = caller_self()->task;
    const struct Pvmtracer *settings = tracer_settings_of(task, who);
    if (!settings)
        return task_report(task, "pvm_gettmask", PvmBadParam);
    lock_acquire(&task->options_lock);
    memcpy(mask, settings->tmask, TEV_MASK_LENGTH);
    lock_release(&task->options_lock);
    return PvmOk;
}

int pvm_settmask(int who, Pvmtmask mask)
{
    struct task *task = caller_self()->task;
    struct Pvmtracer *settings = tracer_settings_of(task, who);
    if (!settings)
        return task_report(task, "pvm_settmask", PvmBadParam);
    trace_settings_change_mask(task, settings, mask);
    return PvmOk;
}

static void tracer_put(struct message *message, const void *what)
{
    const struct Pvmtracer *wanted = what;
    control_put_int(message, wanted->trcctx);
    control_put_int(message, wanted->trctag);
    control_put_int(message, wanted->outctx);
    control_put_int(message, wanted->outtag);
    control_put_string(message, wanted->tmask);
    control_put_int(message, wanted->trcbuf);
    control_put_int(message, wanted->trcopt);
}

int pvm_reg_tracer(int tctx, int ttag, int octx, int otag, const char *mask, int tbuf, int topt)
{
    struct task *task = caller_self()->task;
    struct Pvmtracer wanted = {.trcctx = tctx,
                               .trctag = ttag,
                               .outctx = octx,
                               .outtag = otag,
                               .trcbuf = tbuf,
                               .trcopt = topt};
    const struct service_role role = {.request = TM_TRACER,
                                      .mailbox = PVMTRACERCLASS,
                                      .put_settings = tracer_put,
                                      .settings = &wanted};
    if (!trace_settings_is_mask(mask))
        return task_report(task, "pvm_reg_tracer", PvmBadParam);
    memcpy(wanted.tmask, mask, TEV_MASK_LENGTH);
    return task_result(task, "pvm_reg_tracer", service_change(task, &task->tracer, &role));
}
