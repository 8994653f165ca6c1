/* mailbox_requests.c - one function for each operation. */
#include "daemon/requests/mailbox_requests.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/packed.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/hosts/relay.h"
#include "daemon/members/copies.h"
#include "daemon/members/deputies.h"
#include "daemon/post/watch.h"
#include "daemon/requests/pattern.h"
#include "daemon/requests/request_room.h"

/* The fields that all operations have. */
struct mailbox_call {
    int32_t operation;
    uint32_t who; /* the task that it says it comes from, taken on trust as in 3.4.6 */
    char *name;
    int index;
    int flags;
};

/* A get that found nothing and waits. */
struct mailbox_wait {
    struct list node;
    struct request_origin origin;
    struct mailbox_call call;
};

static struct mailbox_wait *mailbox_wait_at(struct list *node)
{
    return LIST_OWNER(node, struct mailbox_wait, node);
}

static void mailbox_wait_free(struct mailbox_wait *wait)
{
    list_remove(&wait->node);
    free(wait->call.name);
    free(wait);
}

void mailbox_reply_entry(const struct request_origin *origin, int index, struct message *message)
{
    struct message *answer = request_answer_to(origin);
    control_put_int(answer, index);
    bool whole = !message || (control_is_whole(answer) && packed_put(answer, message) == 0);
    message_free(message);
    if (whole) {
        deputies_answer(origin, answer);
        return;
    }
    message_free(answer);
    log_write("no memory to hand a mailbox entry to t%x: it gets no answer", origin->tid);
}

/* A request that has waited is copied as one that comes now. */
static void mailbox_copy_wait(const struct mailbox_wait *wait)
{
    struct message *asked = control_new(DM_DB, 0, 0);
    control_put_int(asked, wait->call.operation);
    control_put_tid(asked, wait->call.who);
    control_put_string(asked, wait->call.name);
    control_put_int(asked, wait->call.index);
    control_put_int(asked, wait->call.flags);
    if (control_is_whole(asked))
        copy_call(&wait->origin, asked, (struct cursor){0, 0});
    message_free(asked);
}

/* Tries again for each task that waits for an entry of the class. */
static void mailbox_serve_waits(struct daemon *daemon, const char *name)
{
    LIST_FOR_EACH(node, &daemon->request_room->mailbox_waits)
    {
        struct mailbox_wait *wait = mailbox_wait_at(node);
        const struct mailbox_call *call = &wait->call;
        struct message *message = NULL;
        if (strcmp(call->name, name) != 0)
            continue;
        int found = mailbox_get(&daemon->request_room->mailboxes, name, call->index, call->flags,
                                call->who, &message);
        if (found == PvmNotFound)
            continue;
        if (found >= 0 && (call->flags & PvmMboxReadAndDelete))
            mailbox_copy_wait(wait);
        mailbox_reply_entry(&wait->origin, found, message);
        mailbox_wait_free(wait);
    }
}

/* A task that owns entries or waits for one. */
struct mailbox_user {
    struct list node;
    struct watch watch;
    struct daemon *daemon;
    uint32_t tid;
};

static void mailbox_user_ended(struct watch *watch)
{
    struct mailbox_user *user = LIST_OWNER(watch, struct mailbox_user, watch);
    list_remove(&user->node);
    mailbox_task_end(user->daemon, user->tid);
    free(user);
}

static bool mailbox_is_watched(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->mailbox_users)
    if (LIST_OWNER(node, struct mailbox_user, node)->tid == tid)
        return true;
    return false;
}

static void mailbox_watch_user(struct daemon *daemon, uint32_t tid)
{
    const struct host *host = places_host(daemon, tid);
    bool there = host && (host->link || tasks_find_task(&daemon->post->tasks, tid));
    if (!there || mailbox_is_watched(daemon, tid))
        return;
    struct mailbox_user *user = malloc(sizeof *user);
    if (!user) {
        log_write("no memory to watch t%x: its mailbox entries and its waits will stay", tid);
        return;
    }
    user->daemon = daemon;
    user->tid = tid;
    list_append(&daemon->request_room->mailbox_users, &user->node);
    watch_start(&user->watch, daemon, tid, mailbox_user_ended);
}

