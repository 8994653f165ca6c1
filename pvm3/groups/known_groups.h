/*
 * known_groups.h - who is in which group, as far as a task knows it without asking the server.
 *
 * Groups that are static never change. What is known of another group counts as long as the server
 * has counted no change of it (changes.h).
 *
 * A list of descriptions by name. It takes no lock: the owner of the list does.
 */
#ifndef GROUPS_KNOWN_GROUPS_H
#define GROUPS_KNOWN_GROUPS_H

#include <stdbool.h>

/* Members of a group by instance; GROUPS_NOBODY where there is none. */
struct group_members {
    int *tids;
    int capacity;   /* length of tids */
    bool is_static; /* and has the free places of the server's table */
};

struct known_group {
    struct known_group *next;
    struct group_members members;
    unsigned changes; /* that the server had counted, of one that is not static */
    char name[];
};

/* So many groups that are not static are kept: those that were added last. */
#define KNOWN_GROUPS_CHANGING 64

/*
 * Adds a copy of the members, in place of what the list has of a group that is not static: a static
 * group stays as it is. PvmNoMem leaves the list without the group.
 */
int known_groups_add(struct known_group **list, const char *name,
                     const struct group_members *members, unsigned changes);

/* NULL: not there. */
const struct known_group *known_groups_find(const struct known_group *list, const char *name);

void known_groups_drop(struct known_group **list, const char *name);
void known_groups_drop_changing(struct known_group **list);
void known_groups_clear(struct known_group **list);

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
