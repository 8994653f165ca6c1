/*
 * add_hosts.h - requests for more hosts.
 *
 * Only the master adds, one request at a time; how is in addition.h. Each host gets the result it
 * deserves.
 */
#ifndef DAEMON_MEMBERS_ADD_HOSTS_H
#define DAEMON_MEMBERS_ADD_HOSTS_H

#include "daemon/post/request.h"

enum request_result add_hosts_request(struct request *request); /* TM_ADDHOST, SM_ADD */

/* Adds the hosts that the host file wants from the start. */
void add_hosts_of_file(struct daemon *daemon);

/* Has the task been asked to start hosts, and not answered yet? */
bool add_hosts_waits_for(const struct daemon *daemon, uint32_t tid);
enum request_result add_hosts_take_answer(struct request *request); /* SM_STHOSTACK */

/* The task answers no more: if it is the hoster that an addition waits for, that fails. */
void add_hosts_task_leave(struct daemon *daemon, uint32_t tid);

/* Drops the addition that is going on, if any. */
void add_hosts_finish(struct daemon *daemon);

#endif
