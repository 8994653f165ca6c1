/* process.c - the table: the tasks of the process, and the threads that call. */
#include "lib/task/process.h"

#include <errno.h>
#include <pvm3.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "core/error.h"
#include "lib/life/enrolment.h"
#include "lib/life/fork.h"
#include "lib/life/new_task.h"
#include "lib/life/tasks.h"
#include "lib/link/lease.h"
#include "lib/task/active_buffer.h"
#include "lib/task/lock_ranks.h"

static struct process process = {
    .once = PTHREAD_ONCE_INIT,
    .lives = PTHREAD_MUTEX_INITIALIZER,
    .heeded = 1,
};

/* What the ABI shows is another one's from now on. */
void process_discard_task(struct task *task)
{
    pthread_mutex_lock(&process.lives);
    *(task->previous ? &task->previous->next : &process.tasks) = task->next;
    if (task->next)
        task->next->previous = task->previous;
    bool last = task->is_thread && atomic_fetch_sub(&process.threads, 1) == 1;
    task_free(task);
    if (last && process.first && process.first->steps->alone)
        process.first->steps->alone(process.first);
    struct task *left = process.tasks;
    if (left) {
        lock_acquire(&left->options_lock);
        task_show(left);
        lock_release(&left->options_lock);
    }
    pthread_mutex_unlock(&process.lives);
}

/* The calling thread leaves the task of one of its callers. */
static void process_end_caller(struct caller *caller)
{
    active_buffer_forget(caller);
    struct task *over = caller_end(caller);
    if (over)
        process_discard_task(over);
}

static void process_end_thread(void *value)
{
    struct caller *caller = value;
    if (caller->leads)
        process_end_task();
    else
        process_end_caller(caller);
}

static void process_before_fork(void)
{
    pthread_mutex_lock(&process.lives);
    fork_begin(&process);
}

static void process_after_fork(void)
{
    fork_end(&process);
    pthread_mutex_unlock(&process.lives);
}

static void process_in_child(void)
{
    const struct caller *caller = caller_current();
    process.first = fork_succeed(&process, caller ? caller->task : process.first);
    process.tasks = process.first;
    lease_abandon(&process.lease);
    atomic_store(&process.temporary, 0); /* the names have the process's number */
    pthread_mutex_unlock(&process.lives);
}

static void process_begin(void)
{
    if (pthread_key_create(&process.key, process_end_thread) != 0)
        task_out_of_resources("the program uses all thread-specific keys", "");
    lock_init(&process.lock, LOCK_VARIABLES);
    lease_start(&process.lease);
    /* Fails only without memory, and then a child shares the connection, as in 3.4.6. */
    pthread_atfork(process_before_fork, process_after_fork, process_in_child);
}

/* A new task in the list. NULL without memory or descriptors. With `lives`. */
static struct task *process_add(bool beside)
{
    struct task *task = task_new(&process);
    if (!task)
        return NULL;
    task->beside = beside;
    task->next = process.tasks;
    if (task->next)
        task->next->previous = task;
    process.tasks = task;
    return task;
}

/* The first task, made when there is none. */
static struct task *process_first(void)
{
    pthread_mutex_lock(&process.lives);
    struct task *task = process.first;
    if (!task && (task = process_add(false)) != NULL) {
        process.first = task;
        lock_acquire(&process.lock);
        process.heeded--;
        lock_release(&process.lock);
    }
    pthread_mutex_unlock(&process.lives);
    if (!task)
        task_out_of_resources(strerror(errno), error_remedy(errno));
    return task;
}

void process_name_thread(const struct task *task)
{
    char name[PROCESS_THREAD_NAME];
    snprintf(name, sizeof name, "t%x:%s", (unsigned)atomic_load(&task->tid), task->name);
    prctl(PR_SET_NAME, name);
}

bool process_join_task(struct task *task)
{
    struct caller *before = caller_current(), *caller = caller_new(task);
    if (!caller)
        return false;
    if (pthread_setspecific(process.key, caller) != 0) { /* only the first time */
        caller_end(caller);
        return false;
    }
    if (before)
        process_end_caller(before);
    return true;
}

/* The thread task with this tid, NULL if there is none. With `lives`. */
static struct task *process_thread_task(unsigned tid)
{
    struct task *task = process.tasks;
    while (task && !(task->is_thread && atomic_load(&task->tid) == (int)tid))
        task = task->next;
    return task;
}

static bool process_lives(struct task *task)
{
    lock_acquire(&task->buffers.lock);
    bool lives = !task->over;
    lock_release(&task->buffers.lock);
    return lives;
}

/*
 * Makes the calling thread one of the thread task that has made it: it has kept the name of its
 * maker. False when it has none, or without memory. A task that is not over stays meanwhile, as
 * those that are over go with `lives`.
 */
static bool process_join_maker(void)
{
    char name[PROCESS_THREAD_NAME];
    unsigned tid;
    if (atomic_load(&process.threads) == 0 || prctl(PR_GET_NAME, name) < 0 ||
        sscanf(name, "t%x:", &tid) != 1)
        return false;
    pthread_mutex_lock(&process.lives);
    struct task *task = process_thread_task(tid);
    bool joined = task && process_lives(task) && process_join_task(task);
    pthread_mutex_unlock(&process.lives);
    return joined;
}

struct caller *process_begin_thread(void)
{
    pthread_once(&process.once, process_begin);
    if (!process_join_maker() && !process_join_task(process_first()))
        task_out_of_resources("no memory for another thread", "");
    return caller_current();
}

struct task *process_new_task(int parent, bool is_thread)
{
    pthread_once(&process.once, process_begin);
    pthread_mutex_lock(&process.lives);
    struct task *task = process_add(true);
    if (task) {
        task->named_parent = parent;
        task->is_thread = is_thread;
        atomic_fetch_add(&process.threads, is_thread);
    }
    pthread_mutex_unlock(&process.lives);
    return task;
}

/* Whether this process has killed a thread task with this tid of late. With `lives`. */
static bool process_has_killed(int tid)
{
    for (unsigned i = 0; i < KILLED_KEPT; i++)
        if (process.killed[i] == tid)
            return true;
    return false;
}

bool process_kill_task(int tid)
{
    pthread_mutex_lock(&process.lives);
    struct task *task = process_thread_task((unsigned)tid);
    if (task && process_lives(task)) {
        endpoint_hang_up(&task->endpoint);
        lease_tell_death(task);
        process.killed[process.killed_count++ % KILLED_KEPT] = tid;
    }
    bool known = task || process_has_killed(tid);
    pthread_mutex_unlock(&process.lives);
    return known;
}

bool process_awaits(int tid)
{
    pthread_mutex_lock(&process.lives);
    bool found = process_thread_task((unsigned)tid) != NULL;
    for (struct task *task = process.tasks; task && !found; task = task->next)
        found = atomic_load(&task->move.becomes) == tid;
    pthread_mutex_unlock(&process.lives);
    return found;
}

struct task *process_begin_task(int parent)
{
    struct task *task = process_new_task(parent, false);
    if (!task || process_join_task(task))
        return task;
    process_discard_task(task);
    return NULL;
}

int process_end_task(void)
{
    struct caller *caller = caller_current();
    if (!caller || !caller->task->beside)
        return PvmBadParam;
    struct task *task = caller->task;
    caller->ends = true;
    lock_acquire(&task->buffers.lock);
    task->over = true; /* before it leaves: no thread of it enrols it again */
    lock_release(&task->buffers.lock);
    int result = enrolment_exit(caller);
    pthread_setspecific(process.key, NULL);
    process_end_caller(caller);
    return result;
}
