/* far_feeders.c - who has been asked to wait. */
#include "daemon/post/far_feeders.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"

struct far_feeder {
    struct feeder feeder;
    struct list node;
    struct far_feeders *feeders;
    uint32_t tid;
};

void far_feeders_start(struct far_feeders *feeders, struct host_stream *stream,
                       void (*say)(struct host_stream *stream, const struct link_word *word))
{
    *feeders = (struct far_feeders){.stream = stream, .say = say};
    list_start(&feeders->held);
}

static void far_feeder_free(struct far_feeder *far)
{
    feeder_release(&far->feeder);
    list_remove(&far->node);
    free(far);
}

static struct backlogs *far_feeders_backlogs(const struct far_feeders *feeders)
{
    return &feeders->stream->link->daemon->backlogs;
}

/* Also while a frame is passed on, which may have been the end of the host. */
void far_feeders_forget(struct far_feeders *feeders)
{
    struct backlogs *backlogs = far_feeders_backlogs(feeders);
    LIST_FOR_EACH(node, &feeders->held)
    far_feeder_free(LIST_OWNER(node, struct far_feeder, node));
    if (!feeders->spare)
        return;
    if (backlogs->feeder == &feeders->spare->feeder)
        backlogs->feeder = NULL;
    far_feeder_free(feeders->spare);
    feeders->spare = NULL;
}

static void far_feeder_say(struct far_feeder *far, enum link_word_kind kind)
{
    const struct far_feeders *feeders = far->feeders;
    feeders->say(feeders->stream, &(struct link_word){.kind = kind, .number = far->tid});
}

static void far_feeder_resume(struct feeder *feeder)
{
    struct far_feeder *far = LIST_OWNER(feeder, struct far_feeder, feeder);
    far_feeder_say(far, LINK_GO_ON);
    far_feeder_free(far);
}

static bool far_feeders_has_asked(const struct far_feeders *feeders, uint32_t tid)
{
    LIST_FOR_EACH(node, &feeders->held)
    if (LIST_OWNER(node, struct far_feeder, node)->tid == tid)
        return true;
    return false;
}

/* NULL when it has been asked to wait already, or memory is short. */
static struct far_feeder *far_feeders_get(struct far_feeders *feeders, uint32_t tid)
{
    if (far_feeders_has_asked(feeders, tid))
        return NULL;
    if (!feeders->spare)
        feeders->spare = malloc(sizeof *feeders->spare);
    struct far_feeder *far = feeders->spare;
    if (!far)
        return NULL;
    far->feeders = feeders;
    far->tid = tid;
    list_start(&far->node);
    feeder_start(&far->feeder, far_feeder_resume);
    return far;
}

void far_feeders_pass(struct far_feeders *feeders, struct received_frame *received)
{
    struct host_link *link = feeders->stream->link;
    struct backlogs *backlogs = &link->daemon->backlogs;
    uint32_t tid = received->frame.source;
    struct far_feeder *far = tid_is_task(tid) ? far_feeders_get(feeders, tid) : NULL;
    backlogs->feeder = far ? &far->feeder : NULL;
    link->daemon->post->upcalls.host_frame(link, received);
    backlogs->feeder = NULL;
    if (!far || feeders->spare != far || !feeder_is_held(&far->feeder))
        return;
    feeders->spare = NULL;
    list_append(&feeders->held, &far->node);
    far_feeder_say(far, LINK_WAIT);
}