/* The tids of tasks that are not killed. */
static int mailbox_apply_reset(struct mailboxes *mailboxes, const struct mailbox_call *call,
                               struct control_reader *body)
{
    int32_t count = control_get_count(body, 4);
    uint32_t *spared = body->failed ? NULL : malloc((size_t)count * sizeof *spared + 1);
    if (!spared) {
        body->failed = true;
        return 0;
    }
    for (int32_t i = 0; i < count; i++)
        spared[i] = control_get_tid(body);
    mailbox_reset(mailboxes, call->name, call->index, call->flags != 0, spared, (size_t)count);
    free(spared);
    return 0;
}

static int mailbox_apply_put(struct mailboxes *mailboxes, const struct mailbox_call *call,
                             struct control_reader *body)
{
    struct message *message;
    if (packed_get(body->message, &body->cursor, &message) == 0)
        return mailbox_put(mailboxes, call->name, call->index, call->flags, call->who, message);
    body->failed = true;
    return 0;
}

/*
 * Carries out an operation on the table; its result. *found is what is got, or stays NULL. The body
 * has failed if it makes no sense.
 */
static int mailbox_apply(struct mailboxes *mailboxes, const struct mailbox_call *call,
                         struct control_reader *body, struct message **found)
{
    switch (call->operation) {
    case MAILBOX_PUT:
        return mailbox_apply_put(mailboxes, call, body);
    case MAILBOX_REMOVE:
        return mailbox_remove(mailboxes, call->name, call->index, call->who);
    case MAILBOX_GET:
        return mailbox_get(mailboxes, call->name, call->index, call->flags, call->who, found);
    case MAILBOX_RESET:
        return mailbox_apply_reset(mailboxes, call, body);
    }
    body->failed = true;
    return 0;
}

static bool mailbox_has_changed(const struct mailbox_call *call, int result)
{
    return result >= 0 && (call->operation != MAILBOX_GET || (call->flags & PvmMboxReadAndDelete));
}

static enum request_result mailbox_call_wait(struct request *request, struct mailbox_call *call)
{
    struct mailbox_wait *wait = malloc(sizeof *wait);
    if (!wait)
        return request_reply_int(request, PvmNoMem);
    *wait = (struct mailbox_wait){.origin = request->origin, .call = *call};
    call->name = NULL; /* it is the waiter's now */
    list_append(&request->daemon->request_room->mailbox_waits, &wait->node);
    mailbox_watch_user(request->daemon, wait->call.who);
    log_debug(LOG_WAITS, "t%x waits for '%s'", wait->call.who, wait->call.name);
    return REQUEST_DONE;
}

static void mailbox_put_class(struct message *answer, struct mailbox_class *class)
{
    control_put_string(answer, class->name);
    control_put_int(answer, (int32_t) class->count);
    LIST_FOR_EACH(node, &class->entries)
    {
        const struct mailbox_entry *entry = mailbox_entry_at(node);
        control_put_int(answer, entry->index);
        control_put_tid(answer, entry->owner);
        control_put_int(answer, entry->flags);
    }
}

static enum request_result mailbox_call_names(struct request *request, struct mailbox_call *call)
{
    struct mailboxes *mailboxes = &request->daemon->request_room->mailboxes;
    struct message *answer = request_answer(request);
    int32_t count = 0;
    LIST_FOR_EACH(node, &mailboxes->classes)
    count += pattern_fits(call->name, mailbox_class_at(node)->name);
    control_put_int(answer, 0);
    control_put_int(answer, count);
    LIST_FOR_EACH(node, &mailboxes->classes)
    if (pattern_fits(call->name, mailbox_class_at(node)->name))
        mailbox_put_class(answer, mailbox_class_at(node));
    deputies_answer(&request->origin, answer);
    return REQUEST_DONE;
}

/* `start` is where the operation stands in the body. */
static enum request_result mailbox_call(struct request *request, struct mailbox_call *call,
                                        struct cursor start)
{
    struct daemon *daemon = request->daemon;
    struct message *found = NULL;
    int result = mailbox_apply(&daemon->request_room->mailboxes, call, &request->body, &found);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (call->operation == MAILBOX_GET && result == PvmNotFound &&
        (call->flags & PvmMboxWaitForInfo))
        return mailbox_call_wait(request, call);
    log_debug(LOG_MAILBOXES, "t%x asks for operation %d on '%s': %d", call->who, call->operation,
              call->name, result);
    if (mailbox_has_changed(call, result))
        copy_call(&request->origin, request->message, start);
    if (call->operation == MAILBOX_PUT && result >= 0) {
        mailbox_watch_user(daemon, call->who);
        mailbox_serve_waits(daemon, call->name);
    }
    mailbox_reply_entry(&request->origin, result, found);
    return REQUEST_DONE;
}

