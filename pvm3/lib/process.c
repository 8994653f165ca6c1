/* process.c - the table: the task of the process, and the threads that call. */
#include "lib/process.h"

#include <pthread.h>

#include "lib/active_buffer.h"
#include "lib/fork.h"
#include "lib/new_task.h"

/* The process's task; by the key, each thread's caller for when it ends. */
static struct {
    pthread_once_t once;
    pthread_key_t key;
    struct task *task;
} table = {.once = PTHREAD_ONCE_INIT};

static void process_end_thread(void *value)
{
    struct caller *caller = value;
    active_buffer_forget(caller);
    caller_end(caller);
}

static void process_before_fork(void)
{
    fork_begin(table.task);
}

static void process_after_fork(void)
{
    fork_end(table.task);
}

static void process_in_child(void)
{
    table.task = fork_succeed(table.task);
}

static void process_begin(void)
{
    if (pthread_key_create(&table.key, process_end_thread) != 0)
        task_out_of_resources("the program uses all thread-specific keys", "");
    table.task = task_new();
    /* Fails only without memory, and then a child shares the connection, as in 3.4.6. */
    pthread_atfork(process_before_fork, process_after_fork, process_in_child);
}

struct caller *process_begin_thread(void)
{
    pthread_once(&table.once, process_begin);
    struct caller *caller = caller_new(table.task);
    if (!caller || pthread_setspecific(table.key, caller) != 0)
        task_out_of_resources("no memory for another thread", "");
    return caller;
}
