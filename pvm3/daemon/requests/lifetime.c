/* lifetime.c - the end of tasks. */
#include "daemon/requests/lifetime.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/environment.h"
#include "daemon/base/log.h"
#include "daemon/members/add_hosts.h"
#include "daemon/post/router.h"
#include "daemon/post/task_link.h"
#include "daemon/requests/departures.h"
#include "daemon/requests/followers.h"
#include "daemon/requests/mailbox_requests.h"
#include "daemon/requests/move_orders.h"
#include "daemon/requests/request_room.h"
#include "daemon/requests/revivals.h"
#include "daemon/tasks/output.h"
#include "daemon/tasks/route_sockets.h"
#include "daemon/tasks/trace.h"

/* For so long the daemon's end waits for children that have been told to end. */
#define NEWCOMERS_MILLISECONDS 1000

static const struct task_end unknown_end;

/*
 * The task starts no more tasks: tasks that it was asked to start and that have not connected are
 * over.
 */
static void lifetime_end_unstarted(struct task *tasker)
{
    struct daemon *daemon = tasker->daemon;
    if (!tasker->starts)
        return;
    tasker->starts = false;
    LIST_FOR_EACH(node, &daemon->post->tasks.list)
    {
        struct task *task = task_at(node);
        if (task->starter == tasker->tid && !(task->flags & TASK_IS_CONNECTED))
            task_end(task, &unknown_end);
    }
}

/* What it did for others ends, also what they wait for. */
static void lifetime_end_services(struct task *task)
{
    services_task_leave(task);
    add_hosts_task_leave(task->daemon, task->tid);
    lifetime_end_unstarted(task);
}

/* All hosts have known where a task lives that has travelled. */
static void lifetime_end_moves(const struct task *task)
{
    departure_cancel(task);
    move_orders_task_end(task->daemon, task->tid);
    revivals_task_end(task->daemon, task->tid);
    if (!task->travelled)
        return;
    follower_tell_over(task->daemon, task->tid, task->region);
    follower_over(task->daemon, task->tid, task->region);
}

void task_end(struct task *task, const struct task_end *how)
{
    struct daemon *daemon = task->daemon;
    log_debug(LOG_TASKS, "t%x (%s) is over, status 0x%x", task->tid, task->name,
              (unsigned)how->status);
    router_end_task(task);
    output_drain(task);
    lifetime_end_services(task);
    services_tell_end(task, how);
    notify_task_end(task);
    mailbox_task_end(daemon, task->tid);
    task_link_leave(task);
    output_end(task);
    trace_task_end(task, how);
    trace_forget(daemon, task->tid);
    contexts_end(&daemon->request_room->contexts, &task->contexts);
    route_sockets_task_end(task);
    lifetime_end_moves(task);
    task_free(task);
}

void task_end_alone(struct task *task)
{
    if (departure_lose(task))
        return;
    const struct task_end how = {.status = task->killed_by};
    task_end(task, &how);
}

/* A connection of the process that has, or may have, tasks beside its first; NULL: there is none. */
static struct task_link *lifetime_find_beside(struct daemon *daemon, pid_t process)
{
    LIST_FOR_EACH(node, &daemon->post->listener.links)
    {
        struct task_link *link = LIST_OWNER(node, struct task_link, node);
        if ((link->beside || link->leased) && link->process == process &&
            link->state == TASK_LINK_CONNECTED)
            return link;
    }
    return NULL;
}

void task_end_with_process(struct task *task, const struct task_end *how)
{
    struct daemon *daemon = task->daemon;
    pid_t process = task->process;
    uint32_t tid = task->tid;
    struct task_link *beside;
    while (process && (beside = lifetime_find_beside(daemon, process)) != NULL)
        task_link_read_to_end(beside);
    if (task->link)
        task_link_read_rest(task->link);
    if (tasks_find(&daemon->post->tasks, tid) == task)
        task_end(task, how);
}

