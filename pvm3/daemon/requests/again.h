/*
 * again.h - what a daemon had asked the master when the master died is asked once more, of the new
 * one: changes of mailboxes, hosts to be added and deleted.
 *
 * The question carries the wait identifier of the first one. By that the new master knows a change of
 * a mailbox that was carried out already, and gives the old answer (replica.h). Hosts that came into
 * the table are not added twice in any case: the answer says that they are there. One thread.
 */
#ifndef DAEMON_REQUESTS_AGAIN_H
#define DAEMON_REQUESTS_AGAIN_H

#include "daemon/post/request.h"

/* Asks the new master, which may be this daemon. See upcalls.h. */
void again_ask(const struct request_origin *origin, int32_t tag, int32_t number,
               struct message *question, int32_t failure);

enum request_result again_request(struct request *request); /* CONTROL_AGAIN */

#endif
