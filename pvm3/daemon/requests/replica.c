/* replica.c - changes of the master, carried out here. */
#include "daemon/requests/replica.h"

#include <stdlib.h>

#include <pvm3.h>

#include "core/packed.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/members/copies.h"
#include "daemon/members/deputies.h"
#include "daemon/post/router.h"
#include "daemon/requests/mailbox_requests.h"
#include "daemon/requests/region_requests.h"
#include "daemon/requests/request_room.h"

void replica_finish(struct daemon *daemon)
{
    for (int i = 0; i < REPLICA_RESULTS; i++)
        message_free(daemon->request_room->replica.results[i].found);
}

/* To a new deputy. ----------------------------------------------------------------------------- */

static void replica_send(struct daemon *daemon, const struct host *deputy, struct message *change)
{
    deputies_send(daemon, deputy, change);
    message_free(change);
}

static struct message *replica_new_entry(const struct mailbox_class *class,
                                         const struct mailbox_entry *entry)
{
    struct message *change = copy_new(COPY_ENTRY);
    control_put_string(change, class->name);
    control_put_int(change, entry->index);
    control_put_int(change, entry->flags);
    control_put_tid(change, entry->owner);
    if (control_is_whole(change) && packed_put(change, entry->message) == 0)
        return change;
    message_free(change);
    return NULL;
}

static void replica_send_mailboxes(struct daemon *daemon, const struct host *deputy)
{
    LIST_FOR_EACH(class_node, &daemon->request_room->mailboxes.classes)
    {
        struct mailbox_class *class = mailbox_class_at(class_node);
        LIST_FOR_EACH(node, &class->entries)
        replica_send(daemon, deputy, replica_new_entry(class, mailbox_entry_at(node)));
    }
}

static void replica_send_blocks(struct daemon *daemon, const struct host *deputy)
{
    for (int32_t block = 0; block < CONTROL_REGION_BLOCKS; block++) {
        if (daemon->post->block_owners.parts[block] == 0)
            continue;
        struct message *change = copy_new(COPY_BLOCK);
        control_put_int(change, block);
        control_put_tid(change, daemon->post->block_owners.parts[block]);
        replica_send(daemon, deputy, change);
    }
}

void replica_copy_all(struct daemon *daemon, const struct host *deputy)
{
    struct message *cursor = copy_new(COPY_CURSOR);
    control_put_int(cursor, (int32_t)daemon->post->hosts.cursor);
    replica_send(daemon, deputy, copy_new(COPY_CLEAR));
    replica_send(daemon, deputy, cursor);
    replica_send_blocks(daemon, deputy);
    replica_send_mailboxes(daemon, deputy);
}

/* At the deputy. ------------------------------------------------------------------------------- */

static void replica_clear(struct daemon *daemon)
{
    mailbox_finish(&daemon->request_room->mailboxes);
    daemon->post->block_owners = (struct block_owners){0};
}

static void replica_take_cursor(struct daemon *daemon, struct control_reader *body)
{
    uint32_t cursor = (uint32_t)control_get_int(body);
    if (cursor < 1 || cursor > TID_HOST_MAX)
        body->failed = true;
    if (!body->failed)
        daemon->post->hosts.cursor = cursor;
}

static void replica_take_block(struct daemon *daemon, struct control_reader *body)
{
    int32_t block = control_get_int(body);
    uint32_t part = control_get_tid(body);
    if (block < 0 || block >= CONTROL_REGION_BLOCKS || part != tid_host_part(part))
        body->failed = true;
    if (!body->failed)
        daemon->post->block_owners.parts[block] = part;
}

static void replica_take_entry(struct daemon *daemon, struct control_reader *body)
{
    struct message *message;
    char *name = control_get_string(body, 0);
    int index = control_get_int(body), flags = control_get_int(body);
    uint32_t owner = control_get_tid(body);
    if (body->failed || index < 0 || packed_get(body->message, &body->cursor, &message) < 0)
        body->failed = true;
    else if (mailbox_put(&daemon->request_room->mailboxes, name, index, flags, owner, message) < 0)
        log_write("no memory for what the master keeps in its mailboxes");
    free(name);
}

static void replica_take_call(struct daemon *daemon, struct control_reader *body)
{
    struct replica *replica = &daemon->request_room->replica;
    struct replica_result *result = &replica->results[replica->next];
    replica->next = (replica->next + 1) % REPLICA_RESULTS;
    message_free(result->found);
    *result =
        (struct replica_result){.asker = control_get_tid(body), .wait = control_get_int(body)};
    result->result = mailbox_repeat(daemon, body, &result->found);
}

static void replica_take_owner(struct daemon *daemon, struct control_reader *body)
{
    uint32_t owner = control_get_tid(body);
    if (!body->failed && owner != 0)
        mailbox_forget_owner(&daemon->request_room->mailboxes, owner);
}

static void replica_take_change(struct daemon *daemon, struct control_reader *body)
{
    switch (control_get_int(body)) {
    case COPY_CLEAR:
        replica_clear(daemon);
        break;
    case COPY_CURSOR:
        replica_take_cursor(daemon, body);
        break;
    case COPY_BLOCK:
        replica_take_block(daemon, body);
        break;
    case COPY_ENTRY:
        replica_take_entry(daemon, body);
        break;
    case COPY_CALL:
        replica_take_call(daemon, body);
        break;
    case COPY_OWNER:
        replica_take_owner(daemon, body);
        break;
    default:
        body->failed = true;
    }
}

enum request_result replica_take(struct request *request)
{
    uint32_t number = control_get_tid(&request->body);
    struct message *copied = control_new(CONTROL_COPIED, 0, 0);
    control_put_tid(copied, number);
    replica_take_change(request->daemon, &request->body);
    router_send(request->daemon, request->origin.tid, copied);
    return request->body.failed ? REQUEST_MALFORMED : REQUEST_DONE;
}

/* As the master. ------------------------------------------------------------------------------- */

const struct replica_result *replica_find(const struct daemon *daemon, uint32_t asker, int32_t wait)
{
    const struct replica *replica = &daemon->request_room->replica;
    for (int i = 0; i < REPLICA_RESULTS; i++)
        if (replica->results[i].asker == asker && replica->results[i].wait == wait)
            return &replica->results[i];
    return NULL;
}

void replica_take_over(struct daemon *daemon, const struct host *lost)
{
    mailbox_take_over(daemon, lost);
    region_take_over(daemon);
}
