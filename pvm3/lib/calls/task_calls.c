/* task_calls.c - calls about the task itself, and about other tasks. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ck/base/cancel.h"
#include "core/environment.h"
#include "core/tid.h"
#include "lib/life/enrolment.h"
#include "lib/life/tasks.h"
#include "lib/link/pvmd_link.h"
#include "lib/link/results.h"
#include "lib/link/siblings.h"
#include "lib/serve/options.h"
#include "lib/task/abi.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

int pvm_mytid(void)
{
    struct task *task = caller_self()->task;
    int tid = -1;
    while (tid <
           0) { /* another thread may leave just when this one has seen that the task is enrolled */
        int error = pvmd_link_enrol(task);
        if (error < 0)
            return task_report(task, "pvm_mytid", error);
        tid = atomic_load(&task->tid);
    }
    return tid;
}

int pvm_exit(void)
{
    return enrolment_exit(caller_self());
}

int pvm_parent(void)
{
    struct task *task = caller_self()->task;
    int error = pvmd_link_enrol(task);
    if (error < 0)
        return task_report(task, "pvm_parent", error);
    int parent = pvmd_link_parent(task);
    if (parent > 0)
        return parent;
    return parent == PvmParentNotSet ? PvmParentNotSet : PvmNoParent; /* answers, not errors */
}

int pvm_tidtohost(int tid)
{
    return (int)tid_host_part((uint32_t)tid);
}

int pvmbeatask(void)
{
    HOLD_OFF_CANCELLATION;
    return pvmd_link_enrol(caller_self()->task);
}

int pvmendtask(void)
{
    HOLD_OFF_CANCELLATION;
    enrolment_drop(caller_self()->task);
    return PvmOk;
}

int pvmsettaskname(char *name)
{
    struct task *task = caller_self()->task;
    if (!name)
        return task_report(task, "pvmsettaskname", PvmBadParam);
    if (atomic_load(&task->enrolment) == TASK_ENROLLED)
        return task_report(task, "pvmsettaskname", PvmExists);
    char *copy = strdup(name);
    if (!copy)
        return task_report(task, "pvmsettaskname", PvmNoMem);
    lock_acquire(&task->enrolment_lock);
    free(task->name);
    task->name = copy;
    lock_release(&task->enrolment_lock);
    return PvmOk;
}

int pvm_getopt(int what)
{
    return options_get(caller_self()->task, what);
}

int pvm_setopt(int what, int val)
{
    return options_set(caller_self()->task, what, val);
}

int pvm_siblings(int **tids)
{
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_siblings", siblings_get(task, tids));
}

/* Signals and states. -------------------------------------------------------------------------- */

static int process_signal(struct task *task, int tid, int signum)
{
    int error = pvmd_link_enrol(task);
    if (error < 0)
        return error;
    if (!tid_is_task((uint32_t)tid))
        return PvmBadParam;
    if ((signum == SIGTERM || signum == SIGKILL) && process_kill_task(tid))
        return PvmOk;
    return pvmd_link_signal(task, tid, signum);
}

int pvm_sendsig(int tid, int signum)
{
    struct task *task = caller_self()->task;
    return task_result(task, "pvm_sendsig", process_signal(task, tid, signum));
}

int pvm_kill(int tid)
{
    return task_result(caller_self()->task, "pvm_kill", pvm_sendsig(tid, SIGTERM));
}

int pvm_pstat(int tid)
{
    struct task *task = caller_self()->task;
    int result = pvmd_link_enrol(task);
    if (result == 0 && !tid_is_task((uint32_t)tid))
        result = PvmBadParam;
    if (result < 0)
        return task_report(task, "pvm_pstat", result);
    result = pvmd_link_state(task, tid);
    return result == PvmNoTask ? result
                               : task_result(task, "pvm_pstat", result); /* that one is an answer */
}

static int process_read_tasks(struct task *task, struct message *answer)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int error = control_get_int(&reader);
    if (error < 0)
        return error;
    struct pvmtaskinfo *list = NULL;
    int count = 0;
    while (control_rest(&reader) > 0 && !reader.failed) {
        struct pvmtaskinfo info;
        info.ti_tid = control_get_int(&reader);
        info.ti_ptid = control_get_int(&reader);
        info.ti_host = control_get_int(&reader);
        info.ti_flag = control_get_int(&reader);
        info.ti_a_out = control_get_string(&reader, 0);
        info.ti_pid = control_get_int(&reader);
        struct pvmtaskinfo *grown = realloc(list, (size_t)(count + 1) * sizeof *grown);
        if (reader.failed || !grown) {
            free(info.ti_a_out);
            list = grown ? grown : list;
            reader.failed = true;
        } else {
            list = grown;
            list[count++] = info;
        }
    }
    results_set_tasks(task, list, count);
    return reader.failed ? PvmBadMsg : PvmOk;
}

int pvm_tasks(int where, int *ntask, struct pvmtaskinfo **taskp)
{
    struct task *task = caller_self()->task;
    struct message *request = pvmd_link_request(TM_TASK);
    control_put_int(request, where);
    struct message *answer;
    int error = pvmd_link_call(task, request, &answer);
    if (error == 0)
        error = process_read_tasks(task, answer);
    message_free(answer);
    if (error < 0) {
        if (ntask)
            *ntask = 0;
        return task_report(task, "pvm_tasks", error);
    }
    results_get_tasks(task, ntask, taskp);
    abi_set_error(own_program_error(), PvmNoData); /* as in 3.4.6, which unpacks tasks until there are no more */
    return PvmOk;
}
