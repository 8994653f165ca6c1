/* known_groups.c - a linked list; there are few. */
#include "groups/known_groups.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "groups/protocol.h"

/* Takes the first of a list out. */
static void known_groups_drop_at(struct known_group **place)
{
    struct known_group *found = *place;
    *place = found->next;
    free(found->members.tids);
    free(found);
}

/* Keeps the first groups that are not static, at most so many. */
static void known_groups_limit(struct known_group **list, int changing)
{
    while (*list)
        if (!(*list)->members.is_static && changing-- <= 0)
            known_groups_drop_at(list);
        else
            list = &(*list)->next;
}

static struct known_group *known_group_make(const char *name, const struct group_members *members)
{
    size_t length = strlen(name) + 1, bytes = (size_t)members->capacity * sizeof *members->tids;
    struct known_group *group = calloc(1, sizeof *group + length);
    int *tids = malloc(bytes + 1);
    if (!group || !tids) {
        free(tids);
        free(group);
        return NULL;
    }
    memcpy(group->name, name, length);
    memcpy(tids, members->tids, bytes);
    group->members = *members;
    group->members.tids = tids;
    return group;
}

int known_groups_add(struct known_group **list, const char *name,
                     const struct group_members *members, unsigned changes)
{
    const struct known_group *before = known_groups_find(*list, name);
    if (before && before->members.is_static)
        return 0;
    known_groups_drop(list, name);
    struct known_group *group = known_group_make(name, members);
    if (!group)
        return PvmNoMem;
    group->changes = changes;
    group->next = *list;
    *list = group;
    known_groups_limit(list, KNOWN_GROUPS_CHANGING);
    return 0;
}

const struct known_group *known_groups_find(const struct known_group *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

void known_groups_drop(struct known_group **list, const char *name)
{
    while (*list && strcmp((*list)->name, name) != 0)
        list = &(*list)->next;
    if (*list)
        known_groups_drop_at(list);
}

void known_groups_drop_changing(struct known_group **list)
{
    known_groups_limit(list, 0);
}

void known_groups_clear(struct known_group **list)
{
    while (*list)
        known_groups_drop_at(list);
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
