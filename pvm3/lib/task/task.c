/* task.c - what a task prints, and how it reports errors. */
#include "lib/task/task.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "lib/task/abi.h"
#include "lib/task/caller.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

void task_out_of_resources(const char *what, const char *remedy)
{
    fprintf(stderr, "libpvm [pid%ld]: cannot start: %s%s\n", (long)getpid(), what, remedy);
    exit(EXIT_FAILURE);
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
    if (task->is_thread)
        dprintf(STDERR_FILENO, "%s\n", line); /* past the collector: this may be the leader */
    else
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

const struct own_program task_of_process = {
    .error = &pvm_errno, .exit = exit, .abort = abort, .getenv = getenv, .setenv = setenv};

bool task_is_heeded(const struct task *task)
{
    return __atomic_load_n(&task->own_sinks.trctid, __ATOMIC_RELAXED) > 0 ||
           atomic_load_explicit(&task->tid, memory_order_relaxed) < 0;
}

void task_show(struct task *task)
{
    bool heeded = task_is_heeded(task);
    lock_acquire(&task->process->lock);
    task->process->heeded += heeded - task->heeded;
    task->heeded = heeded;
    if (heeded || task->process->heeded == 0)
        abi_show(atomic_load(&task->tid), &task->own_sinks, &task->child_sinks);
    if (task->program->tid)
        abi_set_number(task->program->tid, atomic_load(&task->tid));
    lock_release(&task->process->lock);
}

void task_hide(struct task *task)
{
    lock_acquire(&task->process->lock);
    task->process->heeded -= task->heeded;
    lock_release(&task->process->lock);
}

int task_report(struct task *task, const char *function, int code)
{
    if (task->is_thread)
        task->steps->stop(task, code);
    abi_set_error(task->program->error, code);
    int how = atomic_load(&task->auto_error);
    if (how != 0)
        task_print(task, "%s(): %s", function, error_text(code));
    if (how == 2) {
        task->steps->leave(caller_current());
        task->program->exit(code);
    }
    if (how == 3)
        task->program->abort();
    return code;
}
