/* table.c - a list of groups, an array of tids in each. */
#include "groups/table.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

struct groups_table *groups_table_create(void)
{
    return calloc(1, sizeof(struct groups_table));
}

static void group_free(struct group *group)
{
    free(group->tids);
    free(group->barrier.waiters);
    free(group->freeze.waiters);
    free(group);
}

void groups_table_destroy(struct groups_table *table)
{
    while (table->first) {
        struct group *group = table->first;
        table->first = group->next;
        group_free(group);
    }
    free(table->watched);
    free(table);
}

struct group *groups_table_find(const struct groups_table *table, const char *name)
{
    struct group *group = table->first;
    while (group && strcmp(group->name, name) != 0)
        group = group->next;
    return group;
}

int groups_table_count(const struct groups_table *table)
{
    int count = 0;
    for (const struct group *group = table->first; group; group = group->next)
        count++;
    return count;
}

bool groups_table_watch(struct groups_table *table, int tid)
{
    for (int i = 0; i < table->watched_count; i++)
        if (table->watched[i] == tid)
            return false;
    size_t size = ((size_t)table->watched_count + 1) * sizeof *table->watched;
    int *watched = realloc(table->watched, size);
    if (watched) {
        watched[table->watched_count++] = tid;
        table->watched = watched;
    }
    return true;
}

void groups_table_forget(struct groups_table *table, int tid)
{
    for (int i = 0; i < table->watched_count; i++)
        if (table->watched[i] == tid)
            table->watched[i] = table->watched[--table->watched_count];
}

/* The first place with `tid`, which may be GROUPS_NOBODY. */
static int group_find(const struct group *group, int tid)
{
    for (int i = 0; i < group->capacity; i++)
        if (group->tids[i] == tid)
            return i;
    return PvmNotInGroup;
}

static int group_instance(const struct group *group, int tid)
{
    return tid == GROUPS_NOBODY ? PvmNotInGroup : group_find(group, tid);
}

struct group *groups_table_of_task(const struct groups_table *table, int tid)
{
    struct group *group = table->first;
    while (group && group_instance(group, tid) < 0)
        group = group->next;
    return group;
}

/*
 * A new group at the end of the list. It has no member yet: the caller adds one, or takes it out
 * again.
 */
static struct group *groups_table_add(struct groups_table *table, const char *name)
{
    size_t length = strlen(name) + 1;
    struct group *group = calloc(1, sizeof *group + length);
    if (!group)
        return NULL;
    memcpy(group->name, name, length);
    group->state = GROUPS_DYNAMIC;
    group->barrier.wanted = group->freeze.wanted = GROUPS_NOBODY;
    struct group **link = &table->first;
    while (*link)
        link = &(*link)->next;
    *link = group;
    return group;
}

static void groups_table_remove(struct groups_table *table, struct group *group)
{
    struct group **link = &table->first;
    while (*link != group)
        link = &(*link)->next;
    *link = group->next;
    group_free(group);
}

/* The lowest unused instance; the array grows when there is none. */
static int group_place(struct group *group)
{
    int place = 0;
    while (place < group->capacity && group->tids[place] != GROUPS_NOBODY)
        place++;
    if (place < group->capacity)
        return place;
    int capacity = group->capacity + GROUPS_TIDS_STEP;
    int *tids = realloc(group->tids, (size_t)capacity * sizeof *tids);
    if (!tids)
        return PvmNoMem;
    for (int i = place; i < capacity; i++)
        tids[i] = GROUPS_NOBODY;
    group->tids = tids;
    group->capacity = capacity;
    return place;
}

/*
 * The group has other members now: a caller that waits for all members waits for their new number.
 */
static void meeting_follow(struct group_meeting *meeting, const struct group *group)
{
    if (meeting->all)
        meeting->wanted = group->count;
}

int groups_table_join(struct groups_table *table, const char *name, int tid)
{
    struct group *group = groups_table_find(table, name);
    if (group && group_instance(group, tid) >= 0)
        return group->state == GROUPS_DYNAMIC ? PvmDupGroup : PvmNotInGroup;
    if (group && group->state != GROUPS_DYNAMIC)
        return PvmNotInGroup;
    if (!group)
        group = groups_table_add(table, name);
    int place = group ? group_place(group) : PvmNoMem;
    if (place >= 0) {
        group->tids[place] = tid;
        group->count++;
        meeting_follow(&group->barrier, group);
        meeting_follow(&group->freeze, group);
    } else if (group && group->count == 0) {
        groups_table_remove(table, group);
    }
    return place;
}

static int group_members_on_host(const struct group *group, int host)
{
    int members = 0;
    for (int i = 0; i < group->capacity; i++)
        if (group->tids[i] != GROUPS_NOBODY && GROUPS_HOST_OF(group->tids[i]) == host)
            members++;
    return members;
}

static void meeting_withdraw(struct group_meeting *meeting, int tid)
{
    int kept = 0;
    for (int i = 0; i < meeting->count; i++) {
        if (meeting->waiters[i].tid == tid)
            meeting->reached -= meeting->waiters[i].weight;
        else
            meeting->waiters[kept++] = meeting->waiters[i];
    }
    meeting->count = kept;
    if (kept == 0) {
        meeting->wanted = GROUPS_NOBODY;
        meeting->all = false;
    }
}

/* Everybody who waits goes into the release. */
static void meeting_end(struct group_meeting *meeting, struct group *group, int value,
                        struct group_release *release)
{
    release->group = group;
    release->value = value;
    release->waiters = meeting->waiters;
    release->count = meeting->count;
    *meeting = (struct group_meeting){.wanted = GROUPS_NOBODY};
}

