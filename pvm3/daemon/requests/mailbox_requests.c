/* mailbox_requests.c - one function for each operation. */
#include "daemon/requests/mailbox_requests.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/packed.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/hosts/relay.h"
#include "daemon/post/watch.h"
#include "daemon/requests/pattern.h"
#include "daemon/requests/request_room.h"

/* The fields that all operations have. */
struct mailbox_call {
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

static void mailbox_reply_entry(const struct request_origin *origin, int index,
                                struct message *message)
{
    struct message *answer = request_answer_to(origin);
    control_put_int(answer, index);
    bool whole = !message || (control_is_whole(answer) && packed_put(answer, message) == 0);
    message_free(message);
    if (whole) {
        request_reply_to(origin, answer);
        return;
    }
    message_free(answer);
    log_write("no memory to hand a mailbox entry to t%x: it gets no answer", origin->tid);
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

static enum request_result mailbox_call_put(struct request *request, struct mailbox_call *call)
{
    struct daemon *daemon = request->daemon;
    struct message *message;
    if (packed_get(request->message, &request->body.cursor, &message) < 0)
        return REQUEST_MALFORMED;
    int result = mailbox_put(&daemon->request_room->mailboxes, call->name, call->index, call->flags,
                             call->who, message);
    log_debug(LOG_MAILBOXES, "t%x put '%s': %d", call->who, call->name, result);
    if (result >= 0) {
        mailbox_watch_user(daemon, call->who);
        mailbox_serve_waits(daemon, call->name);
    }
    return request_reply_int(request, result);
}

static enum request_result mailbox_call_remove(struct request *request, struct mailbox_call *call)
{
    int result = mailbox_remove(&request->daemon->request_room->mailboxes, call->name, call->index,
                                call->who);
    return request_reply_int(request, result);
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

static enum request_result mailbox_call_get(struct request *request, struct mailbox_call *call)
{
    struct request_origin origin = request->origin;
    struct message *message = NULL;
    int found = mailbox_get(&request->daemon->request_room->mailboxes, call->name, call->index,
                            call->flags, call->who, &message);
    if (found == PvmNotFound && (call->flags & PvmMboxWaitForInfo))
        return mailbox_call_wait(request, call);
    mailbox_reply_entry(&origin, found, message);
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
    request_reply(request, answer);
    return REQUEST_DONE;
}

static enum request_result mailbox_call_reset(struct request *request, struct mailbox_call *call)
{
    int32_t count = control_get_count(&request->body, 4);
    uint32_t *spared = request->body.failed ? NULL : malloc((size_t)count * sizeof *spared + 1);
    if (!spared)
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++)
        spared[i] = control_get_tid(&request->body);
    mailbox_reset(&request->daemon->request_room->mailboxes, call->name, call->index,
                  call->flags != 0, spared, (size_t)count);
    free(spared);
    return request_reply_int(request, 0);
}

static enum request_result mailbox_call(struct request *request, int32_t operation,
                                        struct mailbox_call *call)
{
    switch (operation) {
    case MAILBOX_PUT:
        return mailbox_call_put(request, call);
    case MAILBOX_REMOVE:
        return mailbox_call_remove(request, call);
    case MAILBOX_GET:
        return mailbox_call_get(request, call);
    case MAILBOX_NAMES:
        return mailbox_call_names(request, call);
    case MAILBOX_RESET:
        return mailbox_call_reset(request, call);
    }
    return REQUEST_MALFORMED;
}

enum request_result mailbox_request(struct request *request)
{
    const struct hosts *hosts = &request->daemon->post->hosts;
    if (!hosts_is_master(hosts))
        return relay(request, hosts->master, DM_DB, NULL, 0, PvmSysErr);
    struct control_reader *body = &request->body;
    int32_t operation = control_get_int(body);
    struct mailbox_call call = {.who = control_get_tid(body)};
    call.name = control_get_string(body, 0);
    call.index = control_get_int(body);
    call.flags = control_get_int(body);
    enum request_result result =
        body->failed ? REQUEST_MALFORMED : mailbox_call(request, operation, &call);
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

void mailbox_task_end(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->mailbox_waits)
    mailbox_end_wait(mailbox_wait_at(node), tid);
    mailbox_forget_owner(&daemon->request_room->mailboxes, tid);
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
