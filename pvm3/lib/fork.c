/* fork.c - before and after a fork. */
#include "lib/fork.h"

#include <pthread.h>

#include "lib/abi.h"
#include "lib/buffer.h"
#include "lib/task.h"
#include "lib/trace_settings.h"

/*
 * The locks that are held over a fork, in their order. What the child keeps must not lie in memory
 * that it shares with others, or has not got.
 */
static void fork_acquire(struct task *task)
{
    lock_acquire(&task->enrolment_lock);
    lock_acquire(&task->options_lock);
    lock_acquire(&task->handlers.lock);
    lock_acquire(&task->endpoint.waiting.lock);
    lock_acquire(&task->buffers.lock);
    task->packs_shared = atomic_exchange(&task->endpoint.shm.arena.maker.wanted, false);
    buffers_detach(&task->buffers);
    lock_acquire(&task->variables_lock);
    lock_acquire(&task->endpoint.shm.ties_lock);
}

static void fork_release(struct task *task)
{
    lock_release(&task->endpoint.shm.ties_lock);
    lock_release(&task->variables_lock);
    lock_release(&task->buffers.lock);
    lock_release(&task->endpoint.waiting.lock);
    lock_release(&task->handlers.lock);
    lock_release(&task->options_lock);
    lock_release(&task->enrolment_lock);
}

static void fork_before(void)
{
    fork_acquire(task_of_process());
}

static void fork_in_parent(void)
{
    struct task *task = task_of_process();
    if (task->packs_shared)
        atomic_exchange(&task->endpoint.shm.arena.maker.wanted, true);
    fork_release(task);
}

/* The parent's task stays where it is: the stack may still refer to it. */
static void fork_in_child(void)
{
    struct task *old = task_of_process();
    endpoint_abandon(&old->endpoint);
    fork_release(old);
    struct task *fresh = task_new();
    fresh->of_task = old->of_task || atomic_load(&old->enrolment) != TASK_APART;
    fresh->parents = old;
    fresh->name = old->name;
    fresh->context = old->context;
    fresh->options = old->options;
    fresh->options.no_reset = 0;
    atomic_init(&fresh->auto_error, atomic_load(&old->auto_error));
    atomic_init(&fresh->matcher, atomic_load(&old->matcher));
    atomic_init(&fresh->endpoint.routing, atomic_load(&old->endpoint.routing));
    buffers_inherit(&fresh->buffers, &old->buffers);
    callers_forget_others(old);
    task_succeed(fresh);
    trace_settings_forget(fresh);
    __atomic_store_n(&pvmmytid, -1, __ATOMIC_RELAXED);
}

void fork_watch(void)
{
    /* Fails only without memory, and then a child shares the connection, as in 3.4.6. */
    pthread_atfork(fork_before, fork_in_parent, fork_in_child);
}
