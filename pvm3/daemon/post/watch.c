/* watch.c - a pending question of which only the end counts, and lists of what needs none. */
#include "daemon/post/watch.h"

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/post/post_room.h"
#include "daemon/post/router.h"

void watches_start(struct watches *watches)
{
    list_start(&watches->asked);
    list_start(&watches->here);
}

static struct watch *watch_at(struct list *node)
{
    return LIST_OWNER(node, struct watch, node);
}

static void watch_end(struct watch *watch)
{
    list_remove(&watch->node);
    watch->ended(watch);
}

static void watch_answered(struct pending *pending, struct control_reader *body)
{
    (void)body;
    watch_end(LIST_OWNER(pending, struct watch, question));
}

/* The host is gone. But the task may be on its way to another one, which will tell. */
static void watch_failed(struct pending *pending)
{
    struct watch *watch = LIST_OWNER(pending, struct watch, question);
    struct post_room *post = watch->daemon->post;
    if (!places_may_come(watch->daemon, watch->tid) || watch->daemon->loop.ended) {
        watch_end(watch);
        return;
    }
    list_remove(&watch->node);
    list_append(&post->watches.here, &watch->node);
}

void watch_init(struct watch *watch)
{
    list_start(&watch->node);
    list_start(&watch->question.node);
}

static void watch_ask(struct watch *watch, const struct host *host)
{
    struct daemon *daemon = watch->daemon;
    list_append(&daemon->post->watches.asked, &watch->node);
    pending_start(&watch->question, daemon, host, DM_NOTIFY, watch_answered, watch_failed);
    struct message *question = control_new(DM_NOTIFY, 0, watch->question.wait);
    control_put_int(question, PvmTaskExit);
    control_put_tid(question, watch->tid);
    router_send(daemon, host->part | TID_DAEMON_BIT, question);
}

/* Where it is to be told, for a watch that is in no list. */
static void watch_place(struct watch *watch)
{
    const struct host *host = places_host(watch->daemon, watch->tid);
    if (host && host->link)
        watch_ask(watch, host);
    else
        list_append(&watch->daemon->post->watches.here, &watch->node);
}

void watch_start(struct watch *watch, struct daemon *daemon, uint32_t tid,
                 void (*ended)(struct watch *))
{
    watch_init(watch);
    watch->daemon = daemon;
    watch->tid = tid;
    watch->ended = ended;
    watch_place(watch);
}

void watch_stop(struct watch *watch)
{
    list_remove(&watch->node);
    pending_cancel(&watch->question);
}

/* Takes the watches of the task from one list to another. */
static void watches_pick(struct list *from, struct list *to, uint32_t tid)
{
    LIST_FOR_EACH(node, from)
    {
        if (watch_at(node)->tid != tid)
            continue;
        list_remove(node);
        list_append(to, node);
    }
}

void watches_follow(struct daemon *daemon, uint32_t tid)
{
    struct list found;
    list_start(&found);
    watches_pick(&daemon->post->watches.asked, &found, tid);
    watches_pick(&daemon->post->watches.here, &found, tid);
    while (!list_is_empty(&found)) {
        struct watch *watch = watch_at(found.next);
        watch_stop(watch);
        watch_place(watch);
    }
}

void watches_end_task(struct daemon *daemon, uint32_t tid)
{
    struct list found;
    list_start(&found);
    watches_pick(&daemon->post->watches.here, &found, tid);
    while (!list_is_empty(&found))
        watch_end(watch_at(found.next));
}