static void mailbox_read_call(struct mailbox_call *call, struct control_reader *body)
{
    call->operation = control_get_int(body);
    call->who = control_get_tid(body);
    call->name = control_get_string(body, 0);
    call->index = control_get_int(body);
    call->flags = control_get_int(body);
}

enum request_result mailbox_request(struct request *request)
{
    const struct hosts *hosts = &request->daemon->post->hosts;
    if (!hosts_is_master(hosts))
        return relay(request, hosts->master, DM_DB, NULL, 0, PvmSysErr);
    const struct cursor start = request->body.cursor;
    enum request_result result = REQUEST_MALFORMED;
    struct mailbox_call call;
    mailbox_read_call(&call, &request->body);
    if (!request->body.failed)
        result = call.operation == MAILBOX_NAMES ? mailbox_call_names(request, &call)
                                                 : mailbox_call(request, &call, start);
    free(call.name);
    return result;
}

int mailbox_repeat(struct daemon *daemon, struct control_reader *body, struct message **found)
{
    struct mailbox_call call;
    mailbox_read_call(&call, body);
    int result = body->failed ? PvmBadParam
                              : mailbox_apply(&daemon->request_room->mailboxes, &call, body, found);
    free(call.name);
    return result;
}

/*
 * A task that has ended waits no more: what it waits for would be deleted and read by nobody. The
 * daemon of another host, which asks for its tasks, still waits for an answer.
 */
static void mailbox_end_wait(struct mailbox_wait *wait, uint32_t tid)
{
    const struct request_origin *origin = &wait->origin;
    bool passed_on = tid_is_daemon(origin->tid) && wait->call.who == tid;
    if (passed_on)
        mailbox_reply_entry(origin, PvmNotFound, NULL);
    if (passed_on || origin->tid == tid)
        mailbox_wait_free(wait);
}

static void mailbox_owner_end(struct daemon *daemon, uint32_t tid)
{
    if (mailbox_forget_owner(&daemon->request_room->mailboxes, tid))
        copy_owner(daemon, tid);
}

/* A deputy hears it from the master, in its turn. */
void mailbox_task_end(struct daemon *daemon, uint32_t tid)
{
    if (!hosts_is_master(&daemon->post->hosts))
        return;
    LIST_FOR_EACH(node, &daemon->request_room->mailbox_waits)
    mailbox_end_wait(mailbox_wait_at(node), tid);
    mailbox_owner_end(daemon, tid);
}

/* The owner of an entry that is over, or has ended with `lost`; 0: there is none. */
static uint32_t mailbox_find_orphan(struct daemon *daemon, const struct host *lost)
{
    LIST_FOR_EACH(class_node, &daemon->request_room->mailboxes.classes)
    LIST_FOR_EACH(node, &mailbox_class_at(class_node)->entries)
    {
        uint32_t owner = mailbox_entry_at(node)->owner;
        const struct host *host = owner ? places_host(daemon, owner) : NULL;
        bool there =
            host && host != lost && (host->link || tasks_find_task(&daemon->post->tasks, owner));
        if (owner != 0 && !there)
            return owner;
    }
    return 0;
}

void mailbox_take_over(struct daemon *daemon, const struct host *lost)
{
    uint32_t owner;
    while ((owner = mailbox_find_orphan(daemon, lost)) != 0)
        mailbox_owner_end(daemon, owner);
    LIST_FOR_EACH(class_node, &daemon->request_room->mailboxes.classes)
    LIST_FOR_EACH(node, &mailbox_class_at(class_node)->entries)
    mailbox_watch_user(daemon, mailbox_entry_at(node)->owner);
}

void mailbox_log(struct daemon *daemon)
{
    LIST_FOR_EACH(class_node, &daemon->request_room->mailboxes.classes)
    {
        struct mailbox_class *class = mailbox_class_at(class_node);
        LIST_FOR_EACH(node, &class->entries)
        {
            const struct mailbox_entry *entry = mailbox_entry_at(node);
            log_write("mailbox '%s' index %d owner t%x flags 0x%x, %zu bytes", class->name,
                      entry->index, entry->owner, (unsigned)entry->flags, entry->message->length);
        }
    }
}

void mailbox_log_waits(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->request_room->mailbox_waits)
    {
        const struct mailbox_wait *wait = mailbox_wait_at(node);
        log_write("t%x waits for mailbox '%s' index %d flags 0x%x", wait->origin.tid,
                  wait->call.name, wait->call.index, (unsigned)wait->call.flags);
    }
}
