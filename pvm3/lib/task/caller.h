/*
 * caller.h - one thread that calls us, and what belongs to the caller of a function.
 *
 * Calls of the program find theirs by caller_self (process.h), which makes it at the first call.
 */
#ifndef LIB_TASK_CALLER_H
#define LIB_TASK_CALLER_H

#include <stdbool.h>

#include "core/pool.h"
#include "lib/task/task.h"

/* Only that thread touches it. */
struct caller {
    struct task *task;
    struct buffer *send;    /* active, with a reference, or NULL */
    struct buffer *receive; /* likewise */
    struct pool views;      /* of what is being sent, for the next */
    int context;
    bool taken[TURNS_ROLES];     /* the active buffer was another thread's (turns.h) */
    bool changing;               /* is enrolling or leaving: its own calls do not wait for that */
    bool traced;                 /* is in a call that is traced: the calls within are not */
    bool sends_trace;            /* is sending trace events */
    struct trace_staged *staged; /* the event that it has begun (trace_abi.c), or NULL */
    bool cancellable; /* is in a receive that is a point of cancellation, unless in a handler */
    bool holds_late;  /* is in a receive that holds cancellation off only when it begins to wait */
    bool may_move;    /* its receives end when the task is to move (own_program_may_move) */
    bool may_return; /* its waits end when the other interface calls threads back (kernel_recall) */
    bool handling;   /* runs a message handler: it cannot leave the machine from within a receive */
    bool leads;      /* the task ends with this thread */
    bool ends;       /* is ending its task */
    char tag_text[16];   /* what pvmnametag gave out last */
    struct caller *next; /* in the task's list */
    struct caller *previous;
};

/* That of the calling thread; NULL if it is inside no call and has made none yet. */
struct caller *caller_current(void);

/* Makes the calling thread one of `task`. NULL when memory is short. */
struct caller *caller_new(struct task *task);

/*
 * Frees one of the calling thread, which ends or has another one now. Returns its task if that is
 * over and has no thread any more: the task is to be freed. Otherwise NULL.
 */
struct task *caller_end(struct caller *caller);

/* Makes the calling thread, which has a caller, one of `task`. */
void caller_join(struct caller *caller, struct task *task);

/*
 * The caller, which may be in a receive, begins to wait, or to do what may reach a point of
 * cancellation: that is held off from now on, but for sleeps if this returns true.
 */
bool caller_begin_wait(struct caller *caller);

/* In a child of fork: frees what the parent's other threads were to the task. */
void caller_forget_others(struct task *task);

/* The context of the caller's next call. */
static inline int caller_context(struct caller *caller)
{
    const struct turns *turns = &caller->task->turns;
    if (turns_mode(turns) == TURNS_TAKEN && !turns_is_apart(turns, caller))
        caller->context = atomic_load_explicit(&turns->context, memory_order_relaxed);
    return caller->context;
}

#endif
