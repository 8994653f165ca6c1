/*
 * table.h - who is in which group, and who waits for whom.
 *
 * This is the group server without its messages: every function is one event, its result is what
 * must be answered. Results are 0 or greater, or an error code of pvm3.h. A table is used by one
 * caller at a time.
 */
#ifndef GROUPS_TABLE_H
#define GROUPS_TABLE_H

#include <stdbool.h>

#include "groups/protocol.h"

/* A task that waits for an answer, and the tag that the answer shall have. */
struct group_waiter {
    int tid;
    int label;
    int weight; /* for how many it counts; set by the table */
};

/* Callers that wait until enough of them have come. */
struct group_meeting {
    int wanted;  /* how many must come; GROUPS_NOBODY while nobody waits */
    bool all;    /* all members are wanted, how many they ever become: nobody has said a number */
    int reached; /* how many have come; in a barrier of hosts a waiter may stand for many */
    struct group_waiter *waiters;
    int count;
};

struct group {
    struct group *next;
    enum groups_state state;
    int *tids;    /* by instance; GROUPS_NOBODY where there is none */
    int capacity; /* length of tids */
    int count;    /* members */
    struct group_meeting barrier;
    struct group_meeting freeze;
    char name[];
};

struct groups_table {
    struct group *first; /* in the order of their creation */
    int *watched;        /* tids whose exit has been asked for */
    int watched_count;
};

/* The members of a group on one host. */
struct group_host {
    int host;
    int members;
    int coordinator; /* the lowest tid on the host */
};

/* The callers that an event set free, and what they are to be told. */
struct group_release {
    struct group *group; /* valid until the next event */
    int value;
    struct group_waiter *waiters; /* NULL: nobody; freed by group_release_free */
    int count;
};

struct groups_table *groups_table_create(void);
void groups_table_destroy(struct groups_table *table);

/* NULL: there is no such group. It is valid until the next event. */
struct group *groups_table_find(const struct groups_table *table, const char *name);
int groups_table_count(const struct groups_table *table);

/*
 * True the first time that `tid` is named, until groups_table_forget: its exit should be asked for.
 */
bool groups_table_watch(struct groups_table *table, int tid);
void groups_table_forget(struct groups_table *table, int tid);

/* A group that `tid` is in, or NULL. */
struct group *groups_table_of_task(const struct groups_table *table, int tid);

/*
 * Returns the instance. PvmDupGroup; PvmNotInGroup when the group takes nobody any more; PvmNoMem.
 * Callers that wait for all members wait for this member, too.
 */
int groups_table_join(struct groups_table *table, const char *name, int tid);

/*
 * A static group dies when a member leaves, and any group goes with its last member. A task that
 * leaves waits no longer, so that a meeting never counts a task that is gone. `barrier` gets the
 * callers that are free now, since all members but the leaving one have come to the barrier, or the
 * group has died. `freeze` gets the callers that waited for the group to become static, if it is
 * static now.
 */
int groups_table_leave(struct groups_table *table, const char *name, int tid,
                       struct group_release *barrier, struct group_release *freeze);

/*
 * Returns 0 while the caller must wait; a count above 0 sets all free who wait, the caller among
 * them. `wanted` -1 is the size of the group; it changes with the group while all who wait said so.
 * PvmMismatch when the others want another count, or fewer than 1; that leaves the barrier as it
 * was (3.4.6 spoils it). With `whole_host` the caller counts for all members of its host.
 */
int groups_table_barrier(struct groups_table *table, const char *name, struct group_waiter caller,
                         int wanted, bool whole_host, struct group_release *release);

/* As a barrier; when all have come, the group is static. PvmDupGroup when it is already. */
int groups_table_freeze(struct groups_table *table, const char *name, struct group_waiter caller,
                        int wanted, struct group_release *release);

int groups_table_size(const struct groups_table *table, const char *name);
/*
 * The instance of `tid`; of GROUPS_NOBODY, as in 3.4.6, the lowest free place of the array.
 * PvmNotInGroup if there is none.
 */
int groups_table_instance(const struct groups_table *table, const char *name, int tid);
int groups_table_tid(const struct groups_table *table, const char *name, int instance);

/*
 * The hosts of a group in rising order; returns how many, or PvmNoMem. The array is the caller's to
 * free.
 */
int group_hosts(const struct group *group, struct group_host **hosts);

/* True when no instance below the number of members is unused. */
bool group_is_contiguous(const struct group *group);

void group_release_free(struct group_release *release);

#endif
