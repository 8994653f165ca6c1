/*
 * mailbox_requests.h - TM_DB: what tasks ask of the mailboxes, and who waits for an entry to
 * appear.
 */
#ifndef DAEMON_REQUESTS_MAILBOX_REQUESTS_H
#define DAEMON_REQUESTS_MAILBOX_REQUESTS_H

#include "daemon/post/request.h"

enum request_result mailbox_request(struct request *request); /* TM_DB, DM_DB */

/*
 * What the master has carried out, on the table of a deputy. The body begins with the operation. The
 * result; *found is what was got, or stays NULL.
 */
int mailbox_repeat(struct daemon *daemon, struct control_reader *body, struct message **found);

/* Answers with a result, and with an entry, which is freed, unless it is NULL. */
void mailbox_reply_entry(const struct request_origin *origin, int index, struct message *message);

/*
 * This daemon is the master now: entries of tasks that are over, or were on the host `lost`, go, and
 * the owners of others are watched.
 */
void mailbox_take_over(struct daemon *daemon, const struct host *lost);

/* Drops what the task owns or waits for. */
void mailbox_task_end(struct daemon *daemon, uint32_t tid);

/* Write the entries, or the tasks that wait for entries, to the log. */
void mailbox_log(struct daemon *daemon);
void mailbox_log_waits(struct daemon *daemon);

#endif
