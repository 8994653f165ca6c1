/*
 * route_notice.h - telling the program that a direct route has come or gone (pvm_notify of
 * PvmRouteAdd and PvmRouteDelete).
 *
 * The messages are made and queued here, from the task itself: two integers, the peer's tid and the
 * descriptor, -1 of a route that is gone.
 */
#ifndef LIB_ROUTE_NOTICE_H
#define LIB_ROUTE_NOTICE_H

#include "lib/task.h"

/*
 * Asks for `count` messages with `tag` and `context` about routes that come: -1 for ever, 0 for
 * none any more, in place of what was asked for with the same tag and context. 0 or PvmNoMem.
 */
int route_notice_ask_added(struct task *task, int tag, int context, int count);

/*
 * Asks for a message when the route to `peer` goes, which comes at once when there is none. 0 or
 * PvmNoMem.
 */
int route_notice_ask_deleted(struct task *task, uint32_t peer, int tag, int context);

/* For the endpoint: a route to `peer` listens or is open, or is gone (descriptor -1). */
void route_notice_tell(void *owner, uint32_t peer, int descriptor);

/* Forgets what was asked for. */
void route_notice_forget(struct task *task);

#endif
