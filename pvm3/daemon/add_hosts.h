/*
 * add_hosts.h - requests for more hosts.
 *
 * Names are checked and looked up, so that each host gets the result it deserves. A hoster, if one
 * is registered, is asked to start the daemons and tells why it could not; without one none is
 * started. This daemon serves one host yet: one that was started is not taken in, and gets
 * PvmCantStart with a line on the log.
 */
#ifndef DAEMON_ADD_HOSTS_H
#define DAEMON_ADD_HOSTS_H

#include "daemon/request.h"

enum request_result add_hosts_request(struct request *request); /* TM_ADDHOST, SM_ADD */

/* Has the task been asked to start hosts, and not answered yet? */
bool add_hosts_waits_for(const struct daemon *daemon, uint32_t tid);
enum request_result add_hosts_take_answer(struct request *request); /* SM_STHOSTACK */

/* The task answers no more: if it is the hoster that an addition waits for, that fails. */
void add_hosts_task_leave(struct daemon *daemon, uint32_t tid);

/* Drops the addition that is going on, if any. */
void add_hosts_finish(struct daemon *daemon);

#endif
