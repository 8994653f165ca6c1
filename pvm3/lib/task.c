/*
 * task.c - finds the calling thread and its task. The table here is the only state outside struct
 * task.
 */
#include "lib/task.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/annotate.h"
#include "core/cache_line.h"
#include "core/error.h"
#include "lib/abi.h"
#include "lib/active_buffer.h"
#include "lib/buffer.h"
#include "lib/dialect.h"
#include "lib/enrolment.h"
#include "lib/fork.h"
#include "lib/handler.h"
#include "lib/handler_run.h"
#include "lib/own_notice.h"
#include "lib/public.h"
#include "lib/pvmd_link.h"
#include "lib/variables.h"

/* The table: the process's task; by the key, each thread's caller for when it ends. */
static struct {
    pthread_once_t once;
    pthread_key_t key;
    struct task *task;
} table = {.once = PTHREAD_ONCE_INIT};

/* The same for while it runs, found in two instructions. */
static _Thread_local struct caller *own __attribute__((tls_model("initial-exec")));

/* As many as are sent at a time, by message handlers within handlers. */
#define CALLER_VIEWS 4

static void task_out_of_resources(const char *what, const char *remedy)
{
    fprintf(stderr, "libpvm [pid%ld]: cannot start: %s%s\n", (long)getpid(), what, remedy);
    exit(EXIT_FAILURE);
}

static void caller_join(struct caller *caller, struct task *task)
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

static void caller_leave(struct caller *caller)
{
    struct task *task = caller->task;
    lock_acquire(&task->buffers.lock);
    *(caller->previous ? &caller->previous->next : &task->callers) = caller->next;
    if (caller->next)
        caller->next->previous = caller->previous;
    lock_release(&task->buffers.lock);
}

static void caller_free(struct caller *caller)
{
    pool_finish(&caller->views, message_discard);
    free(caller->staged);
    free(caller);
}

static void caller_end(void *value)
{
    struct caller *caller = value;
    own = NULL; /* what other destructors call makes another one */
    active_buffer_forget(caller);
    caller_leave(caller);
    caller_free(caller);
}

void callers_forget_others(struct task *task)
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

static void task_discard(void *owner, struct message *message)
{
    buffer_drop_message(owner, message);
}

static bool task_may_cancel(void *owner)
{
    (void)owner;
    return caller_self()->cancellable;
}

static void task_init(struct task *task)
{
    static const struct task_steps steps = {.enrol = enrolment_begin, .leave = enrolment_exit};
    const struct endpoint_owner owner = {
        .intercept = handler_intercept,
        .errand = handler_run,
        .lost = pvmd_link_lost,
        .dropped = pvmd_link_dropped,
        .discard = task_discard,
        .name = pvmd_link_temporary_name,
        .routed = own_notice_tell_route,
        .cancellable = task_may_cancel,
        .dialect = &dialect_3_4_6,
        .owner = task,
    };
    int error = endpoint_init(&task->endpoint, &owner);
    if (error < 0)
        task_out_of_resources(strerror(-error), error_remedy(-error));
    task->steps = &steps;
    lock_init(&task->enrolment_lock, LOCK_ENROLMENT);
    lock_condition_init(&task->enrolment_changed);
    lock_init(&task->options_lock, LOCK_OPTIONS);
    lock_init(&task->buffers.lock, LOCK_BUFFERS);
    lock_init(&task->handlers.lock, LOCK_HANDLERS);
    lock_init(&task->own_notices.lock, LOCK_NOTICES);
    lock_init(&task->results.lock, LOCK_RESULTS);
    lock_init(&task->variables_lock, LOCK_VARIABLES);
    catchout_start(&task->catcher);
    trace_init(&task->trace);
    atomic_init(&task->enrolment, TASK_APART);
    atomic_init(&task->tid, -1);
    atomic_init(&task->auto_error, 1);
    task->buffers.next_id = 1;
    pool_start(&task->buffers.spare, POOL_MOST);
    task->handlers.free_id = -1;
    atomic_init(&task->handlers.added, 0);
    ANNOTATE_ATOMIC(&task->handlers.added, sizeof task->handlers.added);
    task->context = (int)variables_get_number(task, "PVMCTX", PvmBaseContext);
    turns_init(task);
    task->options = (struct options){
        .route = PvmAllowDirect,
        .fragment_size = MESSAGE_FRAGMENT_DEFAULT + MESSAGE_FRAGMENT_OVERHEAD,
        .show_tids = 1,
    };
}

static void table_init(void)
{
    if (pthread_key_create(&table.key, caller_end) != 0)
        task_out_of_resources("the program uses all thread-specific keys", "");
    table.task = task_new();
    fork_watch();
}

struct task *task_of_process(void)
{
    return table.task;
}

struct task *task_new(void)
{
    struct task *task = cache_line_allocate(sizeof *task);
    if (!task)
        task_out_of_resources("no memory", "");
    task_init(task);
    return task;
}

void task_succeed(struct task *task)
{
    struct task *before = table.task;
    table.task = task;
    if (!own)
        return;
    caller_join(own, task);
    own->thread = (int)getpid();
    turns_inherit(own, &before->turns);
    own->changing = own->handling = false;
}

/* Not part of caller_self, which is called many times for a message and short without it. */
__attribute__((noinline)) static struct caller *caller_new(void)
{
    pthread_once(&table.once, table_init);
    struct caller *caller = cache_line_allocate(sizeof *caller);
    if (!caller || pthread_setspecific(table.key, caller) != 0)
        task_out_of_resources("no memory for another thread", "");
    caller_join(caller, table.task);
    caller->context = table.task->context;
    caller->thread = (int)syscall(SYS_gettid);
    pool_start(&caller->views, CALLER_VIEWS);
    return caller;
}

struct caller *caller_self(void)
{
    if (!own)
        own = caller_new();
    return own;
}

void task_print(const struct task *task, const char *format, ...)
{
    char line[1024];
    int tid = atomic_load(&task->tid);
    int length = tid > 0 ? snprintf(line, sizeof line, "libpvm [t%x]: ", (unsigned)tid)
                         : snprintf(line, sizeof line, "libpvm [pid%ld]: ", (long)getpid());
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s\n", line);
}

bool task_print_shortage(const struct task *task)
{
    const char *remedy = error_remedy(errno);
    if (!*remedy)
        return false;
    task_print(task, "cannot enrol: %s%s", strerror(errno), remedy);
    return true;
}

int task_report(const struct task *task, const char *function, int code)
{
    abi_set_error(code);
    int how = atomic_load(&task->auto_error);
    if (how != 0)
        task_print(task, "%s(): %s", function, error_text(code));
    if (how == 2) {
        task->steps->leave(caller_self());
        exit(code);
    }
    if (how == 3)
        abort();
    return code;
}
