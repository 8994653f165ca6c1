/* spawn.c - starting tasks: programs, and functions of this one. */
#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "lib/calls/send.h"
#include "lib/link/pvmd_link.h"
#include "lib/spawn/program.h"
#include "lib/spawn/thread_hosts.h"
#include "lib/spawn/thread_task.h"
#include "lib/task/process.h"
#include "lib/task/public.h"
#include "lib/task/variables.h"

/*
 * Moves the tids to the front, keeping their order, and the errors behind. Returns how many tids
 * there are.
 */
static int spawn_sort(int *tids, const int *results, int count)
{
    int started = 0;
    for (int i = 0; i < count; i++)
        if (results[i] >= 0)
            tids[started++] = results[i];
    for (int i = 0, at = started; i < count; i++)
        if (results[i] < 0)
            tids[at++] = results[i];
    return started;
}

/* Tells the new tasks of each other. */
static int spawn_announce(struct task *task, const int *tids, int count)
{
    struct message *siblings = control_new(TC_SIBLINGS, CONTROL_CONTEXT_TC, 0);
    control_put_int(siblings, count);
    for (int i = 0; i < count; i++)
        control_put_int(siblings, tids[i]);
    int error = control_is_whole(siblings) ? send_multicast(task, tids, count, siblings) : PvmNoMem;
    message_free(siblings);
    return error;
}

/* What the caller is told of `results`. How many tasks there are, or an error. */
static int spawn_conclude(struct caller *caller, const int *results, int count, int *tids)
{
    int *sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted)
        return PvmNoMem;
    int started = spawn_sort(sorted, results, count);
    int error = started > 0 ? spawn_announce(caller->task, sorted, started) : PvmOk;
    if (tids)
        memcpy(tids, sorted, (size_t)count * sizeof *tids);
    free(sorted);
    return error < 0 ? error : started;
}

/* 3.4.6 ignores flags that it does not know: with such flags a process is meant. */
static bool spawn_is_within_processes(int flags)
{
    const int known = PvmTaskHost | PvmTaskArch | PvmTaskDebug | PvmTaskTrace | PvmMppFront |
                      PvmHostCompl | PvmNoSpawnParent | PvmTaskThread | PvmTaskUlp;
    return (flags & (PvmTaskThread | PvmTaskUlp)) && !(flags & ~known);
}

/* Adds the flags that the environment has. 0, or PvmBadParam if it names no kind of task. */
static int spawn_add_flags(struct task *task, int *flags)
{
    const char *kind = variables_get(task, "PVM_TASKS", "processes");
    *flags |= (int)variables_get_number(task, "PVMTASK", 0);
    if (strcmp(kind, "processes") == 0 || (*flags & PvmTaskThread))
        return 0;
    *flags |= PvmTaskUlp;
    return strcmp(kind, "ulp") == 0 ? 0 : PvmBadParam;
}

static int spawn_tasks(struct caller *caller, const struct program_order *order, int *tids)
{
    int *results = malloc((size_t)order->count * sizeof *results);
    if (!results)
        return PvmNoMem;
    int result = spawn_is_within_processes(order->flags)
                     ? thread_hosts_start(caller, order, results)
                     : program_start(caller, order, results);
    if (result == PvmOk)
        result = spawn_conclude(caller, results, order->count, tids);
    free(results);
    return result;
}

int pvm_spawn(const char *file, char *const *argv, int flag, const char *where, int ntask,
              int *tids)
{
    struct caller *caller = caller_self();
    int error = pvmd_link_enrol(caller->task);
    if (error == 0 && (ntask < 1 || !file))
        error = PvmBadParam;
    if (error == 0)
        error = spawn_add_flags(caller->task, &flag);
    if (error < 0)
        return task_report(caller->task, "pvm_spawn", error);
    const struct program_order order = {file, argv, flag, where, ntask, false};
    return task_result(caller->task, "pvm_spawn", spawn_tasks(caller, &order, tids));
}

static int spawn_function(struct caller *caller, struct thread_order *order, const char *where,
                          int count, int *tids)
{
    int *results = malloc((size_t)count * sizeof *results);
    if (!results)
        return PvmNoMem;
    int result = thread_task_start_on(caller, order, where, count, results);
    if (result == PvmOk)
        result = spawn_conclude(caller, results, count, tids);
    free(results);
    return result;
}

int pvm_spawnt(int (*function)(int, char **), char *const *argv, int flag, const char *where,
               int ntask, int *tids)
{
    struct caller *caller = caller_self();
    int error = pvmd_link_enrol(caller->task);
    if (error == 0 && (ntask < 1 || !function))
        error = PvmBadParam;
    if (error < 0)
        return task_report(caller->task, "pvm_spawnt", error);
    struct thread_order order = {
        .function = function,
        .name = functions_name(caller->task->process, function),
        .words = argv,
        .hidden_parent = (flag & PvmNoSpawnParent) != 0,
    };
    return task_result(caller->task, "pvm_spawnt",
                       spawn_function(caller, &order, where, ntask, tids));
}

int pvm_register(const char *name, int (*function)(int, char **))
{
    struct task *task = caller_self()->task;
    int result =
        name && function ? functions_register(task->process, name, function) : PvmBadParam;
    return task_result(task, "pvm_register", result);
}
