/* lifetime.c - the end of tasks. */
#include "daemon/lifetime.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/mailbox_requests.h"
#include "daemon/output.h"
#include "daemon/task_link.h"
#include "daemon/trace.h"

static const struct task_end unknown_end;

void task_end(struct task *task, const struct task_end *how)
{
    struct daemon *daemon = task->daemon;
    log_debug(LOG_TASKS, "t%x (%s) is over, status 0x%x", task->tid, task->name,
              (unsigned)how->status);
    output_drain(task);
    notify_task_end(task);
    mailbox_task_end(daemon, task->tid);
    services_task_end(task, how);
    if (task->link)
        task_link_end(task->link);
    output_end(task);
    trace_task_end(task, how);
    trace_forget(daemon, task->tid);
    contexts_task_end(&daemon->contexts, task);
    task_free(task);
}

void lifetime_end_all(struct daemon *daemon)
{
    while (!list_is_empty(&daemon->tasks.list))
        task_end(task_at(daemon->tasks.list.next), &unknown_end);
}

/*
 * The record of a child stays, marked connected, until its process ends: it cannot be claimed
 * again.
 */
void task_lose_link(struct task *task)
{
    if (!(task->flags & TASK_IS_CHILD))
        task_end(task, &unknown_end);
}

enum request_result lifetime_exit(struct request *request)
{
    struct task *task = request->task;
    request_reply(request, request_answer(request));
    if (task->flags & TASK_IS_CHILD)
        task_link_end(task->link);
    else
        task_end(task, &unknown_end);
    return REQUEST_DONE;
}

static void lifetime_end_child(struct daemon *daemon, pid_t pid, int status,
                               const struct rusage *usage)
{
    struct task *task = tasks_find_child(&daemon->tasks, pid);
    if (!task)
        return;
    struct task_end how = {
        .status = status,
        .user_seconds = (int32_t)usage->ru_utime.tv_sec,
        .user_microseconds = (int32_t)usage->ru_utime.tv_usec,
        .system_seconds = (int32_t)usage->ru_stime.tv_sec,
        .system_microseconds = (int32_t)usage->ru_stime.tv_usec,
    };
    task_end(task, &how);
}

void lifetime_reap(struct daemon *daemon)
{
    for (;;) {
        int status;
        struct rusage usage;
        pid_t pid = wait4(-1, &status, WNOHANG, &usage);
        if (pid <= 0)
            return;
        lifetime_end_child(daemon, pid, status, &usage);
    }
}
