/*
 * mailbox_requests.h - TM_DB: what tasks ask of the mailboxes, and who waits for an entry to
 * appear.
 */
#ifndef DAEMON_REQUESTS_MAILBOX_REQUESTS_H
#define DAEMON_REQUESTS_MAILBOX_REQUESTS_H

#include "daemon/post/request.h"

enum request_result mailbox_request(struct request *request); /* TM_DB, DM_DB */

/* Drops what the task owns or waits for. */
void mailbox_task_end(struct daemon *daemon, uint32_t tid);

/* Write the entries, or the tasks that wait for entries, to the log. */
void mailbox_log(struct daemon *daemon);
void mailbox_log_waits(struct daemon *daemon);

#endif
