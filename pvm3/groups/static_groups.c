/* static_groups.c - a linked list; there are few. */
#include "groups/static_groups.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "groups/protocol.h"

static void static_group_free(struct static_group *group)
{
    free(group->members.tids);
    free(group);
}

int static_groups_add(struct static_group **list, const char *name, struct group_members *members)
{
    size_t length = strlen(name) + 1;
    bool known = static_groups_find(*list, name);
    struct static_group *group = known ? NULL : calloc(1, sizeof *group + length);
    if (!group) {
        free(members->tids);
        return known ? 0 : PvmNoMem;
    }
    memcpy(group->name, name, length);
    group->members = *members;
    group->next = *list;
    *list = group;
    return 0;
}

const struct static_group *static_groups_find(const struct static_group *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

void static_groups_drop(struct static_group **list, const char *name)
{
    while (*list && strcmp((*list)->name, name) != 0)
        list = &(*list)->next;
    struct static_group *found = *list;
    if (found) {
        *list = found->next;
        static_group_free(found);
    }
}

void static_groups_clear(struct static_group **list)
{
    while (*list)
        static_groups_drop(list, (*list)->name);
}

int group_members_count(const struct group_members *members)
{
    int count = 0;
    for (int i = 0; i < members->capacity; i++)
        count += members->tids[i] != GROUPS_NOBODY;
    return count;
}

int group_members_instance(const struct group_members *members, int tid)
{
    for (int i = 0; i < members->capacity; i++)
        if (members->tids[i] == tid)
            return i;
    return PvmNotInGroup;
}

int group_members_tid(const struct group_members *members, int instance)
{
    if (instance < 0 || instance >= members->capacity || members->tids[instance] == GROUPS_NOBODY)
        return PvmNoInst;
    return members->tids[instance];
}

bool group_members_close_up(struct group_members *members)
{
    int count = 0, last = 0;
    for (int i = 0; i < members->capacity; i++) {
        if (members->tids[i] == GROUPS_NOBODY)
            continue;
        last = i;
        members->tids[count++] = members->tids[i];
    }
    members->capacity = count;
    return count > 0 && last != count - 1;
}

static int compare_tids(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

void group_members_sort(struct group_members *members)
{
    qsort(members->tids, (size_t)members->capacity, sizeof *members->tids, compare_tids);
}
