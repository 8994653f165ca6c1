/*
 * task.h - all that the library knows of one task, and of one of its threads.
 *
 * There are no other variables: what 3.4.6 keeps in globals is in struct task, what belongs to the
 * caller of a function in struct caller. The few data symbols that the ABI names are
 * in abi.h. Each group of fields names the lock that guards it; man/pvm_threads.7 tells which
 * function is of which collision class.
 */
#ifndef LIB_TASK_H
#define LIB_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ck/endpoint.h"
#include "ck/lock.h"
#include "lib/catchout.h"
#include "lib/trace.h"
#include "lib/turns.h"

struct buffer;
struct handler;
struct handler_id;
struct pvmhostinfo;
struct own_notice;
struct pvmtaskinfo;
struct pvmmboxinfo;

enum enrolment {
    TASK_APART,    /* not part of a virtual machine */
    TASK_CHANGING, /* a thread is just enrolling or leaving */
    TASK_ENROLLED,
};

/* Options that are plain numbers (pvm_setopt). */
struct options {
    int route;
    int debug_mask;
    int fragment_size; /* bytes of a fragment buffer, headers included */
    int reserved_tids;
    int show_tids;
    int no_reset;
    int no_reset_index; /* of the mailbox entry that says so */
};

/* The table of buffer ids. */
struct buffers {
    struct lock lock;      /* LOCK_BUFFERS */
    struct buffer **by_id; /* entry 0 is never used */
    int room;              /* entries */
    int *free_ids;         /* a stack: the id freed last is given out first */
    int free_count;
    int next_id;       /* the lowest that was never given out */
    struct pool spare; /* buffers without an id and a message, for the next ones */
};

/* Message handlers, and messages that wait for theirs. */
struct handlers {
    struct lock lock; /* LOCK_HANDLERS */
    struct handler *list;
    struct handler_id *ids;
    int count;             /* handlers */
    atomic_int added;      /* how many of them the program has added; changed with the lock */
    int id_count;          /* ids given out so far, free ones included */
    int room;              /* entries of both arrays */
    int free_id;           /* the id freed last, -1 when none is free */
    struct message *first; /* claimed by a handler, in order of arrival, linked by next */
    struct message *last;
};

/* One of the roles that only one task can have: hoster, tasker. */
struct service {
    atomic_bool
        changing; /* a thread is just taking or leaving it; only that one touches the rest */
    int tid;      /* the tid that has the role; another one than the task's has it no more */
    int index;    /* of the mailbox entry that tells of it, negative when it has none */
};

/* Lists that calls return and that stay the library's until the next such call. */
struct results {
    struct lock lock; /* LOCK_RESULTS */
    struct pvmhostinfo *hosts;
    int host_count;
    struct pvmhostinfo *master; /* what a resource manager was told */
    struct pvmtaskinfo *tasks;
    int task_count;
    struct pvmmboxinfo *mailboxes;
    int mailbox_count;
    int *siblings;              /* stay for who has them, also when they are known no more */
    atomic_bool siblings_known; /* changed with the lock */
    int sibling_count;
    int *no_resets;
    char temporary_name[128]; /* PVMTMPNAMLEN */
    int *descriptors;
    int descriptor_room;
};

/* What the program wants to be told of direct routes and of the task's own end. */
struct own_notices {
    struct lock lock; /* LOCK_NOTICES */
    struct own_notice *first;
};

/* What calls of a task have done that stands above them. */
struct task_steps {
    int (*enrol)(struct task *task);      /* as enrolment_begin */
    int (*leave)(struct caller *caller); /* as enrolment_exit */
};

struct task {
    struct endpoint endpoint;
    const struct task_steps *steps;

