/*
 * notify.h - who wants to be told of what: the end of tasks and hosts, and new hosts (TM_NOTIFY).
 */
#ifndef DAEMON_POST_NOTIFY_H
#define DAEMON_POST_NOTIFY_H

#include "daemon/base/list.h"
#include "daemon/post/request.h"

struct notify {
    struct list host_ends; /* requests for the end of a host of the table */
    struct list new_hosts; /* requests for additions */
    struct list remote;    /* requests for the end of tasks of other hosts */
    struct list of_hosts;  /* requests of other daemons, which wait for tasks of this host */
};

void notify_start(struct notify *notify);

/* Tells those who wait for the end of the task, and forgets what it waits for itself. */
void notify_task_end(struct task *task);

/*
 * The task has left, but its process goes on. Libraries that wait for an answer of it, whose
 * requests have the context of the system, are told now; programs are told of the process.
 */
void notify_task_leave(struct task *task);

/* The task lives elsewhere now (places.h): what waits for its end waits for another host's word. */
void notify_task_departs(struct task *task);
/* The task lives here now: what waits for its end waits for this daemon. */
void notify_task_arrives(struct task *task);

/* Writes into a message what the task wants to be told of, and reads it again. */
void notify_put_wanted(struct message *message, struct task *task);
bool notify_take_wanted(struct task *task, struct control_reader *body);
/* The task is not told of anything any more. */
void notify_forget_wanted(struct task *task);

/* The host is gone: tells who wanted to know. */
void notify_host_end(struct daemon *daemon, uint32_t part);
/* Hosts have come. */
void notify_hosts_added(struct daemon *daemon, const uint32_t *parts, int count);

enum request_result notify_request(struct request *request);          /* TM_NOTIFY */
enum request_result notify_request_of_host(struct request *request);  /* DM_NOTIFY */
enum request_result notify_request_of_reset(struct request *request); /* DM_RESET */

#endif
