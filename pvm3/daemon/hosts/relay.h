/*
 * relay.h - requests that another daemon answers: they are passed on, and its answer comes back to
 * who asked.
 */
#ifndef DAEMON_HOSTS_RELAY_H
#define DAEMON_HOSTS_RELAY_H

#include "daemon/post/request.h"

struct host;

/*
 * Passes a request on to `host` with `tag`. `question` is its body, or NULL for the body of the
 * request itself; it is freed. The answer's body goes to who asked, behind `prefix` integers of 0.
 * When the host ends first, or memory is short, the answer is `failure` alone. But if another host
 * has become the master, that one is asked what only the master does (requests/again.h).
 */
enum request_result relay(struct request *request, const struct host *host, int32_t tag,
                          struct message *question, int prefix, int32_t failure);

#endif
