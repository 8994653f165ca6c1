/* thread_start.c - a task that has enrolled, and then its thread. */
#include "lib/spawn/thread_start.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "ck/base/fiber.h"
#include "lib/life/enrolment.h"
#include "lib/life/tasks.h"
#include "lib/link/lease.h"
#include "lib/link/manager_watch.h"
#include "lib/serve/printed.h"
#include "lib/serve/trace_settings.h"
#include "lib/spawn/carried.h"
#include "lib/task/caller.h"
#include "lib/task/process.h"
#include "lib/task/variables.h"

/* A thread's stack, in kilobytes, unless PVM_THREAD_STACK says something else; and no smaller. */
#define STACK_DEFAULT 8192
#define STACK_LEAST   64

/* Thread tasks of a process, unless PVM_THREAD_LIMIT says something else. */
#define LIMIT_DEFAULT 4096

static struct start *start_new(struct process *process, const struct thread_order *order)
{
    size_t count = 1, size = strlen(order->name) + 1;
    for (char *const *word = order->words; word && *word; word++, count++)
        size += strlen(*word) + 1;
    struct start *start = calloc(1, sizeof *start + (count + 1) * sizeof *start->words + size);
    if (!start)
        return NULL;
    start->process = process;
    start->function = order->function;
    start->count = (int)count;
    char *text = (char *)(start->words + count + 1);
    for (size_t i = 0; i < count; i++) {
        start->words[i] = text;
        text = stpcpy(text, i == 0 ? order->name : order->words[i - 1]) + 1;
    }
    return start;
}

/* The thread. ---------------------------------------------------------------------------------- */

/* Processors that are not there, or not for this process, are no reason not to run. */
static void start_choose_processor(const struct start *start)
{
    if (start->processors.count > 0)
        pthread_setaffinity_np(pthread_self(), sizeof start->processors.set,
                               &start->processors.set);
}

static void thread_task_leave(void *memory)
{
    struct start *start = memory;
    struct stack stack = start->stack;
    struct process *process = start->process;
    fiber_end();
    free(start);
    stack_leave(process, &stack);
}

static void *thread_task_run(void *memory)
{
    struct start *start = memory;
    struct fiber fiber;
    pthread_cleanup_push(thread_task_leave, start);
    if (!process_join_task(start->task))
        task_out_of_resources("no memory for another thread", "");
    caller_current()->leads = true;
    manager_watch_begin(start->task);
    process_name_thread(start->task);
    start_choose_processor(start);
    carried_begin(start->process, &fiber);
    start->function(start->count, start->words);
    pthread_cleanup_pop(true);
    return NULL;
}

static size_t thread_task_stack(struct task *task)
{
    long kilobytes = variables_get_number(task, "PVM_THREAD_STACK", STACK_DEFAULT);
    return (size_t)(kilobytes < STACK_LEAST ? STACK_LEAST : kilobytes) << 10;
}

/* Nobody joins it: its task's end can be seen by pvm_notify. */
static int thread_task_create(struct start *start)
{
    pthread_t thread;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return PvmNoMem;
    if (!stack_wants_join(&start->stack))
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    size_t size;
    if (start->stack.block) {
        void *memory = stack_memory(&start->stack, &size);
        pthread_attr_setstack(&attributes, memory, size);
    } else {
        pthread_attr_setstacksize(&attributes, thread_task_stack(start->task));
    }
    int error = pthread_create(&thread, &attributes, thread_task_run, start);
    pthread_attr_destroy(&attributes);
    return error == 0 ? PvmOk : PvmOutOfRes;
}

/* The task. ------------------------------------------------------------------------------------ */

/* What a task that is spawned gets from the one that spawns it. */
static void thread_task_inherit(struct task *task, struct caller *caller)
{
    struct task *parent = caller->task;
    task->context = caller_context(caller);
    lock_acquire(&parent->options_lock);
    struct Pvmtracer sinks = parent->child_sinks;
    lock_release(&parent->options_lock);
    trace_settings_set(task, &sinks);
}

