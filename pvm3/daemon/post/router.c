/* router.c - forwarding. */
#include "daemon/post/router.h"

#include "core/tid.h"
#include "daemon/base/kept_frames.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"
#include "daemon/post/task_link.h"
#include "daemon/post/tree_origin.h"

/* A frame to a task that has not connected yet waits in its record. */
static void router_keep(struct task *task, const struct received_frame *received)
{
    unsigned char *data = received->body - FRAME_HEADER_SIZE;
    if (task->flags & TASK_IS_CONNECTED)
        return;
    if (frame_queue_copy(&task->waiting, data, FRAME_HEADER_SIZE + (size_t)received->frame.length) <
        0)
        log_write("no memory for what goes to t%x: a message is lost", task->tid);
}

/*
 * The host by which a frame goes on. Of a host that is not known to be ours, a task is known by its
 * home alone: what it sends goes by way of the host where it was born.
 */
static const struct host *router_way(const struct daemon *daemon, const struct frame *frame)
{
    const struct hosts *hosts = &daemon->post->hosts;
    const struct host *host = places_host(daemon, frame->destination);
    if (host && host->link && !host->link->upgrade.known &&
        tid_host_part(frame->source) != hosts_own(hosts)->part)
        return hosts_find(hosts, frame->source);
    return host;
}

/*
 * A move needs words of processes that have leases, and of other hosts: these are never held for
 * what is kept meanwhile. A task that has its connection to itself is.
 */
static bool router_holds_feeder(const struct daemon *daemon, uint32_t source)
{
    const struct task *task = tasks_find(&daemon->post->tasks, source);
    return task && task->link && !task->link->leased;
}

static bool router_hold(struct daemon *daemon, const struct received_frame *received)
{
    struct place *place = places_find(&daemon->post->places, received->frame.destination);
    if (!place || !place_keeps(place, &received->frame))
        return false;
    if (place_keep(place, received, router_holds_feeder(daemon, received->frame.source)) < 0)
        log_write("no memory for what goes to t%x: a message is lost", place->tid);
    return true;
}

static void router_note_talk(struct daemon *daemon, const struct frame *frame)
{
    if (tasks_find(&daemon->post->tasks, frame->source))
        talk_note(&daemon->post->talk, frame->source, frame->destination);
}

void router_forward(struct daemon *daemon, const struct received_frame *received)
{
    if (router_hold(daemon, received))
        return;
    const struct host *host = router_way(daemon, &received->frame);
    if (host && host->link) {
        if (daemon->post->talk.pairs)
            router_note_talk(daemon, &received->frame);
        host_link_forward(host->link, received, received->frame.destination);
        return;
    }
    struct task *task = tasks_find(&daemon->post->tasks, received->frame.destination);
    if (!task) {
        log_debug(LOG_APPLICATION, "t%x sent to t%x, which there is not", received->frame.source,
                  received->frame.destination);
        return;
    }
    frame_encode(&received->frame, received->body - FRAME_HEADER_SIZE);
    if (task->link)
        task_link_forward(task->link, received);
    else
        router_keep(task, received);
}

void router_forward_copy(struct daemon *daemon, const struct received_frame *received, uint32_t tid)
{
    struct received_frame copy = received_frame_copy(received);
    if (!copy.chunk) {
        log_write("no memory for what goes to t%x: a message is lost", tid);
        return;
    }
    copy.frame.destination = tid;
    router_forward(daemon, &copy);
    chunk_release(copy.chunk);
}

/* What the daemon has said itself comes to tasks of this host without the host's number. */
static void router_forward_kept(struct daemon *daemon, struct received_frame *received)
{
    const struct host *host = places_host(daemon, received->frame.destination);
    uint32_t own = hosts_own(&daemon->post->hosts)->part | TID_DAEMON_BIT;
    if (received->frame.source == own && host && !host->link)
        received->frame.source = TID_OWN_DAEMON;
    router_forward(daemon, received);
}

void router_release(struct place *place)
{
    struct received_frame received;
    place_release(place);
    while (place_take(place, &received)) {
        router_forward_kept(place->daemon, &received);
        chunk_release(received.chunk);
    }
}

void router_copy_to(struct task *to, const struct received_frame *received)
{
    struct frame frame = received->frame;
    frame.destination = to->tid;
    if (to->link)
        task_link_forward_as(to->link, &frame, received);
    else
        router_forward_copy(to->daemon, received, to->tid);
}

void router_copy_to_receivers(struct daemon *daemon, const struct received_frame *received,
                              const uint32_t *tids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct task *to = tasks_find(&daemon->post->tasks, tids[i]);
        if (places_find(&daemon->post->places, tids[i]))
            router_forward_copy(daemon, received, tids[i]);
        else if (to)
            router_copy_to(to, received);
    }
}

void router_end_task(const struct task *task)
{
    struct daemon *daemon = task->daemon;
    const struct host *host = NULL;
    tree_origins_end_task(daemon, task->tid);
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        host_link_end_flow(host->link, task->tid);
    places_end_source(daemon, task->tid);
    if (daemon->post->serving == task->tid)
        daemon->post->serving = 0;
}

void router_answer(struct task *task, struct message *message)
{
    if (!control_is_whole(message))
        log_write("no memory for a message to t%x: it is lost", task->tid);
    else if (task->link)
        task_link_send(task->link, message, task->tid, TID_OWN_DAEMON);
    else if (!(task->flags & TASK_IS_CONNECTED) &&
             frame_queue_add_message(&task->waiting, message, task->tid, TID_OWN_DAEMON) < 0)
        log_write("no memory for a message to t%x: it is lost", task->tid);
    message_free(message);
}

void router_send(struct daemon *daemon, uint32_t destination, struct message *message)
{
    struct task *task = tasks_find(&daemon->post->tasks, destination);
    struct place *place = places_find(&daemon->post->places, destination);
    const struct host *host = places_host(daemon, destination);
    bool keep = place && place->holds;
    bool there = host && host->link;
    if (task && !keep && !there) {
        router_answer(task, message);
        return;
    }
    if (!control_is_whole(message) || (keep && place_keep_message(place, message) < 0))
        log_write("no memory for a message to t%x: it is lost", destination);
    else if (there && !keep)
        host_link_send(host->link, message, destination,
                       hosts_own(&daemon->post->hosts)->part | TID_DAEMON_BIT);
    message_free(message);
}
