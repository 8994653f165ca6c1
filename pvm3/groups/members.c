/* members.c - what is known is copied, so that other threads may learn something else. */
#include "groups/members.h"

#include <string.h>

#include <pvm3.h>

static int members_make(struct groups_call *call, int count, struct group_members *members)
{
    members->capacity = count;
    members->is_static = false;
    members->tids = groups_call_room(call, ((size_t)count + 1) * sizeof *members->tids);
    return members->tids ? 0 : PvmNoMem;
}

/* The description of a static group: name, sizes, tids; of hosts nothing is needed. */
static int description_read(struct groups_call *call, struct group_members *members)
{
    int bytes, tag, tid, length, sizes[2];

    if (pvm_bufinfo(pvm_getrbuf(), &bytes, &tag, &tid) < 0 || pvm_upkint(&length, 1, 1) < 0)
        return PvmBadMsg;
    char *name = groups_call_room(call, (size_t)bytes + 1);
    int result = name ? pvm_upkstr(name) : PvmNoMem;
    if (result == 0)
        result = pvm_upkint(sizes, 2, 1);
    if (result < 0 || sizes[1] < 0 || sizes[1] > bytes / (int)sizeof(int))
        return PvmBadMsg;
    result = members_make(call, sizes[1], members);
    return result < 0 ? result : pvm_upkint(members->tids, sizes[1], 1);
}

/* Reads the state that ends an answer, and keeps the description of a static group. */
static void groups_read_state(struct groups_call *call, const char *group)
{
    int state;
    struct group_members members;

    if (pvm_upkint(&state, 1, 1) < 0 || state != GROUPS_STATIC ||
        description_read(call, &members) < 0)
        return;
    members.is_static = true;
    known_lock();
    /* Without memory the server is asked again next time. */
    known_groups_add(&call->known->groups, group, &members, 0);
    known_unlock();
}

int groups_ask_state(struct groups_call *call, enum groups_question question, const char *group,
                     const int *argument)
{
    int result = groups_ask(call, question, group, argument);
    if (result >= 0)
        groups_read_state(call, group);
    return result;
}

/* With the mutex. */
static bool group_is_current(const struct known *known, const struct known_group *group)
{
    const struct changes *changes = known->server.changes;
    return group->members.is_static ||
           (changes && changes_of(changes, group->name) == group->changes);
}

bool groups_known_members(struct groups_call *call, const char *group,
                          struct group_members *members)
{
    bool known = false;
    known_lock();
    const struct known_group *found = known_groups_find(call->known->groups, group);
    if (found && group_is_current(call->known, found) &&
        members_make(call, found->members.capacity, members) == 0) {
        size_t bytes = (size_t)members->capacity * sizeof *members->tids;
        memcpy(members->tids, found->members.tids, bytes);
        members->is_static = found->members.is_static;
        known = true;
    }
    known_unlock();
    return known;
}

void groups_forget(const struct groups_call *call, const char *group)
{
    known_lock();
    known_groups_drop(&call->known->groups, group);
    known_unlock();
}

/* Asks, and reads the answer. Returns 0 or an error. */
static int members_ask(struct groups_call *call, enum groups_question question, const char *group,
                       struct group_members *members)
{
    int count = groups_ask(call, question, group, NULL);
    int result = count < 0 ? count : members_make(call, count, members);
    if (result == 0)
        result = pvm_upkint(members->tids, count, 1);
    if (result == 0)
        groups_read_state(call, group);
    return result;
}

/* Keeps what the server has told, if it is the server that had counted. */
static void members_keep(struct groups_call *call, const char *group,
                         const struct group_members *members, const struct groups_count *count)
{
    known_lock();
    /* Without memory the server is asked again next time. */
    if (call->known->server.tid == count->server)
        known_groups_add(&call->known->groups, group, members, count->changes);
    known_unlock();
}

/*
 * The members, from what is known or may be known from now on. 1; or 0: the server is to be asked
 * each time, as it counts no changes or the instances have holes; or an error.
 */
static int members_find(struct groups_call *call, const char *group, struct group_members *members)
{
    struct groups_count count;
    if (groups_known_members(call, group, members))
        return 1;
    int result = groups_count(call, group, &count);
    if (result < 0 || count.server == 0)
        return result;
    if (members_ask(call, GROUPS_MEMBERS, group, members) < 0)
        return 0;
    members_keep(call, group, members, &count);
    return 1;
}

int groups_instance(struct groups_call *call, const char *group, int tid)
{
    struct group_members members;
    bool known = groups_known_members(call, group, &members);
    /* Which place is free the server alone knows, unless the group is static. */
    if (tid == GROUPS_NOBODY)
        return known && members.is_static ? group_members_instance(&members, tid)
                                          : groups_ask_state(call, GROUPS_INSTANCE, group, &tid);
    int result = known ? 1 : members_find(call, group, &members);
    if (result > 0)
        return group_members_instance(&members, tid);
    return result < 0 ? result : groups_ask_state(call, GROUPS_INSTANCE, group, &tid);
}

int groups_tid(struct groups_call *call, const char *group, int instance)
{
    struct group_members members;
    int result = members_find(call, group, &members);
    if (result > 0)
        return group_members_tid(&members, instance);
    return result < 0 ? result : groups_ask_state(call, GROUPS_TID, group, &instance);
}

int groups_members(struct groups_call *call, enum groups_question question, const char *group,
                   struct group_members *members)
{
    int result = members_find(call, group, members);
    if (result == 0)
        return members_ask(call, question, group, members);
    return result < 0 ? result : 0;
}
