/*
 * task.h - all that the library knows of one task.
 *
 * There are no other variables: what 3.4.6 keeps in globals is in struct task, what belongs to the
 * caller of a function in struct caller (caller.h). lib/life/process.c has the table that finds the
 * task. The few data symbols that the ABI names are in abi.h. Each group of fields names the lock
 * that guards it; man/pvm_threads.7 tells which function is of which collision class.
 */
#ifndef LIB_TASK_TASK_H
#define LIB_TASK_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ck/endpoint/endpoint.h"
#include "ck/base/lock.h"
#include "ck/base/sleepers.h"
#include "core/rarely.h"
#include "lib/task/trace.h"
#include "lib/task/turns.h"

struct buffer;
struct caught;
struct handler;
struct handler_id;
struct process;
struct pvmhostinfo;
struct own_notice;
struct pvmtaskinfo;
struct pvmmboxinfo;
struct siblings;

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
    int next_id;        /* the lowest that was never given out */
    bool may_be_owned;  /* by a thread: the locks of buffers (ck/base/owned_lock.h) */
    atomic_uint shared; /* buffers that no thread owned in the end */
    struct pool spare;  /* buffers without an id and a message, for the next ones */
};

/* Message handlers, and messages that wait for theirs. */
struct handlers {
    struct lock lock; /* LOCK_HANDLERS */
    struct handler *list;
    struct handler_id *ids;
    int count;             /* handlers */
    atomic_int added;      /* how many of them the program has added; changed with the lock */
    atomic_int in_sends;   /* how many of these run in sends: not those of libgpvm3; likewise */
    int id_count;          /* ids given out so far, free ones included */
    int room;              /* entries of both arrays */
    int free_id;           /* the id freed last, -1 when none is free */
    bool held;             /* none runs, and what is claimed waits */
    struct message *first; /* claimed by a handler, in order of arrival, linked by next */
    struct message *last;
};

/* One of the roles that only one task can have: hoster, tasker. */
struct service {
    atomic_bool changing; /* a thread is taking or leaving the role; only it touches the rest */
    int tid;   /* the tid that has the role; another one than the task's has it no more */
    int index; /* of the mailbox entry that tells of it, negative when it has none */
};

/* Lists that calls return. A list stays the library's until the next call of the same function. */
struct results {
    struct lock lock; /* LOCK_RESULTS */
    struct pvmhostinfo *hosts;
    int host_count;
    struct pvmhostinfo *master; /* what a resource manager was told */
    struct pvmtaskinfo *tasks;
    int task_count;
    struct pvmmboxinfo *mailboxes;
    int mailbox_count;
    struct siblings *siblings;  /* stay for who has them, also when they are known no more */
    atomic_bool siblings_known; /* changed with the lock */
    int *sibling_tids;          /* in memory of the program (own_program.h); or NULL */
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

/* Children whose output the program catches. */
struct catcher {
    struct lock lock;        /* LOCK_OUTPUT */
    struct sleepers written; /* until no longer `writing` */
    bool writing;            /* to `file`, without the lock */
    FILE *file;              /* the program's; NULL: nothing is caught */
    struct caught *tasks;    /* whose output has not ended */
    uint32_t *hosts;         /* hosts of caught tasks: the pvmd is to tell of their end */
    size_t host_count;
};

/* What a thread task has printed and not sent to its collector yet (serve/printed.h). */
struct printed {
    struct lock lock; /* LOCK_PRINTED */
    size_t length;
    char text[];
};

/* That the task is to move to another process (lib/link/move_order.h). */
struct move {
    _Atomic uint32_t host; /* the one to which it is to move; 0: none */
    uint32_t host_then; /* the same of an order that is put off; changed while there is no host, */
    int number;         /* and the number of the pvmd's order, too */
    atomic_bool stays;  /* the system runs its thread, or has for a while: it cannot move */
    atomic_int becomes; /* the tid of the task that it waits for (lib/spawn/guest.h); 0: none */
};

/* That the task is to stand still and be put away (lib/link/park_order.h). */
struct park {
    atomic_bool wanted;
    char *address; /* of who awaits it, and what it says there; with LOCK_OPTIONS */
    char *secret;
};

/* What a task is given when it is made: functions that stand above the files that call them. */
struct task_steps {
    int (*enrol)(struct task *task);           /* as enrolment_begin */
    int (*leave)(struct caller *caller);       /* as enrolment_exit */
    int (*stay)(struct task *task);            /* as enrolment_stay */
    void (*stop)(struct task *task, int code); /* as enrolment_stop_thread */
    void (*alone)(struct task *task); /* no thread task is left beside this first one; or NULL */
};

/*
 * Contexts of another interface than PVM (lib/calls/kernel.h) have this bit; no context of PVM has.
 * Some of the last ones are those of receipts, which say that a receive has a message whose sender
 * waits for that, and of orders, which the interface itself carries out.
 */
#define TASK_OTHER_CONTEXTS 0x40000000
#define TASK_RECEIPTS       0x7ffffffe
#define TASK_ORDERS         0x7ffffffd

struct task {
    struct endpoint endpoint;
    const struct task_steps *steps;
    struct process *process; /* what it shares with others (process.h) */

