/* pending.c - a list by wait identifier. */
#include "daemon/post/pending.h"

#include "core/tid.h"
#include "daemon/post/post_room.h"

static struct pending *pending_find(struct daemon *daemon, int32_t wait)
{
    LIST_FOR_EACH(node, &daemon->post->pendings)
    if (LIST_OWNER(node, struct pending, node)->wait == wait)
        return LIST_OWNER(node, struct pending, node);
    return NULL;
}

static int32_t pending_next_wait(struct daemon *daemon)
{
    uint32_t own = hosts_own(&daemon->post->hosts)->part;
    do
        daemon->post->last_wait = daemon->post->last_wait % TID_LOCAL_MASK + 1;
    while (pending_find(daemon, (int32_t)(own | daemon->post->last_wait)));
    return (int32_t)(own | daemon->post->last_wait);
}

void pending_start(struct pending *pending, struct daemon *daemon, const struct host *host,
                   int32_t question, void (*answered)(struct pending *, struct control_reader *),
                   void (*failed)(struct pending *))
{
    *pending = (struct pending){.daemon = daemon,
                                .wait = pending_next_wait(daemon),
                                .tag = question + 1, /* each answer is next to its question */
                                .part = host->part,
                                .answered = answered,
                                .failed = failed};
    list_append(&daemon->post->pendings, &pending->node);
}

void pending_cancel(struct pending *pending)
{
    list_remove(&pending->node);
}

bool pending_take(struct daemon *daemon, uint32_t part, const struct message *message)
{
    struct control_reader body;
    struct pending *pending = pending_find(daemon, message->header.wait);
    if (!pending || pending->part != part || pending->tag != message->header.tag)
        return false;
    list_remove(&pending->node);
    control_read(&body, message);
    pending->answered(pending, &body);
    return true;
}

static struct pending *pending_find_host(struct daemon *daemon, uint32_t part)
{
    LIST_FOR_EACH(node, &daemon->post->pendings)
    if (LIST_OWNER(node, struct pending, node)->part == part)
        return LIST_OWNER(node, struct pending, node);
    return NULL;
}

/* What fails may begin or end other questions. */
void pending_fail(struct daemon *daemon, uint32_t part)
{
    struct pending *pending;
    while ((pending = pending_find_host(daemon, part)) != NULL) {
        list_remove(&pending->node);
        pending->failed(pending);
    }
}

void pending_fail_all(struct daemon *daemon)
{
    while (!list_is_empty(&daemon->post->pendings)) {
        struct pending *pending = LIST_OWNER(daemon->post->pendings.next, struct pending, node);
        list_remove(&pending->node);
        pending->failed(pending);
    }
}
