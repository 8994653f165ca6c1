/*
 * notify.h - who wants to be told of what: the end of tasks and hosts, and new hosts (TM_NOTIFY,
 * wire.md 2.12).
 */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include "daemon/list.h"
#include "daemon/request.h"

struct notify {
    struct list host_ends; /* requests for the end of a host of the table */
    struct list new_hosts; /* requests for additions */
};

void notify_start(struct notify *notify);

/* Tells those who wait for the end of the task, and forgets what it waits for itself. */
void notify_task_end(struct task *task);

/*
 * The task has left, but its process goes on. Libraries that wait for an answer of it, whose
 * requests have the context of the system, are told now; programs are told of the process.
 */
void notify_task_leave(struct task *task);

enum request_result notify_request(struct request *request);

#endif
