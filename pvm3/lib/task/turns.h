/*
 * turns.h - whether threads have active buffers of their own, or one pair for the task.
 *
 * Threads that use the library at the same time need active buffers of their own. Programs written
 * for 3.4.6 whose threads take turns, under a lock of the program, need the one pair of 3.4.6: one
 * thread packs and another sends. Only the calls of a program show of which kind it is. So a task
 * is undecided at first: a thread finds the buffers that it has made active itself. Then a sign
 * decides.
 *
 * Own buffers for good: a thread calls while another one waits inside a call (an overlap), the
 * program calls pvm_threadsafe, or the environment says so. One pair, until an overlap: a thread
 * uses an active buffer and has none, or one that is done with (sent, or unpacked to its end),
 * while another thread has made a buffer active later. Where both readings give data, the call
 * watches for a moment whether the other thread calls, which it cannot do under a lock of the
 * program. man/pvm_threads.7 has the rule as programs see it.
 *
 * A call of libgpvm3 is made of calls of ours, and begins and ends with pvm_setcontext: between
 * them the thread is in the context of groups. All of this counts as one call, and its thread is
 * apart meanwhile: buffers that it makes active are its own and not told to others, and a call of
 * another thread is an overlap.
 *
 * The task's pair is two ids. A thread that finds that another thread was the last to set an id
 * takes over the buffer with this id. So no thread touches the struct caller of another thread, and
 * a program that was judged wrongly meets the lock of the buffer, as with any buffer that threads
 * share.
 *
 * Threads: all functions are for the calling thread, without a lock.
 */
#ifndef LIB_TASK_TURNS_H
#define LIB_TASK_TURNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/rarely.h"

struct buffer;
struct caller;
struct luggage;
struct luggage_reader;
struct task;

enum turns_role { TURNS_SEND, TURNS_RECEIVE, TURNS_ROLES };

enum turns_mode {
    TURNS_UNDECIDED,
    TURNS_TAKEN, /* one pair of active buffers and one context for the task */
    TURNS_NONE,  /* own ones for each thread, for good */
};

/* The buffer that was made active or used last. */
struct turns_last {
    _Atomic(struct caller *) owner; /* by which thread; NULL once that has ended. Not followed */
    atomic_int id;                  /* 0: that thread has no active buffer */
};

struct turns {
    atomic_int mode;
    atomic_uintptr_t inside; /* which thread waits inside a call or is apart (turns_mark), or 0 */
    atomic_int context;      /* set last */
    struct turns_last last[TURNS_ROLES];
    struct turns_last before[TURNS_ROLES]; /* what was the last one before */
    atomic_int left[TURNS_ROLES]; /* the id of the last buffer of a thread that has ended, or 0 */
};

/* As PVM_ACTIVE_BUFFERS says. */
void turns_init(struct task *task);

/* In a child of fork, for its only thread: what it was in the task before. */
void turns_inherit(struct caller *caller, struct turns *from);

/* Own buffers from now on: the program has asked for it, or shown that it needs them. */
void turns_end(struct task *task);

/* What the calls below do when the short way is none. */
RARELY bool turns_has_own_beside(struct turns *turns, const struct caller *caller);
RARELY void turns_find(struct caller *caller, enum turns_role role);
RARELY void turns_take(struct caller *caller, enum turns_role role);
void turns_let_go(struct caller *caller, enum turns_role role);
RARELY void turns_follow(struct caller *caller, enum turns_role role);

/*
 * For the thread's end: the task's last buffer stays for others. True when the caller's active
 * buffer in `role` stays, too.
 */
bool turns_leave(struct caller *caller, enum turns_role role);

/*
 * After turns_leave for both roles: the thread is inside no call any more, in which it may have
 * been cancelled.
 */
void turns_leave_call(struct caller *caller);

/*
 * The caller has no active buffer now because it said so. It may have put back the 0 that it was
 * told before: then what was the task's last buffer until then is so again.
 */
void turns_put_back(struct caller *caller, enum turns_role role);

/* What a task that moves takes along, of which the caller is the only thread; it is in no call. */
void turns_put(struct caller *caller, struct luggage *luggage);
void turns_get(struct caller *caller, struct luggage_reader *reader);

/* A buffer's id is good for nothing any more. */
void turns_forget(struct task *task, int id);

/* Around a message handler: it begins without buffers, and what was is back afterwards. */
struct turns_memory {
    struct caller *owner[TURNS_ROLES];
    int id[TURNS_ROLES];
    int context;
    uintptr_t inside;
};
void turns_begin_handler(struct caller *caller, int context, struct turns_memory *memory);
void turns_end_handler(struct caller *caller, const struct turns_memory *memory);

/* Around a wait inside a call. */
void turns_begin_wait(struct caller *caller);
void turns_end_wait(struct caller *caller);

/*
 * The caller's context is `context` from now on. The context of groups begins a call in which the
 * thread is apart; any other context ends the call.
 */
void turns_set_context(struct caller *caller, int context);

/* The short ways; `turns` is that of the caller's task. */

static inline enum turns_mode turns_mode(const struct turns *turns)
{
    return (enum turns_mode)atomic_load_explicit(&turns->mode, memory_order_relaxed);
}

static inline bool turns_is_last(const struct turns *turns, const struct caller *caller,
                                 enum turns_role role)
{
    return atomic_load_explicit(&turns->last[role].owner, memory_order_relaxed) == caller;
}

/* A thread that is inside a call, or that is apart. */
static inline uintptr_t turns_mark(const struct caller *caller, bool apart)
{
    return (uintptr_t)caller + apart;
}

static inline uintptr_t turns_inside(const struct turns *turns)
{
    return atomic_load_explicit(&turns->inside, memory_order_relaxed);
}

static inline bool turns_is_apart(const struct turns *turns, const struct caller *caller)
{
    return turns_inside(turns) == turns_mark(caller, true);
}

/*
 * True when the caller's buffers are its own: another thread is inside a call, and then they stay
 * its own, or the caller is apart.
 */
static inline bool turns_has_own(struct turns *turns, const struct caller *caller)
{
    return turns_inside(turns) && turns_has_own_beside(turns, caller);
}

/* Before a call uses the active buffer: makes that the caller's which the call is to find. */
static inline void turns_use(struct turns *turns, struct caller *caller, enum turns_role role)
{
    if (turns_mode(turns) != TURNS_NONE && !turns_is_last(turns, caller, role))
        turns_find(caller, role);
}

/*
 * Before a call tells the id of the active buffer or puts another one in its place. Neither is a
 * sign: threads with buffers of their own do both.
 */
static inline void turns_replace(struct turns *turns, struct caller *caller, enum turns_role role)
{
    if (turns_mode(turns) == TURNS_NONE)
        turns_let_go(caller, role);
    else if (turns_mode(turns) == TURNS_TAKEN && !turns_is_last(turns, caller, role))
        turns_take(caller, role);
}

/* After the call: the caller's active buffer has the id `id` now, or there is none (0). */
static inline void turns_tell(struct turns *turns, struct caller *caller, enum turns_role role,
                              int id)
{
    struct turns_last *last = &turns->last[role];
    if (turns_mode(turns) == TURNS_NONE || turns_has_own(turns, caller))
        return;
    if (!turns_is_last(turns, caller, role))
        turns_follow(caller, role);
    atomic_store_explicit(&last->id, id, memory_order_relaxed);
}

#endif
