/*
 * mailbox.h - putting, getting and removing mailbox entries, without a report of errors.
 *
 * All enrol if need be and return the entry's index or an error: PvmDenied, PvmNotFound, PvmSysErr,
 * PvmNoMem.
 */
#ifndef LIB_SERVE_MAILBOX_H
#define LIB_SERVE_MAILBOX_H

#include "lib/link/pvmd_link.h"
#include "lib/link/results.h"
#include "lib/task/abi.h"
#include "lib/task/task.h"

/* The index is in the flags, as calls of 3.4 give it. */
#define MAILBOX_INDEX_IN_FLAGS (-1)

int mailbox_put(struct task *task, const char *name, int index, int flags,
                const struct message *message);

/* *message is the caller's (message_free). */
int mailbox_get(struct task *task, const char *name, int index, int flags,
                struct message **message);

int mailbox_remove(struct task *task, const char *name, int index, int flags);

/* Removes what `owner`, which is over, has left there. PvmDenied when another task has put it. */
int mailbox_bury(struct task *task, const char *name, int index, uint32_t owner);

/* For calls that use the answer themselves: a request, or NULL as pvmd_link_request returns it. */
struct message *mailbox_request(struct task *task, int operation, const char *name, int index,
                                int flags);

/* Asks for an entry. *answer is the caller's; NULL if none came. */
int mailbox_fetch(struct task *task, const char *name, int index, int flags,
                  struct message **answer);

/* The entry in an answer, or the error that it tells; *cursor is where the answer was read to. */
int mailbox_open(struct message *answer, struct cursor *cursor, struct message **message);

#endif
