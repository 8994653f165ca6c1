/*
 * add_hosts.h - requests for more hosts.
 *
 * Names are checked and looked up, so that each host gets the result it deserves; starting daemons
 * there is not possible yet, and says so.
 */
#ifndef DAEMON_ADD_HOSTS_H
#define DAEMON_ADD_HOSTS_H

#include "daemon/request.h"

struct addition;

enum request_result add_hosts_request(struct request *request); /* TM_ADDHOST, SM_ADD */

/* Drops the addition that is going on, if any. */
void add_hosts_finish(struct daemon *daemon);

#endif
