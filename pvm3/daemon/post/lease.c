/* lease.c - leased tids as records of a link. */
#include "daemon/post/lease.h"

#include <pvm3.h>

#include "core/control.h"
#include "core/tid.h"
#include "daemon/post/post_room.h"
#include "daemon/post/task_link.h"

/* A lease that wishes for more than it needs gets at most one of so many parts of the free tids. */
#define PARTS 64

static int32_t lease_size(const struct tasks *tasks, int32_t needed, int32_t wished)
{
    int32_t spare = (int32_t)((TID_LOCAL_MASK - tasks->count) / PARTS);
    if (tasks->limit > 0 || spare < needed)
        return needed;
    return wished < spare ? wished : spare;
}

/* In whole blocks, whose process has one socket for the callers of each, if there is room. */
static struct task *lease_reserve(struct tasks *tasks, int32_t left)
{
    if (tasks->limit == 0 && left % CONTROL_LEASE_BLOCK == 0)
        tasks_seek_block(tasks, CONTROL_LEASE_BLOCK);
    return task_reserve(tasks);
}

int32_t lease_extend(struct task_link *link, int32_t needed, int32_t wished, uint32_t *tids)
{
    struct tasks *tasks = &link->daemon->post->tasks;
    int32_t size = lease_size(tasks, needed, wished), count = 0;
    struct task *task;
    while (count < size && (task = lease_reserve(tasks, size - count)) != NULL) {
        task->leased = true;
        tasks->leased++;
        task_link_join(link, task);
        tids[count++] = task->tid;
    }
    if (count >= needed) {
        link->leased = true;
        return count;
    }
    while (count > 0)
        task_free(tasks_find(tasks, tids[--count]));
    return PvmOutOfRes;
}

struct task *lease_find(const struct task_link *link, uint32_t tid, bool unborn)
{
    struct task *task = tasks_find(&link->daemon->post->tasks, tid);
    return task && task->link == link && task_has_begun(task) != unborn ? task : NULL;
}

void lease_hear(struct daemon *daemon, uint32_t tid)
{
    const struct task *task = tasks_find(&daemon->post->tasks, tid);
    if (task && task->link && task->link->leased)
        task_link_hear(task->link, tid);
}

/*
 * What one link says may close other links, so the list is not walked: each link goes to its end.
 */
void lease_hear_all(struct daemon *daemon)
{
    struct list *links = &daemon->post->listener.links;
    size_t left = 0;
    LIST_FOR_EACH(node, links)
    left++;
    for (; left > 0 && !list_is_empty(links); left--) {
        struct task_link *link = LIST_OWNER(links->next, struct task_link, node);
        list_remove(&link->node);
        list_append(links, &link->node);
        if (link->leased)
            task_link_hear(link, 0);
    }
}
