/* copies.c - one function for each change. */
#include "daemon/members/copies.h"

#include "daemon/members/deputies.h"
#include "daemon/members/member_room.h"

struct message *copy_new(enum copy_kind kind)
{
    struct message *change = control_new(CONTROL_COPY, 0, 0);
    control_put_int(change, (int32_t)kind);
    return change;
}

void copy_cursor(struct daemon *daemon)
{
    if (!deputies_are_there(daemon))
        return;
    struct message *change = copy_new(COPY_CURSOR);
    control_put_int(change, (int32_t)daemon->post->hosts.cursor);
    deputies_copy(daemon, change);
}

void copy_block(struct daemon *daemon, int32_t block)
{
    if (block < 0 || block >= CONTROL_REGION_BLOCKS || !deputies_are_there(daemon))
        return;
    struct message *change = copy_new(COPY_BLOCK);
    control_put_int(change, block);
    control_put_tid(change, daemon->post->block_owners.parts[block]);
    deputies_copy(daemon, change);
}

void copy_owner(struct daemon *daemon, uint32_t owner)
{
    if (!deputies_are_there(daemon))
        return;
    struct message *change = copy_new(COPY_OWNER);
    control_put_tid(change, owner);
    deputies_copy(daemon, change);
}

void copy_call(const struct request_origin *origin, const struct message *message,
               struct cursor cursor)
{
    if (!deputies_are_there(origin->daemon))
        return;
    struct message *change = copy_new(COPY_CALL);
    control_put_tid(change, origin->tid);
    control_put_int(change, origin->wait);
    if (control_is_whole(change) && message_append_rest(change, message, cursor) < 0) {
        message_free(change);
        change = NULL;
    }
    deputies_copy(origin->daemon, change);
}
