/*
 * static_groups.h - what a task knows of groups that can no longer change, so that it need not ask
 * the server.
 *
 * A list of descriptions by name. It takes no lock: the owner of the list does.
 */
#ifndef GROUPS_STATIC_GROUPS_H
#define GROUPS_STATIC_GROUPS_H

#include <stdbool.h>

/* Members of a group by instance; GROUPS_NOBODY where there is none. */
struct group_members {
    int *tids;
    int capacity; /* length of tids */
};

struct static_group {
    struct static_group *next;
    struct group_members members;
    char name[];
};

/*
 * Takes over `members->tids`, whatever it returns. If the list has a description of the group, it
 * stays as it is. PvmNoMem leaves the list unchanged.
 */
int static_groups_add(struct static_group **list, const char *name, struct group_members *members);

/* NULL: not there. */
const struct static_group *static_groups_find(const struct static_group *list, const char *name);

void static_groups_drop(struct static_group **list, const char *name);
void static_groups_clear(struct static_group **list);

/*
 * How many there are; the instance of a tid, or PvmNotInGroup; the tid of an instance, or
 * PvmNoInst. The instance of GROUPS_NOBODY is the lowest free place, if one is free, as in 3.4.6.
 */
int group_members_count(const struct group_members *members);
int group_members_instance(const struct group_members *members, int tid);
int group_members_tid(const struct group_members *members, int instance);

/* Leaves out the places where there is no member. Returns whether one lay between members. */
bool group_members_close_up(struct group_members *members);

/* Orders by tid, so that the members of a host stand together; there must be no free places. */
void group_members_sort(struct group_members *members);

#endif
