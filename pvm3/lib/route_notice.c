/* route_notice.c - a list of what was asked for. */
#include "lib/route_notice.h"

#include <stdlib.h>

#include "core/control.h"
#include "lib/public.h"

struct route_notice {
    bool added;    /* about routes that come, of any peer; otherwise about the one of `peer` */
    uint32_t peer; /* 0 with `added` */
    int tag;
    int context;
    int count; /* messages still to send; below 0 without end */
    struct route_notice *next;
};

/* Queues the message for the program. PvmOk or PvmNoMem. */
static int route_notice_deliver(struct task *task, const struct route_notice *notice, uint32_t peer,
                                int descriptor)
{
    struct message *message = control_new(notice->tag, notice->context, 0);
    control_put_tid(message, peer);
    control_put_int(message, descriptor);
    if (!control_is_whole(message)) {
        message_free(message);
        return PvmNoMem;
    }
    message->header.source = (uint32_t)atomic_load(&task->tid);
    message->header.destination = message->header.source;
    message->header.unmeasured = 1;
    endpoint_deliver(&task->endpoint, message);
    return PvmOk;
}

/* Takes the messages that are due out of the list: copies of their requests. With the lock. */
static struct route_notice *route_notice_take(struct route_notices *notices, uint32_t peer,
                                              bool added, bool *whole)
{
    struct route_notice *due = NULL, **end = &due;
    struct route_notice **place = &notices->first;
    while (*place) {
        struct route_notice *notice = *place;
        if (notice->added != added || (!added && notice->peer != peer)) {
            place = &notice->next;
            continue;
        }
        struct route_notice *copy = notice;
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

void route_notice_tell(void *owner, uint32_t peer, int descriptor)
{
    struct task *task = owner;
    bool whole = true;
    lock_acquire(&task->route_notices.lock);
    struct route_notice *due =
        route_notice_take(&task->route_notices, peer, descriptor >= 0, &whole);
    lock_release(&task->route_notices.lock);
    while (due) {
        struct route_notice *notice = due;
        due = notice->next;
        whole = route_notice_deliver(task, notice, peer, descriptor) == PvmOk && whole;
        free(notice);
    }
    if (!whole)
        task_report(task, "pvm_notify", PvmNoMem);
}

/* Adds a request to the list. PvmOk or PvmNoMem. */
static int route_notice_add(struct task *task, const struct route_notice *request)
{
    struct route_notice *notice = malloc(sizeof *notice);
    if (!notice)
        return PvmNoMem;
    *notice = *request;
    lock_acquire(&task->route_notices.lock);
    notice->next = NULL;
    struct route_notice **end = &task->route_notices.first;
    while (*end)
        end = &(*end)->next;
    *end = notice;
    lock_release(&task->route_notices.lock);
    return PvmOk;
}

int route_notice_ask_added(struct task *task, int tag, int context, int count)
{
    const struct route_notice request = {
        .added = true, .tag = tag, .context = context, .count = count};
    lock_acquire(&task->route_notices.lock);
    struct route_notice **place = &task->route_notices.first;
    while (*place && !((*place)->added && (*place)->tag == tag && (*place)->context == context))
        place = &(*place)->next;
    struct route_notice *old = *place;
    if (old)
        *place = old->next;
    lock_release(&task->route_notices.lock);
    free(old);
    return count ? route_notice_add(task, &request) : PvmOk;
}

int route_notice_ask_deleted(struct task *task, uint32_t peer, int tag, int context)
{
    const struct route_notice request = {.peer = peer, .tag = tag, .context = context, .count = 1};
    int error = route_notice_add(task, &request);
    /* Added first: a route that ends meanwhile finds the request, and only one finds it. */
    if (error == PvmOk && !endpoint_has_route(&task->endpoint, peer))
        route_notice_tell(task, peer, -1);
    return error;
}

void route_notice_forget(struct task *task)
{
    lock_acquire(&task->route_notices.lock);
    struct route_notice *notice = task->route_notices.first;
    task->route_notices.first = NULL;
    lock_release(&task->route_notices.lock);
    while (notice) {
        struct route_notice *next = notice->next;
        free(notice);
        notice = next;
    }
}
