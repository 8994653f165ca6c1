/*
 * quiet_daemon.h - a daemon of which a test takes the parts that it needs: with tables of hosts and
 * of tasks, and links that lead nowhere.
 */
#ifndef UNIT_QUIET_DAEMON_H
#define UNIT_QUIET_DAEMON_H

#include "daemon/rooms.h"
#include "daemon/post/request.h"

#define OWN_INDEX 1u
#define OWN_PART  (OWN_INDEX << TID_HOST_SHIFT)

/* The daemon of the host OWN_PART, its master. */
extern struct daemon quiet;

/* Of a test. What is still in the tables goes at the end. */
int quiet_daemon_start(void **state);
int quiet_daemon_finish(void **state);

/* Another host, with that index, comes and goes. */
struct host *quiet_daemon_add_host(uint32_t index);
void quiet_daemon_remove_host(struct host *host);

/* The task of `task` or, if that is NULL, the daemon of the host asks; the question is freed. */
enum request_result quiet_daemon_take(request_handler *handler, struct task *task, uint32_t part,
                                      struct message *question);

/* The answer of a host, which is freed. False when nobody waits for it. */
bool quiet_daemon_hear(uint32_t part, struct message *answer);

/* Does what was put off to the end of a round. */
void quiet_daemon_end_round(void);

#endif
