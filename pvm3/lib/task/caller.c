/* caller.c - finds the calling thread. */
#include "lib/task/caller.h"

#include <stdlib.h>

#include "ck/base/cancel.h"
#include "core/cache_line.h"
#include "core/message.h"

/* Found in two instructions. */
static _Thread_local struct caller *own __attribute__((tls_model("initial-exec")));

/* As many as are sent at a time, by message handlers within handlers. */
#define CALLER_VIEWS 4

struct caller *caller_current(void)
{
    return own;
}

void caller_join(struct caller *caller, struct task *task)
{
    lock_acquire(&task->buffers.lock);
    caller->task = task;
    caller->previous = NULL;
    caller->next = task->callers;
    if (task->callers)
        task->callers->previous = caller;
    task->callers = caller;
    lock_release(&task->buffers.lock);
}

/* Whether the task goes with it. */
static bool caller_leave(struct caller *caller)
{
    struct task *task = caller->task;
    lock_acquire(&task->buffers.lock);
    *(caller->previous ? &caller->previous->next : &task->callers) = caller->next;
    if (caller->next)
        caller->next->previous = caller->previous;
    bool last = task->over && !task->callers;
    lock_release(&task->buffers.lock);
    return last;
}

static void caller_free(struct caller *caller)
{
    pool_finish(&caller->views, message_discard);
    free(caller->staged);
    free(caller);
}

struct caller *caller_new(struct task *task)
{
    struct caller *caller = cache_line_allocate(sizeof *caller);
    if (!caller)
        return NULL;
    caller_join(caller, task);
    caller->context = task->context;
    pool_start(&caller->views, CALLER_VIEWS);
    own = caller;
    return caller;
}

struct task *caller_end(struct caller *caller)
{
    struct task *task = caller->task;
    if (own == caller)
        own = NULL; /* what destructors call from now on makes another one */
    bool last = caller_leave(caller);
    caller_free(caller);
    return last ? task : NULL;
}

bool caller_begin_wait(struct caller *caller)
{
    if (caller->holds_late) {
        caller->holds_late = false;
        caller->cancellable = cancel_hold_off() == PTHREAD_CANCEL_ENABLE;
    }
    return caller->cancellable;
}

void caller_forget_others(struct task *task)
{
    struct caller *caller = task->callers;
    task->callers = NULL;
    while (caller) {
        struct caller *next = caller->next;
        if (caller != own)
            caller_free(caller);
        caller = next;
    }
}
