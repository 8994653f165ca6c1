/* own_notice.c - a list of what was asked for. */
#include "lib/serve/own_notice.h"

#include <stdlib.h>

#include "core/control.h"
#include "lib/task/public.h"

enum own_notice_event { ROUTE_ADDED, ROUTE_DELETED, OWN_END };

struct own_notice {
    enum own_notice_event event;
    uint32_t peer; /* whose route, for ROUTE_DELETED; otherwise 0 */
    int tag;
    int context;
    int count; /* messages still to send; below 0 without end */
    struct own_notice *next;
};

/* The message, empty. */
static struct message *own_notice_message(struct task *task, const struct own_notice *notice)
{
    struct message *message = control_new(notice->tag, notice->context, 0);
    if (message) {
        message->header.source = (uint32_t)atomic_load(&task->tid);
        message->header.unmeasured = 1;
    }
    return message;
}

/* Gives the message to a message handler or to receives. PvmOk or PvmNoMem. */
static int own_notice_deliver(struct task *task, struct message *message)
{
    if (!control_is_whole(message)) {
        message_free(message);
        return PvmNoMem;
    }
    endpoint_take_own(&task->endpoint, message);
    return PvmOk;
}

/* Takes the messages that are due out of the list: copies of their requests. With the lock. */
static struct own_notice *own_notice_take(struct own_notices *notices, uint32_t peer,
                                          enum own_notice_event event, bool *whole)
{
    struct own_notice *due = NULL, **end = &due;
    struct own_notice **place = &notices->first;
    while (*place) {
        struct own_notice *notice = *place;
        if (notice->event != event || (event == ROUTE_DELETED && notice->peer != peer)) {
            place = &notice->next;
            continue;
        }
        struct own_notice *copy = notice;
        if (notice->count > 0)
            notice->count--;
        if (notice->count == 0) {
            *place = notice->next;
        } else {
            place = &notice->next;
            copy = malloc(sizeof *copy);
            if (!copy) {
                *whole = false;
                continue;
            }
            *copy = *notice;
        }
        copy->next = NULL;
        *end = copy;
        end = &copy->next;
    }
    return due;
}

/* Sends what is due; `subject` is the task that a message is about. */
static void own_notice_tell(struct task *task, enum own_notice_event event, uint32_t subject,
                            int descriptor)
{
    bool whole = true;
    lock_acquire(&task->own_notices.lock);
    struct own_notice *due = own_notice_take(&task->own_notices, subject, event, &whole);
    lock_release(&task->own_notices.lock);
    while (due) {
        struct own_notice *notice = due;
        due = notice->next;
        struct message *message = own_notice_message(task, notice);
        control_put_tid(message, subject);
        if (event != OWN_END)
            control_put_int(message, descriptor);
        whole = own_notice_deliver(task, message) == PvmOk && whole;
        free(notice);
    }
    if (!whole)
        task_report(task, "pvm_notify", PvmNoMem);
}

void own_notice_tell_route(void *owner, uint32_t peer, int descriptor)
{
    own_notice_tell(owner, descriptor >= 0 ? ROUTE_ADDED : ROUTE_DELETED, peer, descriptor);
}

void own_notice_tell_end(struct task *task)
{
    own_notice_tell(task, OWN_END, (uint32_t)atomic_load(&task->tid), -1);
}

/* Adds a request to the list. PvmOk or PvmNoMem. */
static int own_notice_add(struct task *task, const struct own_notice *request)
{
    struct own_notice *notice = malloc(sizeof *notice);
    if (!notice)
        return PvmNoMem;
    *notice = *request;
    lock_acquire(&task->own_notices.lock);
    notice->next = NULL;
    struct own_notice **end = &task->own_notices.first;
    while (*end)
        end = &(*end)->next;
    *end = notice;
    lock_release(&task->own_notices.lock);
    return PvmOk;
}

int own_notice_ask_route_added(struct task *task, int tag, int context, int count)
{
    const struct own_notice request = {
        .event = ROUTE_ADDED, .tag = tag, .context = context, .count = count};
    lock_acquire(&task->own_notices.lock);
    struct own_notice **place = &task->own_notices.first;
    while (*place && !((*place)->event == ROUTE_ADDED && (*place)->tag == tag &&
                       (*place)->context == context))
        place = &(*place)->next;
    struct own_notice *old = *place;
    if (old)
        *place = old->next;
    lock_release(&task->own_notices.lock);
    free(old);
    return count ? own_notice_add(task, &request) : PvmOk;
}

int own_notice_ask_route_deleted(struct task *task, uint32_t peer, int tag, int context)
{
    const struct own_notice request = {
        .event = ROUTE_DELETED, .peer = peer, .tag = tag, .context = context, .count = 1};
    int error = own_notice_add(task, &request);
    /* Added first: a route that ends meanwhile finds the request, and only one finds it. */
    if (error == PvmOk && !endpoint_has_route(&task->endpoint, peer))
        own_notice_tell_route(task, peer, -1);
    return error;
}

int own_notice_ask_end(struct task *task, int tag, int context)
{
    const struct own_notice request = {
        .event = OWN_END, .tag = tag, .context = context, .count = 1};
    return own_notice_add(task, &request);
}

void own_notice_forget(struct task *task)
{
    lock_acquire(&task->own_notices.lock);
    struct own_notice *notice = task->own_notices.first;
    task->own_notices.first = NULL;
    lock_release(&task->own_notices.lock);
    while (notice) {
        struct own_notice *next = notice->next;
        free(notice);
        notice = next;
    }
}

void own_notice_put(struct task *task, struct luggage *luggage)
{
    int count = 0;
    lock_acquire(&task->own_notices.lock);
    for (struct own_notice *notice = task->own_notices.first; notice; notice = notice->next)
        count++;
    luggage_put_int(luggage, count);
    for (struct own_notice *notice = task->own_notices.first; notice; notice = notice->next)
        luggage_put(luggage, notice, sizeof *notice);
    lock_release(&task->own_notices.lock);
}

void own_notice_get(struct task *task, struct luggage_reader *reader)
{
    int count = luggage_get_count(reader, sizeof(struct own_notice));
    for (int i = 0; i < count; i++) {
        struct own_notice notice;
        luggage_get(reader, &notice, sizeof notice);
        if (own_notice_add(task, &notice) < 0)
            reader->failed = true;
    }
}
