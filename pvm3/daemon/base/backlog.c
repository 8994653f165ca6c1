/* backlog.c - bounds, and feeders that wait. */
#include "daemon/base/backlog.h"

/* Held feeders are looked at again when this part of the limit has become free. */
#define PARTS_OF_LIMIT 64

void backlogs_start(struct backlogs *all, size_t limit, void (*tell)(const struct backlog *))
{
    *all = (struct backlogs){.limit = limit, .tell = tell};
    list_start(&all->holding);
}

void backlog_start(struct backlog *backlog, struct backlogs *all, size_t most)
{
    *backlog = (struct backlog){.all = all, .most = most};
    list_start(&backlog->node);
    list_start(&backlog->held);
}

static size_t backlog_bound(const struct backlog *backlog)
{
    const struct backlogs *all = backlog->all;
    size_t left = all->limit > all->bytes ? all->limit - all->bytes : 0;
    if (left > backlog->most)
        left = backlog->most;
    return left > BACKLOG_LEAST ? left : BACKLOG_LEAST;
}

/* Somewhat below the bound, so that nobody is held and resumed for every frame. */
static void backlog_resume(struct backlog *backlog)
{
    size_t bound = backlog_bound(backlog);
    LIST_FOR_EACH(node, &backlog->held)
    {
        struct feeder *feeder = LIST_OWNER(node, struct feeder, node);
        if (backlog->bytes <= bound - bound / 4 && backlog->bytes <= feeder->most) {
            list_remove(node);
            feeder->resume(feeder);
        }
    }
    if (list_is_empty(&backlog->held))
        list_remove(&backlog->node);
}

/* What one destination has read may make room for feeders that wait for another. */
static void backlogs_look(struct backlogs *all)
{
    all->looked = all->bytes;
    LIST_FOR_EACH(node, &all->holding)
    backlog_resume(LIST_OWNER(node, struct backlog, node));
}

void backlog_finish(struct backlog *backlog)
{
    backlog_remove(backlog, backlog->bytes);
    LIST_FOR_EACH(node, &backlog->held)
    {
        list_remove(node);
        LIST_OWNER(node, struct feeder, node)->resume(LIST_OWNER(node, struct feeder, node));
    }
    list_remove(&backlog->node);
}

void backlog_add(struct backlog *backlog, size_t bytes)
{
    struct backlogs *all = backlog->all;
    backlog->bytes += bytes;
    all->bytes += bytes;
    if (all->looked < all->bytes)
        all->looked = all->bytes;
    if (all->feeder && !feeder_is_held(all->feeder) && backlog->bytes > backlog_bound(backlog))
        feeder_hold(all->feeder, backlog, SIZE_MAX);
}

void backlog_remove(struct backlog *backlog, size_t bytes)
{
    struct backlogs *all = backlog->all;
    backlog->bytes -= bytes;
    all->bytes -= bytes;
    if (!list_is_empty(&backlog->held))
        backlog_resume(backlog);
    if (!list_is_empty(&all->holding) && all->looked - all->bytes >= all->limit / PARTS_OF_LIMIT)
        backlogs_look(all);
}

void feeder_start(struct feeder *feeder, void (*resume)(struct feeder *))
{
    list_start(&feeder->node);
    feeder->resume = resume;
}

void feeder_hold(struct feeder *feeder, struct backlog *backlog, size_t most)
{
    struct backlogs *all = backlog->all;
    feeder->most = most;
    list_remove(&feeder->node);
    list_append(&backlog->held, &feeder->node);
    if (list_is_empty(&backlog->node))
        list_append(&all->holding, &backlog->node);
    if (!backlog->told)
        all->tell(backlog);
    backlog->told = true;
}

void feeder_release(struct feeder *feeder)
{
    list_remove(&feeder->node);
}
