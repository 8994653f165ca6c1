/*
 * facts.h - what a daemon of ours tells of its host: release, processors, load, tasks.
 *
 * Other daemons get it behind the clock, in answers to DM_HOSTSYNC, which daemons of 3.4.6 read no
 * further than they know. Tasks get it by a tickle. One thread.
 */
#ifndef DAEMON_REQUESTS_FACTS_H
#define DAEMON_REQUESTS_FACTS_H

#include "daemon/post/request.h"

/*
 * Appends four integers: the release, two digits for each number behind the first (3.4.6.1 is
 * 3040601), the processors that the daemon may use, the load of the last minute in hundredths, and
 * the tasks.
 */
void facts_put(struct message *message, const struct daemon *daemon);

/*
 * Answers a tickle with the four facts of the host with this tid; if it is another host, its daemon
 * is asked first. Answers with no facts when that daemon is of 3.4.6, or ends meanwhile.
 */
enum request_result facts_tickle(struct request *request, uint32_t where);

#endif
