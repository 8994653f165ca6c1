/* thread_task.c - all tasks of one call: their tids, their births, and then their threads. */
#include "lib/spawn/thread_task.h"

#include <stdlib.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "lib/link/lease.h"
#include "lib/serve/options.h"
#include "lib/serve/printed.h"
#include "lib/spawn/thread_start.h"
#include "lib/task/caller.h"
#include "lib/task/process.h"

/* The tasks of one call. If an entry of `starts` is NULL, `results` has the reason. */
struct batch {
    struct caller *caller;
    const struct thread_order *order;
    int count;
    int *results;
    struct start **starts;
    struct task **untold; /* the pvmd has lent the tid and is to be told of the birth; or NULL */
};

static void batch_prepare(struct batch *batch, int turn)
{
    struct start *start = thread_start_prepare(batch->caller, batch->order, turn, batch->count,
                                               &batch->results[turn]);
    batch->starts[turn] = start;
    if (!start)
        return;
    if (start->task->leased)
        batch->untold[turn] = start->task;
    else /* without effect if its connection is gone, as its first call finds out */
        options_tell_sinks(start->task);
}

/* Tells the pvmd of the births. Without memory for it these tasks are undone. */
static void batch_tell(struct batch *batch)
{
    if (lease_tell_births(batch->untold, batch->count) == 0)
        return;
    for (int i = 0; i < batch->count; i++) {
        if (!batch->untold[i])
            continue;
        thread_start_undo(batch->starts[i]);
        batch->starts[i] = NULL;
        batch->results[i] = PvmNoMem;
    }
}

static void batch_run(struct batch *batch)
{
    lease_begin(batch->caller->task->process);
    for (int i = 0; i < batch->count; i++)
        batch_prepare(batch, i);
    batch_tell(batch);
    lease_end(batch->caller->task->process);
    thread_start_give_stacks(batch->caller, batch->starts, batch->count);
    for (int i = 0; i < batch->count; i++)
        if (batch->starts[i])
            batch->results[i] = thread_start_run(batch->starts[i]);
}

/* 0; or PvmNoMem, and there are no results. */
static int thread_task_start_all(struct caller *caller, const struct thread_order *order, int count,
                                 int *results)
{
    HOLD_OFF_CANCELLATION;
    struct batch batch = {.caller = caller, .order = order, .count = count, .results = results};
    batch.starts = calloc((size_t)count, sizeof *batch.starts);
    batch.untold = calloc((size_t)count, sizeof *batch.untold);
    bool room = batch.starts && batch.untold;
    if (room)
        batch_run(&batch);
    free(batch.starts);
    free(batch.untold);
    printed_know(caller->task, atomic_load(&caller->task->tid));
    return room ? PvmOk : PvmNoMem;
}

int thread_task_start_on(struct caller *caller, struct thread_order *order, const char *processors,
                         int count, int *results)
{
    struct processors list;
    if (!processors_read(&list, processors))
        return PvmBadParam;
    order->processors = &list;
    return thread_task_start_all(caller, order, count, results);
}