    struct task *next;      /* of the process, */
    struct task *previous;  /* in both directions */
    bool of_task;           /* a child of fork: PVMEPID names not this process */
    bool beside;            /* not the first of the process: PVMEPID does not name it */
    bool is_thread;         /* was spawned as a thread: it ends with the thread, and this with it */
    bool may_lease;         /* its pvmd lends tids, */
    atomic_bool leased;     /* and it has one of those: it has no connection of its own */
    int named_parent;       /* which task of the process it tells the pvmd is its parent, or 0 */
    struct caller *callers; /* its threads; guarded by the lock of the buffers, as `over` */
    bool over;              /* goes with the last of them */
    struct task *parents;   /* what it found of its parent's tasks, good for nothing, or NULL */
    struct lock enrolment_lock; /* LOCK_ENROLMENT */
    struct sleepers enrolment_changed;
    _Atomic(enum enrolment) enrolment; /* read without the lock on the way into every call */
    atomic_int tid;                    /* -1 when apart */
    atomic_bool halting;               /* has asked for the end of the pvmd */
    atomic_int manager;                /* the resource manager that this task asks, or 0 */
    int parent;
    char *name;  /* what ps shows for a task that was not spawned, or NULL */
    int context; /* what a new thread starts with */

    struct lock options_lock; /* LOCK_OPTIONS; guards what follows */
    struct options options;
    struct Pvmtracer own_sinks;   /* where its output and events go, and which events are wanted */
    struct Pvmtracer child_sinks; /* what its children are given */
    bool heeded;                  /* counts in the process's `heeded` (task_show) */

    const struct own_program *program; /* never NULL (own_program.h) */

    atomic_int auto_error; /* PvmAutoErr; read without the lock by every failing call */

    /* What pvm_recvf has installed; NULL: receives go by their pattern. Of the whole task. */
    int (*_Atomic matcher)(int bufid, int tid, int tag);

    struct turns turns; /* whose active buffers its threads use */

    struct buffers buffers;
    struct handlers handlers;
    struct own_notices own_notices;
    struct catcher catcher;
    struct printed *printed; /* NULL: it has no collector, or is no thread task */
    struct results results;
    struct trace trace;

    struct service hoster;
    struct service tasker;
    struct service tracer;

    struct move move;
    struct park park;

    atomic_int next_wait; /* wait ids of requests */

    void (*_Atomic other_told)(uint32_t tid, bool left); /* it is told of ends of tasks; or NULL */
    void (*_Atomic other_orders)(struct message *order, size_t size); /* carries out; or NULL */
    int alone; /* the far end of what it is attached to while it is apart; or -1 */
};

/* What tasks have that run the program of the process. */
extern const struct own_program task_of_process;

/* Ends the process, which has no task to report an error to: `what` is wrong. */
__attribute__((noreturn)) void task_out_of_resources(const char *what, const char *remedy);

/*
 * Sets pvm_errno to `code`, prints the line that PvmAutoErr asks for, and returns `code`.
 * `function` is the public name. Without locks: when the task is a thread that is over, this does
 * not return, but ends the thread.
 */
RARELY int task_report(struct task *task, const char *function, int code);

/* Prints "libpvm [tHEX]: " and the text on stderr in one piece. */
void task_print(const struct task *task, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * If errno says that descriptors have run out: prints that the task cannot enrol for lack of
 * descriptors, and what to do. False otherwise.
 */
bool task_print_shortage(const struct task *task);

/*
 * Shows the tid and the sinks of the task where the ABI has them (abi.h), after any change. A task
 * that is heeded has precedence: what is shown tells every call whether it has to look at its own
 * task. With the lock of the options.
 */
void task_show(struct task *task);

/* The task ends: no call looks for its sake any more. */
void task_hide(struct task *task);

/* Whether its calls have to look: it is traced, or apart, as then a call may enrol it. */
bool task_is_heeded(const struct task *task);

/* As task_report for a result: negative ones are reported, all are returned. */
static inline int task_result(struct task *task, const char *function, int result)
{
    return result < 0 ? task_report(task, function, result) : result;
}

#endif
