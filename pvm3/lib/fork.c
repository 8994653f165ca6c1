/* fork.c - before and after a fork. */
#include "lib/fork.h"

#include <unistd.h>

#include "lib/buffer.h"
#include "lib/caller.h"
#include "lib/new_task.h"
#include "lib/process.h"
#include "lib/trace_settings.h"

/*
 * Takes the locks in their order. What the child keeps must not lie in memory that it shares with
 * others, or has not got.
 */
void fork_begin(struct task *task)
{
    lock_acquire(&task->enrolment_lock);
    lock_acquire(&task->options_lock);
    lock_acquire(&task->handlers.lock);
    lock_acquire(&task->endpoint.waiting.lock);
    lock_acquire(&task->buffers.lock);
    task->packs_shared = atomic_exchange(&task->endpoint.shm.arena.maker.wanted, false);
    buffers_detach(&task->buffers);
    lock_acquire(&task->process->lock);
    lock_acquire(&task->endpoint.shm.ties_lock);
}

static void fork_release(struct task *task)
{
    lock_release(&task->endpoint.shm.ties_lock);
    lock_release(&task->process->lock);
    lock_release(&task->buffers.lock);
    lock_release(&task->endpoint.waiting.lock);
    lock_release(&task->handlers.lock);
    lock_release(&task->options_lock);
    lock_release(&task->enrolment_lock);
}

void fork_end(struct task *task)
{
    if (task->packs_shared)
        atomic_exchange(&task->endpoint.shm.arena.maker.wanted, true);
    fork_release(task);
}

/* The calling thread is the only one of the process. */
static void fork_take_caller(struct caller *caller, struct task *old, struct task *fresh)
{
    caller_join(caller, fresh);
    caller->thread = (int)getpid();
    turns_inherit(caller, &old->turns);
    caller->changing = caller->handling = false;
}

struct task *fork_succeed(struct task *old)
{
    endpoint_abandon(&old->endpoint);
    fork_release(old);
    old->process->heeded = 0;
    struct task *fresh = task_new(old->process);
    fresh->of_task = old->of_task || atomic_load(&old->enrolment) != TASK_APART;
    fresh->parents = old;
    fresh->name = old->name;
    fresh->context = old->context;
    fresh->options = old->options;
    fresh->options.no_reset = 0;
    fresh->own_sinks = old->own_sinks;
    fresh->child_sinks = old->child_sinks;
    atomic_init(&fresh->auto_error, atomic_load(&old->auto_error));
    atomic_init(&fresh->matcher, atomic_load(&old->matcher));
    atomic_init(&fresh->endpoint.routing, atomic_load(&old->endpoint.routing));
    buffers_inherit(&fresh->buffers, &old->buffers);
    caller_forget_others(old);
    struct caller *caller = caller_current();
    if (caller)
        fork_take_caller(caller, old, fresh);
    trace_settings_forget(fresh);
    return fresh;
}
