/* fork.c - before and after a fork. */
#include "lib/life/fork.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/error.h"
#include "lib/life/new_task.h"
#include "lib/serve/trace_settings.h"
#include "lib/task/abi.h"
#include "lib/task/buffer.h"
#include "lib/task/caller.h"
#include "lib/task/process.h"

/* The locks of a task in their order, before that of the engine. */
static const size_t locks[] = {
    offsetof(struct task, enrolment_lock),
    offsetof(struct task, options_lock),
    offsetof(struct task, handlers.lock),
};

static struct lock *fork_lock(struct task *task, size_t place)
{
    return (struct lock *)(void *)((char *)task + locks[place]);
}

void fork_begin(struct process *process)
{
    struct task *task;
    for (size_t place = 0; place < sizeof locks / sizeof *locks; place++)
        for (task = process->tasks; task; task = task->next)
            lock_acquire_beside(fork_lock(task, place));
    struct engine *engine = process->engine;
    if (engine) {
        lock_acquire(&engine->waiting.lock);
        process->packs_shared = atomic_exchange(&engine->maker->wanted, false);
    }
    /* What the child keeps must not lie in memory that it shares with others, or has not got. */
    for (task = process->tasks; task; task = task->next) {
        lock_acquire_beside(&task->buffers.lock);
        buffers_detach(&task->buffers);
    }
    lock_acquire(&process->lock);
    if (engine)
        engine_hold(engine, true);
}

static void fork_release(struct process *process)
{
    struct task *task;
    struct engine *engine = process->engine;
    if (engine)
        engine_hold(engine, false);
    lock_release(&process->lock);
    for (task = process->tasks; task; task = task->next)
        lock_release(&task->buffers.lock);
    if (engine)
        lock_release(&engine->waiting.lock);
    for (size_t place = sizeof locks / sizeof *locks; place-- > 0;)
        for (task = process->tasks; task; task = task->next)
            lock_release(fork_lock(task, place));
}

void fork_end(struct process *process)
{
    if (process->engine && process->packs_shared)
        atomic_exchange(&process->engine->maker->wanted, true);
    fork_release(process);
}

/* The calling thread is the only one of the process. */
static void fork_take_caller(struct caller *caller, struct task *old, struct task *fresh)
{
    caller_join(caller, fresh);
    turns_inherit(caller, &old->turns);
    caller->changing = caller->handling = caller->leads = false;
}

/* What the child has of the task whose thread has forked. */
static void fork_inherit(struct task *fresh, struct task *old)
{
    fresh->of_task = old->of_task || atomic_load(&old->enrolment) != TASK_APART;
    fresh->name = old->name;
    fresh->context = old->context;
    fresh->options = old->options;
    fresh->options.no_reset = 0;
    fresh->own_sinks = old->own_sinks;
    fresh->child_sinks = old->child_sinks;
    fresh->program = old->program;
    atomic_init(&fresh->auto_error, atomic_load(&old->auto_error));
    atomic_init(&fresh->matcher, atomic_load(&old->matcher));
    atomic_init(&fresh->endpoint.routing, atomic_load(&old->endpoint.routing));
    buffers_inherit(&fresh->buffers, &old->buffers);
}

struct task *fork_succeed(struct process *process, struct task *old)
{
    struct task *task;
    if (process->engine)
        engine_abandon(process->engine);
    for (task = process->tasks; task; task = task->next)
        endpoint_abandon(&task->endpoint);
    fork_release(process);
    process->engine = NULL; /* messages of the child's may be from there */
    for (task = process->tasks; task; task = task->next)
        caller_forget_others(task);
    process->heeded = old ? 0 : 1;
    if (!old) {
        abi_set_number(&pvmmytid, -1);
        return NULL;
    }
    struct task *fresh = task_new(process);
    if (!fresh)
        task_out_of_resources(strerror(errno), error_remedy(errno));
    fresh->parents = process->tasks;
    fork_inherit(fresh, old);
    struct caller *caller = caller_current();
    if (caller)
        fork_take_caller(caller, old, fresh);
    trace_settings_forget(fresh);
    return fresh;
}
