/* inbound.c - forwarding, and messages put together for this daemon. */
#include "daemon/requests/inbound.h"

#include "core/control.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/multicast.h"
#include "daemon/post/router.h"
#include "daemon/post/task_link.h"
#include "daemon/post/tree_branch.h"
#include "daemon/requests/peer_requests.h"
#include "daemon/requests/request_room.h"
#include "daemon/requests/secrecy.h"
#include "daemon/requests/service_requests.h"
#include "daemon/requests/task_requests.h"
#include "daemon/tasks/route_sockets.h"

/* The process of the task has been told to end the task, and has not said yet that it is over. */
static bool inbound_ends(const struct task *task)
{
    return task->killed_by && task->link->leased;
}

/* Whether a task may say this that is to end, or one that has not begun: words of its process. */
static bool inbound_may_say(const struct task *task, const struct message *message)
{
    int32_t tag = message->header.tag;
    if (!task_has_begun(task))
        return tag == CONTROL_BIRTHS;
    return !inbound_ends(task) || (tag >= CONTROL_LEASE && tag <= CONTROL_ARRIVE_NOT);
}

/*
 * Another daemon gets the whole at once: one of 3.4.6 takes no other message of this host before
 * the end of one that has begun.
 */
static void inbound_take_whole(struct task *task, struct message *message)
{
    if (!inbound_may_say(task, message))
        return;
    const struct host *host = hosts_find(&task->daemon->post->hosts, message->header.destination);
    if (tid_is_here(message->header.destination, hosts_own(&task->daemon->post->hosts)->part))
        task_request_take(task, message);
    else if (host && host->link)
        host_link_send(host->link, message, message->header.destination, task->tid);
}

/* A request is too long; its beginning tells whom to refuse. */
static void inbound_refuse_long(struct task *task, const struct message *message)
{
    complain(&task->daemon->complaints, task->tid,
             "a request of t%x is longer than %zu bytes (raise PVM_REQUEST_LIMIT): dropped",
             task->tid, task->link->assembler.limit);
    if (tid_is_here(message->header.destination, hosts_own(&task->daemon->post->hosts)->part))
        task_request_drop(task, message);
}

static void inbound_take_request(struct task *task, const struct received_frame *received)
{
    struct message *message;
    switch (assembler_add(&task->link->assembler, received, &message)) {
    case ASSEMBLER_MORE:
        return;
    case ASSEMBLER_MESSAGE:
        inbound_take_whole(task, message);
        message_free(message);
        return;
    case ASSEMBLER_STRAY:
        complain(&task->daemon->complaints, task->tid,
                 "t%x sent the daemon frames that make no message: dropped", task->tid);
        return;
    case ASSEMBLER_MEMORY:
        complain(&task->daemon->complaints, task->tid, "no memory for a request of t%x: dropped",
                 task->tid);
        return;
    case ASSEMBLER_LONG:
        inbound_refuse_long(task, message);
        message_free(message);
        return;
    }
}

static void inbound_take_served(struct task *task, struct received_frame *received)
{
    struct frame *frame = &received->frame;
    frame->source = task->tid;
    frame->flags &= FRAME_FIRST | FRAME_LAST;
    if (inbound_ends(task) && !tid_is_daemon(frame->destination))
        return;
    if (tid_is_multicast(frame->destination)) {
        if (task->multicast && frame->destination == (task->tid | TID_MULTICAST_BIT))
            multicast_forward(task, received);
    } else if (tid_is_daemon(frame->destination)) {
        inbound_take_request(task, received);
    } else if (tid_is_task(frame->destination)) {
        if (secrecy_keeps(task, received))
            return;
        route_sockets_note(task, received);
        router_forward(task->daemon, received);
    }
}

void inbound_take_from_task(struct task *task, struct received_frame *received)
{
    struct daemon *daemon = task->daemon;
    uint32_t outer = daemon->post->serving;
    daemon->post->serving = task->tid;
    inbound_take_served(task, received);
    daemon->post->serving = outer;
}

/*
 * A message of another daemon, or of a resource manager on another host. A daemon sends its
 * messages one after the other, whoever they are for: when another one begins, the rest of the one
 * before will not come.
 */
static void inbound_take_message(struct host_link *link, const struct received_frame *received)
{
    struct message *message;
    if (received->frame.flags & FRAME_FIRST) {
        if (link->assembling != received->frame.source)
            assembler_finish(&link->assembler);
        link->assembling = received->frame.source;
    }
    switch (assembler_add(&link->assembler, received, &message)) {
    case ASSEMBLER_MORE:
        return;
    case ASSEMBLER_MESSAGE:
        if (tid_is_daemon(message->header.source))
            peer_request_take(link, message);
        else
            service_request_take_from_host(link->daemon, message);
        message_free(message);
        return;
    case ASSEMBLER_STRAY:
        complain(&link->daemon->complaints, link->host->part,
                 "the host %s sent packets that make no message: dropped", link->host->name);
        return;
    case ASSEMBLER_MEMORY:
        complain(&link->daemon->complaints, link->host->part,
                 "no memory for a message of the host %s: dropped", link->host->name);
        return;
    case ASSEMBLER_LONG:
        complain(&link->daemon->complaints, link->host->part,
                 "a message of the host %s to this daemon is longer than %zu bytes (raise "
                 "PVM_REQUEST_LIMIT): dropped",
                 link->host->name, link->assembler.limit);
        message_free(message);
        return;
    }
}

/*
 * Whether a frame of another host is for this one, or to be passed on: to a task that moves or has
 * moved, or by a task that was born here (router.c).
 */
static bool inbound_knows_way(const struct daemon *daemon, const struct frame *frame)
{
    uint32_t own = hosts_own(&daemon->post->hosts)->part, to = frame->destination;
    if (tid_host_part(to) == own)
        return true;
    return tid_is_task(to) &&
           (tid_host_part(frame->source) == own || places_find(&daemon->post->places, to));
}

void inbound_take_from_host(struct host_link *link, struct received_frame *received)
{
    const struct frame *frame = &received->frame;
    if (tid_is_tree(frame->destination))
        tree_branch_take(link->daemon, received, link->host->part);
    else if (tid_is_multicast(frame->destination))
        multicast_forward_here(link->daemon, received, link->host->part);
    else if (!inbound_knows_way(link->daemon, frame))
        log_debug(LOG_ROUTES, "t%x sent to t%x by way of this host: dropped", frame->source,
                  frame->destination);
    else if (tid_is_daemon(frame->destination))
        inbound_take_message(link, received);
    else if (tid_is_task(frame->destination))
        router_forward(link->daemon, received);
}
