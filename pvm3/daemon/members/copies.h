/*
 * copies.h - the changes that the master tells its deputies (deputies.h), as values in a message
 * behind its number. requests/replica.h takes them. Without deputies nothing is done.
 */
#ifndef DAEMON_MEMBERS_COPIES_H
#define DAEMON_MEMBERS_COPIES_H

#include "daemon/post/request.h"

struct daemon;

/* What has changed; the fields behind it. */
enum copy_kind {
    COPY_CLEAR,  /* nothing: a new deputy is about to be told of all */
    COPY_CURSOR, /* the index given last to a host that was to be added */
    COPY_BLOCK,  /* a block of the numbers of regions, and the host that has it now, or 0 */
    COPY_ENTRY,  /* of a mailbox: class, index, flags, owner, and the packed message */
    COPY_CALL,  /* who asked, his wait identifier, and the body of a DM_DB that changed something */
    COPY_OWNER, /* a task that is over: what it has left in mailboxes goes */
};

/* A change to be filled. NULL when memory is short. */
struct message *copy_new(enum copy_kind kind);

void copy_cursor(struct daemon *daemon);
void copy_block(struct daemon *daemon, int32_t block);
void copy_owner(struct daemon *daemon, uint32_t owner);
/* The request, of which the cursor is at the operation, has been carried out. */
void copy_call(const struct request_origin *origin, const struct message *message,
               struct cursor cursor);

#endif
