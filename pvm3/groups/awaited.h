/*
 * awaited.h - waiting for a message of a member that may end before it sends it.
 *
 * The pvmd is asked once for word of each member's end. When it comes, a message handler puts a
 * stand-in (lib/calls/stand_in.h) in place of each message that is awaited in vain. So a member that
 * waits sleeps like any other receive, and what the pvmd says is never among the messages that the
 * program sees.
 *
 * A libpvm3 of 3.4.6 has no stand-ins. There the end of a member is looked for after a second
 * without a message, and less and less often from then on.
 */
#ifndef GROUPS_AWAITED_H
#define GROUPS_AWAITED_H

#include "groups/client.h"

/*
 * The next message of `source` with `tag`, as the active receive buffer. Returns the buffer or an
 * error. PvmNoTask: the message is not there, and one of `watched` has ended. These lie in memory of
 * the call; NULL: `source` alone is watched.
 */
int awaited_receive(struct groups_call *call, int source, int tag, const int *watched, int count);

#endif
