/* holds.c - a list of holds by flow. */
#include "daemon/base/holds.h"

#include <stdlib.h>

/* What may wait of one flow before its source is held. */
#define HOLD_MOST ((size_t)512 * 1024)

struct hold {
    struct list node;
    uint32_t flow;
    unsigned begun; /* and not ended */
    struct kept_frames kept;
    struct backlog backlog;
};

static struct hold *hold_at(const struct list *node)
{
    return LIST_OWNER(node, struct hold, node);
}

static struct hold *holds_find(const struct holds *holds, uint32_t flow)
{
    LIST_FOR_EACH(node, &holds->list)
    if (hold_at(node)->flow == flow)
        return hold_at(node);
    return NULL;
}

static void hold_free(struct hold *hold)
{
    list_remove(&hold->node);
    kept_frames_finish(&hold->kept);
    backlog_finish(&hold->backlog);
    free(hold);
}

void holds_start(struct holds *holds, struct backlogs *backlogs, uint32_t tid)
{
    list_start(&holds->list);
    holds->backlogs = backlogs;
    holds->tid = tid;
}

void holds_finish(struct holds *holds)
{
    LIST_FOR_EACH(node, &holds->list)
    hold_free(hold_at(node));
}

static struct hold *holds_add(struct holds *holds, uint32_t flow)
{
    struct hold *hold = malloc(sizeof *hold);
    if (!hold)
        return NULL;
    hold->flow = flow;
    hold->begun = 0;
    backlog_start(&hold->backlog, holds->backlogs, HOLD_MOST);
    hold->backlog.tid = holds->tid;
    hold->backlog.told = true; /* to wait for the network is nothing to tell of */
    kept_frames_start(&hold->kept, &hold->backlog);
    list_append(&holds->list, &hold->node);
    return hold;
}

int holds_begin(struct holds *holds, uint32_t flow)
{
    struct hold *hold = holds_find(holds, flow);
    if (!hold)
        hold = holds_add(holds, flow);
    if (!hold)
        return -1;
    hold->begun++;
    return 0;
}

bool holds_end(struct holds *holds, uint32_t flow)
{
    struct hold *hold = holds_find(holds, flow);
    return hold && --hold->begun == 0;
}

bool holds_has(const struct holds *holds, uint32_t flow)
{
    return holds_find(holds, flow) != NULL;
}

bool holds_keeps_any(const struct holds *holds, uint32_t flow)
{
    const struct hold *hold = holds_find(holds, flow);
    return hold && !kept_frames_is_empty(&hold->kept);
}

int holds_keep(struct holds *holds, uint32_t flow, const struct received_frame *received)
{
    return kept_frames_add(&holds_find(holds, flow)->kept, received);
}

bool holds_take(struct holds *holds, uint32_t flow, struct received_frame *received)
{
    struct hold *hold = holds_find(holds, flow);
    if (!hold || kept_frames_take(&hold->kept, received))
        return hold != NULL;
    hold_free(hold);
    return false;
}

int holds_join(struct holds *holds, uint32_t flow, uint32_t heir)
{
    struct hold *hold = holds_find(holds, flow), *to = holds_find(holds, heir);
    if (!hold || flow == heir)
        return 0;
    if (!to)
        to = holds_add(holds, heir);
    if (!to)
        return -1;
    to->begun += hold->begun;
    kept_frames_move(&to->kept, &hold->kept);
    hold_free(hold);
    return 0;
}

uint32_t holds_next(const struct holds *holds, uint32_t flow)
{
    const struct hold *hold = flow ? holds_find(holds, flow) : NULL;
    const struct list *next = hold ? hold->node.next : holds->list.next;
    return next == &holds->list ? 0 : hold_at(next)->flow;
}
