/* moves.c - words to all, and copies. */
#include "daemon/requests/moves.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_link.h"
#include "daemon/post/router.h"
#include "daemon/requests/request_room.h"

/* A word of which some copies have come. */
struct copied {
    struct list node;
    uint32_t part;
    int32_t tag;
    uint32_t tid;
    int32_t count;
};

static struct copied *copied_at(struct list *node)
{
    return LIST_OWNER(node, struct copied, node);
}

static void moves_run_look(struct loop_work *work)
{
    const struct moves *moves = LIST_OWNER(work, struct moves, look);
    moves->acts->look(moves->daemon);
}

void moves_start(struct daemon *daemon, const struct move_acts *acts)
{
    struct moves *moves = &daemon->request_room->moves;
    *moves = (struct moves){.acts = acts, .daemon = daemon};
    loop_work_start(&moves->look, moves_run_look);
    list_start(&moves->departures);
    list_start(&moves->arrivals);
    list_start(&moves->revivals);
    list_start(&moves->orders);
    list_start(&moves->copies);
    list_start(&moves->flushes);
    list_start(&moves->fates);
}

static void copied_free(struct copied *copied)
{
    list_remove(&copied->node);
    free(copied);
}

void moves_finish(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.copies)
    copied_free(copied_at(node));
}

static void moves_say(struct daemon *daemon, const struct host *host, uint32_t tid,
                      const struct message *message)
{
    uint32_t own = hosts_own(&daemon->post->hosts)->part, outer = daemon->post->serving;
    daemon->post->serving = tid;
    host_link_send(host->link, message, host->part | TID_DAEMON_BIT, own | TID_DAEMON_BIT);
    daemon->post->serving = outer;
}

void moves_tell(struct daemon *daemon, const struct host *host, uint32_t tid,
                struct message *message)
{
    if (control_is_whole(message))
        moves_say(daemon, host, tid, message);
    else
        log_write("no memory to tell the host %s of t%x", host->name, tid);
    message_free(message);
}

void moves_tell_all(struct daemon *daemon, uint32_t tid, struct message *message)
{
    const struct host *host = NULL;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        if (host->link->upgrade.known)
            moves_tell(daemon, host, tid, message_view(message));
    message_free(message);
}

static struct message *moves_word(uint32_t tid, uint32_t part, int32_t region)
{
    struct message *message = control_new(CONTROL_TASK_MOVED, 0, 0);
    control_put_tid(message, tid);
    control_put_tid(message, part);
    control_put_int(message, region);
    return message;
}

static struct message *moves_place(const struct task *task)
{
    return moves_word(task->tid, hosts_own(&task->daemon->post->hosts)->part, task->region);
}

void moves_introduce(struct daemon *daemon, const struct host *host)
{
    const uint32_t own = hosts_own(&daemon->post->hosts)->part;
    const struct place *place = NULL;
    if (!host->link->upgrade.known)
        return;
    while ((place = places_next(&daemon->post->places, place)) != NULL)
        if (place->part != own && place->part != tid_host_part(place->tid))
            moves_tell(daemon, host, place->tid,
                       moves_word(place->tid, place->part, place->region));
}

void moves_tell_place(const struct task *task)
{
    moves_tell_all(task->daemon, task->tid, moves_place(task));
}

void moves_meet(struct daemon *daemon, const struct host *host)
{
    LIST_FOR_EACH(node, &daemon->post->tasks.list)
    {
        const struct task *task = task_at(node);
        const struct place *place = places_find(&daemon->post->places, task->tid);
        if (task->travelled && !(place && place->to != 0))
            moves_tell(daemon, host, task->tid, moves_place(task));
    }
}

void moves_greet(struct daemon *daemon, const struct host *host)
{
    LIST_FOR_EACH(node, &daemon->post->tasks.list)
    {
        if (!task_at(node)->travelled)
            continue;
        router_send(daemon, host->part | TID_DAEMON_BIT, control_new(DM_NULL, 0, 0));
        return;
    }
}

void moves_put_hosts(struct message *message, const struct daemon *daemon)
{
    const struct host *host = NULL;
    int32_t count = 0;
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        count += host->link->upgrade.known;
    control_put_int(message, count);
    while ((host = hosts_next_other(&daemon->post->hosts, host)) != NULL)
        if (host->link->upgrade.known)
            control_put_tid(message, host->part);
}

bool moves_take_hosts(struct daemon *daemon, struct control_reader *body)
{
    int32_t count = control_get_count(body, sizeof(uint32_t));
    for (int32_t i = 0; i < count; i++) {
        const struct host *host = hosts_find(&daemon->post->hosts, control_get_tid(body));
        if (host && host->link)
            link_upgrade_meet(host->link);
    }
    return !body->failed;
}

static struct copied *moves_find(struct daemon *daemon, uint32_t part, int32_t tag, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.copies)
    {
        struct copied *copied = copied_at(node);
        if (copied->part == part && copied->tag == tag && copied->tid == tid)
            return copied;
    }
    return NULL;
}

static struct copied *moves_add(struct daemon *daemon, uint32_t part, int32_t tag, uint32_t tid)
{
    struct copied *copied = malloc(sizeof *copied);
    if (!copied)
        return NULL;
    *copied = (struct copied){.part = part, .tag = tag, .tid = tid};
    list_append(&daemon->request_room->moves.copies, &copied->node);
    return copied;
}

bool moves_count(struct daemon *daemon, uint32_t part, int32_t tag, uint32_t tid, int32_t copies)
{
    struct copied *copied = moves_find(daemon, part, tag, tid);
    if (copies <= 1)
        return true;
    if (!copied)
        copied = moves_add(daemon, part, tag, tid);
    if (!copied) {
        log_write("no memory to count what the host t%x says of t%x", part, tid);
        return true;
    }
    if (++copied->count < copies)
        return false;
    copied_free(copied);
    return true;
}

void moves_forget_copies(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->request_room->moves.copies)
    if (copied_at(node)->part == part)
        copied_free(copied_at(node));
}
