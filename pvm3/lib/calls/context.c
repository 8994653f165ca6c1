/* context.c - message contexts: which messages a thread sees. */
#include "lib/link/pvmd_link.h"
#include "lib/task/abi.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

int pvm_getcontext(void)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    return caller_context(caller);
}

int pvm_setcontext(int context)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    int before = caller_context(caller);
    turns_set_context(caller, context);
    __atomic_exchange_n(&pvmmyctx, context, __ATOMIC_RELAXED); /* for a resource manager of 3.4.6 */
    return before;
}

/* TM_CONTEXT allocates for 0 and frees anything else. */
static int context_ask(struct task *task, int context)
{
    struct message *request = pvmd_link_request(TM_CONTEXT);
    control_put_int(request, context);
    return pvmd_link_ask(task, request);
}

int pvm_newcontext(void)
{
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_newcontext", context_ask(task, 0));
}

int pvm_freecontext(int context)
{
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_freecontext", context_ask(task, context));
}
