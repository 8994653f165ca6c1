/* handler_calls.c - pvm_addmhf and pvm_delmhf. */
#include <stdio.h>

#include "lib/link/pvmd_link.h"
#include "lib/serve/handler.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

int pvm_addmhf(int src, int tag, int ctx, int (*handler)(int bufid))
{
    struct task *task = caller_self()->task;
    const struct pattern pattern = {.source = (uint32_t)src, .tag = tag, .context = ctx};
    pvmd_link_try(task);
    if (!handler)
        return task_report(task, "pvm_addmhf", PvmBadParam);
    return task_result(task, "pvm_addmhf", handler_add(task, &pattern, handler));
}

int pvm_delmhf(int mhid)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (mhid < 0)
        return task_report(task, "pvm_delmhf", PvmBadParam);
    return task_result(task, "pvm_delmhf", handler_remove(task, mhid));
}

/* The text is that of 3.4.6, which examples show to their users. */
static void handler_print(const char *who, int tid, const struct handlers *handlers, int id)
{
    const struct handler *handler = &handlers->list[id];
    char source[16];
    snprintf(source, sizeof source, "t%x", handler->pattern.source);
    printf("%s t%x: dhandles[%2d].mhid = %2d  .handle = %2d     handles[%2d].mhid = %2d  "
           ".header.src = %-9s  "
           ".header.ctx = %8d  .header.tag= %8d\n",
           who, (unsigned)tid, id, handlers->ids[id].link, handlers->ids[id].place, id, handler->id,
           source, handler->pattern.context, handler->pattern.tag);
}

void pvmdisplaymhfinfo(char *who, char *msg, int tid)
{
    struct handlers *handlers = &caller_self()->task->handlers;
    lock_acquire(&handlers->lock);
    printf("\n%s t%x: Display Message Handler Information: ndhandles = %d\tnhandles = "
           "%d\tfl_dhandles = %d\n",
           who, (unsigned)tid, handlers->id_count, handlers->count, handlers->free_id);
    printf("pvmdisplaymhfinfo: free list.  head <- ");
    for (int id = handlers->free_id; id >= 0; id = handlers->ids[id].link)
        printf("%d ", id);
    printf("-< tail\n%s t%x: %s\n", who, (unsigned)tid, msg);
    for (int id = 0; id < handlers->id_count; id++)
        handler_print(who, tid, handlers, id);
    printf("\n\n");
    lock_release(&handlers->lock);
}