/* The pvmd of 3.4.6 does not tell who its parent is. */
static void thread_task_set_parent(struct task *task, int parent)
{
    lock_acquire(&task->enrolment_lock);
    task->parent = parent;
    lock_release(&task->enrolment_lock);
}

/* False if there is no tid left. What is left of a lease whose connection has ended is no good. */
static bool thread_task_join(struct task *task, struct task *parent, int missing)
{
    struct lent lent;
    while ((lent = lease_next(parent, missing)).tid > 0) {
        if (enrolment_join_lease(task, lent, parent))
            return true;
        lease_forget(task->process);
    }
    return false;
}

/* The task becomes one of the virtual machine, as the others that are missing. 0 or an error. */
static int thread_task_enrol(struct task *task, struct task *parent, int missing)
{
    bool enrolled = thread_task_join(task, parent, missing) || enrolment_begin(task) == 0;
    return enrolled ? PvmOk : PvmOutOfRes;
}

/* An enrolled task without a thread; NULL, and *error, when there can be none. */
static struct task *thread_task_new(struct caller *caller, const struct thread_order *order,
                                    int missing, int *error)
{
    int parent = order->parent ? order->parent : atomic_load(&caller->task->tid);
    struct task *task = process_new_task(parent, true);
    *error = PvmNoMem;
    if (!task)
        return NULL;
    task->name = strdup(order->name);
    *error = task->name ? thread_task_enrol(task, caller->task, missing) : PvmNoMem;
    if (*error < 0) {
        process_discard_task(task);
        return NULL;
    }
    thread_task_set_parent(task, order->hidden_parent ? PvmParentNotSet : parent);
    thread_task_inherit(task, caller);
    printed_begin(task);
    return task;
}

struct start *thread_start_prepare(struct caller *caller, const struct thread_order *order,
                                   int turn, int count, int *error)
{
    long limit = variables_get_number(caller->task, "PVM_THREAD_LIMIT", LIMIT_DEFAULT);
    *error = PvmOutOfRes;
    if (atomic_load(&caller->task->process->threads) >= limit)
        return NULL;
    *error = PvmNoMem;
    struct start *start = start_new(caller->task->process, order);
    if (!start)
        return NULL;
    start->task = thread_task_new(caller, order, count - turn, error);
    if (!start->task) {
        free(start);
        return NULL;
    }
    if (order->processors->count > 0) {
        start->processors.set = processors_of_turn(order->processors, turn);
        start->processors.count = 1;
    }
    return start;
}

void thread_start_undo(struct start *start)
{
    enrolment_leave(start->task);
    process_discard_task(start->task);
    stack_give_back(start->process, &start->stack);
    free(start);
}

void thread_start_give_stacks(struct caller *caller, struct start **starts, int count)
{
    struct task *task = caller->task;
    struct stack *stacks = malloc((size_t)count * sizeof *stacks);
    int needed = 0, taken = 0;
    for (int i = 0; i < count; i++)
        needed += starts[i] != NULL;
    if (stacks && needed > 0)
        taken = stacks_take(task->process, thread_task_stack(task), stacks, needed);
    for (int i = 0; i < count && taken > 0; i++)
        if (starts[i])
            starts[i]->stack = stacks[--taken];
    free(stacks);
}

int thread_start_guest(struct caller *caller, int tid, const struct thread_order *order,
                       const struct guest *guest)
{
    struct process *process = caller->task->process;
    struct start *start = start_new(process, order);
    if (!start)
        return PvmNoMem;
    start->task = process_new_task(0, true);
    if (!start->task || !(start->task->name = strdup(order->name))) {
        if (start->task)
            process_discard_task(start->task);
        free(start);
        return PvmNoMem;
    }
    atomic_store(&start->task->move.becomes, tid);
    int error = PvmOutOfRes;
    if (stacks_take_at(process, (unsigned)guest->place, guest->stack, &start->stack))
        error = thread_task_create(start);
    if (error < 0)
        thread_start_undo(start);
    return error;
}

int thread_start_run(struct start *start)
{
    int tid = atomic_load(&start->task->tid);
    int error = thread_task_create(start);
    if (error < 0)
        thread_start_undo(start);
    return error < 0 ? error : tid;
}
