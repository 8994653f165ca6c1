/* process.c - the table: the task of the process, and the threads that call. */
#include "lib/process.h"

#include <pthread.h>

#include "lib/active_buffer.h"
#include "lib/fork.h"
#include "lib/new_task.h"

static struct process process = {.once = PTHREAD_ONCE_INIT, .heeded = 1};

static void process_end_thread(void *value)
{
    struct caller *caller = value;
    active_buffer_forget(caller);
    caller_end(caller);
}

static void process_before_fork(void)
{
    fork_begin(process.first);
}

static void process_after_fork(void)
{
    fork_end(process.first);
}

static void process_in_child(void)
{
    process.first = fork_succeed(process.first);
    atomic_store(&process.temporary, 0); /* the names have the process's number */
}

static void process_begin(void)
{
    if (pthread_key_create(&process.key, process_end_thread) != 0)
        task_out_of_resources("the program uses all thread-specific keys", "");
    lock_init(&process.lock, LOCK_VARIABLES);
    process.first = task_new(&process);
    process.heeded--;
    /* Fails only without memory, and then a child shares the connection, as in 3.4.6. */
    pthread_atfork(process_before_fork, process_after_fork, process_in_child);
}

struct caller *process_begin_thread(void)
{
    pthread_once(&process.once, process_begin);
    struct caller *caller = caller_new(process.first);
    if (!caller || pthread_setspecific(process.key, caller) != 0)
        task_out_of_resources("no memory for another thread", "");
    return caller;
}
