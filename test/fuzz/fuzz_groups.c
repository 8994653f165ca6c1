/*
 * fuzz_groups.c - any sequence of events for the table of groups, which the group server keeps.
 *
 * Input: events of four bytes: what happens, to which group, by which task, and a number.
 */
#include <pvm3.h>

#include "groups/table.h"

#include "input.h"

#define TASKS 24

static const char *const names[] = {"a", "b", "c"};

struct event {
    const char *name;
    int tid;
    int number;
    struct group_release release;
};

static int tid_of(unsigned byte)
{
    return (int)(1 + byte % 3) << 18 | (int)(1 + byte % TASKS);
}

/* What is known of a group agrees with itself. */
static void expect_sane(const struct groups_table *table)
{
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct group *group = groups_table_find(table, names[i]);
        struct group_host *hosts = NULL;
        if (!group)
            continue;
        int members = 0, on_hosts = 0;
        for (int instance = 0; instance < group->capacity; instance++)
            members += group->tids[instance] != GROUPS_NOBODY;
        MUST(members == group->count);
        int count = group_hosts(group, &hosts);
        for (int host = 0; host < count; host++)
            on_hosts += hosts[host].members;
        MUST(on_hosts == members);
        free(hosts);
        MUST((group->barrier.count == 0) == (group->barrier.wanted == GROUPS_NOBODY));
        MUST((group->freeze.count == 0) == (group->freeze.wanted == GROUPS_NOBODY));
        MUST(!group->barrier.all || group->barrier.reached < group->barrier.wanted);
        MUST(!group->barrier.all || group->barrier.wanted == group->count);
        MUST(!group->freeze.all || group->freeze.wanted == group->count);
        group_is_contiguous(group);
    }
}

static int leave(struct groups_table *table, const char *name, int tid)
{
    struct group_release barrier, freeze;
    int result = groups_table_leave(table, name, tid, &barrier, &freeze);
    group_release_free(&barrier);
    group_release_free(&freeze);
    return result;
}

static void end_task(struct groups_table *table, int tid)
{
    struct group *group;
    groups_table_forget(table, tid);
    while ((group = groups_table_of_task(table, tid)) != NULL)
        MUST(leave(table, group->name, tid) >= 0);
}

static void step(struct groups_table *table, unsigned what, struct event *event)
{
    const struct group_waiter caller = {.tid = event->tid, .label = 1};
    bool released = false;
    switch (what % 7) {
    case 0:
    case 1:
        if (groups_table_join(table, event->name, event->tid) >= 0)
            groups_table_watch(table, event->tid);
        break;
    case 2:
        leave(table, event->name, event->tid);
        break;
    case 3:
        groups_table_barrier(table, event->name, caller, event->number, what & 128,
                             &event->release);
        released = true;
        break;
    case 4:
        groups_table_freeze(table, event->name, caller, event->number, &event->release);
        released = true;
        break;
    case 5:
        end_task(table, event->tid);
        break;
    default:
        groups_table_size(table, event->name);
        groups_table_instance(table, event->name, event->tid);
        groups_table_tid(table, event->name, event->number);
    }
    if (released)
        group_release_free(&event->release);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    struct groups_table *table = groups_table_create();
    MUST(table);
    while (input.size >= 4) {
        unsigned what = input_byte(&input);
        struct event event = {.name = names[input_byte(&input) % 3]};
        event.tid = tid_of(input_byte(&input));
        event.number = (int)input_byte(&input) - 2;
        if (event.number > 250) /* and what no byte can say */
            event.number = INT32_MAX;
        step(table, what, &event);
        expect_sane(table);
    }
    groups_table_destroy(table);
    return 0;
}