/* If tasks share a connection, only their process can end one of them. */
static void task_kill_alone(struct task *task, int number)
{
    task->killed_by = number;
    if (task->link->leased)
        router_send(task->daemon, task->tid, control_new(CONTROL_ENDED, CONTROL_CONTEXT_TC, 0));
    else
        task_link_cut(task->link);
}

void task_signal(struct task *task, int number)
{
    bool kills = number == SIGTERM || number == SIGKILL;
    if (!kills || !task->beside || !task->link || !task_has_company(task))
        signals_send(task->pid, task->tid, number);
    else if (!task->killed_by)
        task_kill_alone(task, number);
}

void lifetime_end_all(struct daemon *daemon)
{
    while (!list_is_empty(&daemon->post->tasks.list))
        task_end(task_at(daemon->post->tasks.list.next), &unknown_end);
}

/*
 * The record of a child stays, marked connected, until its process ends: it cannot be claimed
 * again. But what waits for an answer of the task waits in vain.
 */
static void task_leave(struct task *task)
{
    router_end_task(task);
    lifetime_end_services(task);
    notify_task_leave(task);
}

void task_lose_link(struct task *task)
{
    if (task->flags & TASK_IS_CHILD)
        task_leave(task);
    else
        task_end_alone(task);
}

enum request_result lifetime_exit(struct request *request)
{
    struct task *task = request->task;
    request_reply(request, request_answer(request));
    if (task->flags & TASK_IS_CHILD) {
        task->flags |= TASK_IS_CLOSING;
        task_link_leave(task);
        task_leave(task);
    } else {
        task_end(task, &unknown_end);
    }
    return REQUEST_DONE;
}

static void lifetime_end_child(struct daemon *daemon, pid_t pid, int status,
                               const struct rusage *usage)
{
    struct task *task = tasks_find_child(&daemon->post->tasks, pid);
    if (!task)
        return;
    struct task_end how = {
        .status = status,
        .user_seconds = (int32_t)usage->ru_utime.tv_sec,
        .user_microseconds = (int32_t)usage->ru_utime.tv_usec,
        .system_seconds = (int32_t)usage->ru_stime.tv_sec,
        .system_microseconds = (int32_t)usage->ru_stime.tv_usec,
    };
    task_end_with_process(task, &how);
}

/*
 * A process that is killed while it enrols leaves the file by which it authenticates, its first
 * temporary name. It is removed before the process is collected: until then nobody else has its id.
 */
static void lifetime_remove_proof(pid_t pid)
{
    char path[ENVIRONMENT_PATH_SIZE];
    struct stat status;
    if (environment_temporary_name(path, pid, 0) && lstat(path, &status) == 0 &&
        S_ISREG(status.st_mode) && status.st_uid == getuid())
        unlink(path);
}

void lifetime_reap(struct daemon *daemon)
{
    siginfo_t ended = {.si_pid = 0};
    while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid > 0) {
        int status;
        struct rusage usage;
        lifetime_remove_proof(ended.si_pid);
        if (wait4(ended.si_pid, &status, WNOHANG, &usage) == ended.si_pid)
            lifetime_end_child(daemon, ended.si_pid, status, &usage);
        ended.si_pid = 0;
    }
}

/* True when there is a child that may be about to enrol. */
static bool lifetime_has_newcomer(const struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->post->tasks.list)
    if ((task_at(node)->flags & (TASK_IS_CHILD | TASK_IS_CONNECTED)) == TASK_IS_CHILD)
        return true;
    return false;
}

void lifetime_await_newcomers(struct daemon *daemon)
{
    const int64_t end = loop_now() + NEWCOMERS_MILLISECONDS;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    lifetime_reap(daemon);
    for (int64_t left = NEWCOMERS_MILLISECONDS; left > 0 && lifetime_has_newcomer(daemon);
         left = end - loop_now()) {
        const struct timespec limit = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
        if (sigtimedwait(&child, NULL, &limit) == SIGCHLD)
            lifetime_reap(daemon);
    }
}
