/* new_task.c - puts a task together: its parts, and what is done for it by files above task.h. */
#include "lib/life/new_task.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <pvm3.h>

#include "core/annotate.h"
#include "core/cache_line.h"
#include "lib/life/enrolment.h"
#include "lib/life/handler_run.h"
#include "lib/link/dialect.h"
#include "lib/link/lease.h"
#include "lib/link/pvmd_link.h"
#include "lib/link/park_order.h"
#include "lib/link/results.h"
#include "lib/link/siblings.h"
#include "lib/serve/catchout.h"
#include "lib/serve/handler.h"
#include "lib/serve/own_notice.h"
#include "lib/serve/printed.h"
#include "lib/task/buffer.h"
#include "lib/task/caller.h"
#include "lib/task/lock_ranks.h"
#include "lib/task/process.h"
#include "lib/task/variables.h"

static void task_discard(void *owner, struct message *message)
{
    buffer_drop_message(owner, message);
}

static void task_lose(void *owner, const char *reason)
{
    lease_tell_death(owner);
    pvmd_link_lost(owner, reason);
}

static bool task_may_cancel(void *owner)
{
    (void)owner;
    return caller_begin_wait(caller_current());
}

static unsigned task_may_recall(void *owner)
{
    const struct caller *caller = caller_current();
    bool moves = caller->may_move && !caller->handling;
    (void)owner;
    return (moves ? RECALL_RECEIVES : 0) | (caller->may_return ? RECALL_WAITS : 0);
}

static int task_open_endpoint(struct task *task, struct engine *engine)
{
    const struct endpoint_owner owner = {
        .wants = handler_wants,
        .intercept = handler_intercept,
        .errand = handler_run,
        .lost = task_lose,
        .dropped = pvmd_link_dropped,
        .no_network = pvmd_link_dropped,
        .discard = task_discard,
        .name = pvmd_link_temporary_name,
        .routed = own_notice_tell_route,
        .cancellable = task_may_cancel,
        .recallable = task_may_recall,
        .dialect = &dialect_3_4_6,
        .owner = task,
    };
    return endpoint_init(&task->endpoint, engine, &owner);
}

static void task_init(struct task *task, struct process *process)
{
    static const struct task_steps steps = {
        .enrol = enrolment_begin,
        .leave = enrolment_exit,
        .stay = enrolment_stay,
        .stop = enrolment_stop_thread,
    };
    task->steps = &steps;
    task->process = process;
    lock_init(&task->enrolment_lock, LOCK_ENROLMENT);
    sleepers_start(&task->enrolment_changed);
    lock_init(&task->options_lock, LOCK_OPTIONS);
    lock_init(&task->buffers.lock, LOCK_BUFFERS);
    lock_init(&task->handlers.lock, LOCK_HANDLERS);
    lock_init(&task->own_notices.lock, LOCK_NOTICES);
    lock_init(&task->results.lock, LOCK_RESULTS);
    catchout_start(&task->catcher);
    trace_init(&task->trace);
    atomic_init(&task->enrolment, TASK_APART);
    atomic_init(&task->tid, -1);
    task->program = &task_of_process;
    atomic_init(&task->auto_error, 1);
    task->buffers.next_id = 1;
    task->buffers.may_be_owned = owned_lock_is_possible();
    pool_start(&task->buffers.spare, POOL_MOST);
    task->handlers.free_id = -1;
    task->alone = -1;
    atomic_init(&task->handlers.added, 0);
    ANNOTATE_ATOMIC(&task->handlers.added, sizeof task->handlers.added);
    atomic_init(&task->handlers.in_sends, 0);
    ANNOTATE_ATOMIC(&task->handlers.in_sends, sizeof task->handlers.in_sends);
    task->context = (int)variables_get_number(task, "PVMCTX", PvmBaseContext);
    turns_init(task);
    task->options = (struct options){
        .route = PvmAllowDirect,
        .fragment_size = MESSAGE_FRAGMENT_DEFAULT + MESSAGE_FRAGMENT_OVERHEAD,
        .show_tids = 1,
    };
}

/* What all tasks of the process share, made now if need be. 0 or a negative errno. */
static int task_find_engine(struct process *process)
{
    if (process->engine)
        return 0;
    struct engine *engine = cache_line_allocate(sizeof *engine);
    int error = engine ? engine_init(engine) : -ENOMEM;
    if (error < 0)
        free(engine);
    else
        process->engine = engine;
    return error;
}

struct task *task_new(struct process *process)
{
    struct task *task = cache_line_allocate(sizeof *task);
    if (!task)
        return NULL;
    int error = task_find_engine(process);
    if (error == 0)
        error = task_open_endpoint(task, process->engine);
    if (error < 0) {
        free(task);
        errno = -error;
        return NULL;
    }
    task_init(task, process);
    lock_acquire(&task->options_lock);
    task_show(task);
    lock_release(&task->options_lock);
    return task;
}

void task_free(struct task *task)
{
    enrolment_stay_no_more(task);
    endpoint_detach(&task->endpoint);
    task_hide(task);
    buffers_finish(task);
    handler_finish(task);
    own_notice_forget(task);
    catchout_end(&task->catcher);
    printed_finish(task);
    results_finish(task);
    park_order_finish(task);
    siblings_finish(task);
    trace_finish(&task->trace);
    endpoint_destroy(&task->endpoint);
    sleepers_finish(&task->enrolment_changed);
    lock_destroy(&task->enrolment_lock);
    lock_destroy(&task->options_lock);
    lock_destroy(&task->own_notices.lock);
    free(task->name);
    free(task);
}
