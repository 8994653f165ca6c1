/* strangers.c - counting and hurrying. */
#include "daemon/post/strangers.h"

#include <sys/epoll.h>

#include "daemon/post/post_room.h"
#include "daemon/post/task_link.h"

/* Connections that are no tasks yet, and how long one may say nothing when others wait. */
#define STRANGERS_MAX   256
#define CROWDED_SECONDS 5

void strangers_start(struct strangers *strangers, struct daemon *daemon, struct loop_source *door)
{
    *strangers = (struct strangers){.daemon = daemon, .door = door};
    list_start(&strangers->list);
}

/* Strangers together take no more than a quarter of the descriptors. */
bool strangers_are_many(const struct strangers *strangers)
{
    size_t most = strangers->daemon->settings.descriptor_limit / 4;
    return strangers->count >= (most < STRANGERS_MAX ? most : STRANGERS_MAX);
}

/* The oldest that has not even asked to be a task. A task asks at once, and then may be slow. */
static void strangers_hurry_oldest(struct strangers *strangers)
{
    LIST_FOR_EACH(node, &strangers->list)
    {
        struct task_link *link = LIST_OWNER(node, struct task_link, stranger);
        int64_t age = loop_now() - link->opened, most = CROWDED_SECONDS * 1000;
        if (link->state != TASK_LINK_NEW)
            continue;
        loop_timer_set(&strangers->daemon->loop, &link->patience,
                       age < most ? (int)(most - age) : 0);
        return;
    }
}

void strangers_add(struct strangers *strangers, struct task_link *link)
{
    list_append(&strangers->list, &link->stranger);
    strangers->count++;
    if (!strangers_are_many(strangers))
        return;
    complain(
        &strangers->daemon->complaints, 0,
        "%zu connections are no tasks yet: others wait, and who says nothing for %d seconds is "
        "closed",
        strangers->count, CROWDED_SECONDS);
    loop_watch_for(&strangers->daemon->loop, strangers->door, 0);
    strangers_hurry_oldest(strangers);
}

void strangers_remove(struct strangers *strangers, struct task_link *link)
{
    if (list_is_empty(&link->stranger))
        return;
    list_remove(&link->stranger);
    strangers->count--;
    if (!strangers_are_many(strangers))
        loop_watch_for(&strangers->daemon->loop, strangers->door, EPOLLIN);
}
