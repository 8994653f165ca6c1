/*
 * own_notice.h - notices that the task sends itself (pvm_notify): that a direct route has come or
 * gone, and that it leaves.
 *
 * The messages are made here, from the task itself, and are for message handlers or receives. About
 * a route they hold two integers: the peer's tid and the descriptor, -1 of a route that is gone.
 * About the own end they hold the own tid. The pvmd tells of the own end, too, but only when the
 * task no longer listens.
 */
#ifndef LIB_SERVE_OWN_NOTICE_H
#define LIB_SERVE_OWN_NOTICE_H

#include "lib/task/luggage.h"
#include "lib/task/task.h"

/*
 * Asks for `count` messages with `tag` and `context` about routes that come: -1 for ever, 0 for no
 * more. This replaces an earlier request with the same tag and context. 0 or PvmNoMem.
 */
int own_notice_ask_route_added(struct task *task, int tag, int context, int count);

/*
 * Asks for a message when the route to `peer` goes. Without a route the message comes at once. 0 or
 * PvmNoMem.
 */
int own_notice_ask_route_deleted(struct task *task, uint32_t peer, int tag, int context);

/* Asks for a message when the task leaves. 0 or PvmNoMem. */
int own_notice_ask_end(struct task *task, int tag, int context);

/* For the endpoint: a route to `peer` listens or is open, or is gone (descriptor -1). */
void own_notice_tell_route(void *owner, uint32_t peer, int descriptor);

/* The task is about to leave. */
void own_notice_tell_end(struct task *task);

/* Forgets what was asked for. */
void own_notice_forget(struct task *task);

/* What was asked for, of a task that moves. */
void own_notice_put(struct task *task, struct luggage *luggage);
void own_notice_get(struct task *task, struct luggage_reader *reader);

#endif