/* A member has left: takes it out, and ends the meeting when all the others have come. */
static bool meeting_leave(struct group_meeting *meeting, struct group *group, int tid,
                          struct group_release *release)
{
    meeting_withdraw(meeting, tid);
    meeting_follow(meeting, group);
    if (!meeting->all || meeting->reached < meeting->wanted)
        return false;
    meeting_end(meeting, group, meeting->wanted, release);
    return true;
}

int groups_table_leave(struct groups_table *table, const char *name, int tid,
                       struct group_release *barrier, struct group_release *freeze)
{
    *barrier = *freeze = (struct group_release){0};
    struct group *group = groups_table_find(table, name);
    if (!group)
        return PvmNoGroup;
    int place = group_instance(group, tid);
    if (place < 0)
        return place;
    group->tids[place] = GROUPS_NOBODY;
    group->count--;
    if (group->state == GROUPS_STATIC) {
        group->state = GROUPS_DEAD;
        meeting_withdraw(&group->barrier, tid);
        meeting_end(&group->barrier, group, PvmNoGroup, barrier);
    } else {
        meeting_leave(&group->barrier, group, tid, barrier);
        if (meeting_leave(&group->freeze, group, tid, freeze))
            group->state = GROUPS_STATIC;
    }
    if (group->count == 0)
        groups_table_remove(table, group);
    return 0;
}

/*
 * One more caller has come, who counts for `weight`. Returns how many were wanted if all of them
 * have come, otherwise 0.
 */
static int meeting_add(struct group_meeting *meeting, struct group *group,
                       struct group_waiter caller, int wanted,
                       struct group_release *release)
{
    bool all = wanted == -1;
    if (all)
        wanted = group->count;
    if (wanted < 1 || (meeting->wanted != GROUPS_NOBODY && meeting->wanted != wanted))
        return PvmMismatch;
    size_t size = ((size_t)meeting->count + 1) * sizeof *meeting->waiters;
    struct group_waiter *waiters = realloc(meeting->waiters, size);
    if (!waiters)
        return PvmNoMem;
    meeting->all = all && (meeting->all || meeting->count == 0);
    waiters[meeting->count++] = caller;
    meeting->waiters = waiters;
    meeting->wanted = wanted;
    meeting->reached += caller.weight;
    if (meeting->reached < wanted)
        return 0;
    meeting_end(meeting, group, wanted, release);
    return wanted;
}

int groups_table_barrier(struct groups_table *table, const char *name, struct group_waiter caller,
                         int wanted, bool whole_host, struct group_release *release)
{
    *release = (struct group_release){0};
    struct group *group = groups_table_find(table, name);
    if (!group || group->state == GROUPS_DEAD)
        return PvmNoGroup;
    if (group_instance(group, caller.tid) < 0)
        return PvmNotInGroup;
    caller.weight = 1;
    if (whole_host) {
        caller.weight = group_members_on_host(group, GROUPS_HOST_OF(caller.tid));
        wanted = wanted == -1 ? group->count : wanted; /* its weight would not follow */
    }
    return meeting_add(&group->barrier, group, caller, wanted, release);
}

int groups_table_freeze(struct groups_table *table, const char *name, struct group_waiter caller,
                        int wanted, struct group_release *release)
{
    *release = (struct group_release){0};
    struct group *group = groups_table_find(table, name);
    if (!group || group->state == GROUPS_DEAD)
        return PvmNoGroup;
    if (group->state == GROUPS_STATIC)
        return PvmDupGroup;
    if (group_instance(group, caller.tid) < 0)
        return PvmNotInGroup;
    caller.weight = 1;
    int result = meeting_add(&group->freeze, group, caller, wanted, release);
    if (result > 0)
        group->state = GROUPS_STATIC;
    return result;
}

int groups_table_size(const struct groups_table *table, const char *name)
{
    const struct group *group = groups_table_find(table, name);
    return !group || group->state == GROUPS_DEAD ? PvmNoGroup : group->count;
}

int groups_table_instance(const struct groups_table *table, const char *name, int tid)
{
    const struct group *group = groups_table_find(table, name);
    return !group || group->state == GROUPS_DEAD ? PvmNoGroup : group_find(group, tid);
}

int groups_table_tid(const struct groups_table *table, const char *name, int instance)
{
    const struct group *group = groups_table_find(table, name);
    if (!group || group->state == GROUPS_DEAD)
        return PvmNoGroup;
    if (instance < 0 || instance >= group->capacity || group->tids[instance] == GROUPS_NOBODY)
        return PvmNoInst;
    return group->tids[instance];
}

static int compare_tids(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

int group_hosts(const struct group *group, struct group_host **hosts)
{
    int *tids = malloc(((size_t)group->capacity + 1) * sizeof *tids);
    *hosts = calloc((size_t)group->count + 1, sizeof **hosts);
    if (!tids || !*hosts) {
        free(tids);
        free(*hosts);
        return PvmNoMem;
    }
    int members = 0, count = 0;
    for (int i = 0; i < group->capacity; i++)
        if (group->tids[i] != GROUPS_NOBODY)
            tids[members++] = group->tids[i];
    qsort(tids, (size_t)members, sizeof *tids, compare_tids);
    for (int i = 0; i < members; i++) {
        int host = GROUPS_HOST_OF(tids[i]);
        if (count == 0 || (*hosts)[count - 1].host != host)
            (*hosts)[count++] = (struct group_host){.host = host, .coordinator = tids[i]};
        (*hosts)[count - 1].members++;
    }
    free(tids);
    return count;
}

bool group_is_contiguous(const struct group *group)
{
    for (int i = 0; i < group->count; i++)
        if (group->tids[i] == GROUPS_NOBODY)
            return false;
    return true;
}

void group_release_free(struct group_release *release)
{
    free(release->waiters);
    *release = (struct group_release){0};
}