    bool of_task;               /* a child of fork: PVMEPID names not this process */
    struct caller *callers;     /* its threads; guarded by the lock of the buffers */
    bool packs_shared;          /* in shared memory; kept while the process forks */
    struct task *parents;       /* what it found of its parent, good for nothing, or NULL */
    struct lock enrolment_lock; /* LOCK_ENROLMENT */
    pthread_cond_t enrolment_changed;
    _Atomic(enum enrolment) enrolment; /* read without the lock on the way into every call */
    atomic_int tid;                    /* -1 when apart */
    atomic_bool halting;               /* has asked for the end of the pvmd */
    atomic_int manager;                /* the resource manager that this task asks, or 0 */
    int parent;
    char *name;  /* what ps shows for a task that was not spawned, or NULL */
    int context; /* what a new thread starts with */

    struct lock options_lock; /* LOCK_OPTIONS; also guards the trace records of abi.h */
    struct options options;
    atomic_int auto_error; /* PvmAutoErr; read without the lock by every failing call */

    /* What pvm_recvf has installed; NULL: receives go by their pattern. Of the whole task. */
    int (*_Atomic matcher)(int bufid, int tid, int tag);

    struct turns turns; /* whose active buffers its threads use */

    struct lock variables_lock; /* LOCK_VARIABLES */

    struct buffers buffers;
    struct handlers handlers;
    struct own_notices own_notices;
    struct catcher catcher;
    struct results results;
    struct trace trace;

    struct service hoster;
    struct service tasker;
    struct service tracer;

    atomic_int next_wait;  /* wait ids of requests */
    atomic_uint temporary; /* temporary names given out */
};

/* One thread that calls us. Only that thread touches it. */
struct caller {
    struct task *task;
    struct buffer *send;    /* active, with a reference, or NULL */
    struct buffer *receive; /* likewise */
    struct pool views;      /* of what is being sent, for the next */
    int context;
    int thread;                  /* its id in the system */
    bool taken[TURNS_ROLES];     /* the active buffer was another thread's (turns.h) */
    bool changing;               /* is enrolling or leaving: its own calls do not wait for that */
    bool traced;                 /* is in a call that is traced: the calls within are not */
    bool sends_trace;            /* is sending trace events */
    struct trace_staged *staged; /* the event that it has begun (trace_abi.c), or NULL */
    bool cancellable; /* is in a receive that is a point of cancellation, unless in a handler */
    bool handling; /* runs a message handler: it cannot leave the machine from within a receive */
    char tag_text[16];   /* what pvmnametag gave out last */
    struct caller *next; /* in the task's list */
    struct caller *previous;
};

/*
 * The calling thread, with its task; made at its first call. Memory for it that cannot be had ends
 * the process with a message: there would be no place to note an error.
 */
struct caller *caller_self(void);

/* The context of the caller's next call. */
static inline int task_context(struct caller *caller)
{
    const struct turns *turns = &caller->task->turns;
    if (turns_mode(turns) == TURNS_TAKEN && !turns_is_apart(turns, caller))
        caller->context = atomic_load_explicit(&turns->context, memory_order_relaxed);
    return caller->context;
}

/*
 * For fork.h: the task of the process; a new one, which is apart; and the change from the one to
 * the other, after which the calling thread is the only one of the process.
 */
struct task *task_of_process(void);
struct task *task_new(void);
void task_succeed(struct task *task);

/* In a child of fork: frees what the parent's other threads were to the task. */
void callers_forget_others(struct task *task);

/*
 * Sets pvm_errno to `code`, prints the line that PvmAutoErr asks for, and returns `code`.
 * `function` is the public name.
 */
int task_report(const struct task *task, const char *function, int code);

/* Prints "libpvm [tHEX]: " and the text on stderr in one piece. */
void task_print(const struct task *task, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * If errno says that descriptors have run out: prints that the task cannot enrol for that, and what
 * to do. False otherwise.
 */
bool task_print_shortage(const struct task *task);

/* As task_report for a result: negative ones are reported, all are returned. */
static inline int task_result(const struct task *task, const char *function, int result)
{
    return result < 0 ? task_report(task, function, result) : result;
}

#endif
