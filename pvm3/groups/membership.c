/* membership.c - joining, leaving, freezing a group, and who is in it. */
#include <stdlib.h>

#include <pvm3.h>

#include "groups/client.h"

int pvm_joingroup(char *group)
{
    struct groups_call call;
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_ask(&call, GROUPS_JOIN, group, NULL);
    /* Who can join sees a new group; one of that name that we knew to be static is gone. */
    if (result >= 0)
        groups_forget(group);
    return groups_call_end(&call, result);
}

int pvm_lvgroup(char *group)
{
    struct groups_call call;
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_ask(&call, GROUPS_LEAVE, group, NULL);
    if (result >= 0)
        groups_forget(group);
    return groups_call_end(&call, result);
}

int pvm_freezegroup(char *group, int size)
{
    struct groups_call call;
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_ask_state(&call, GROUPS_FREEZE, group, &size);
    return groups_call_end(&call, result);
}

int pvm_gsize(char *group)
{
    struct groups_call call;
    struct group_members members;
    int result = groups_call_begin(&call, group);
    if (result == 0 && groups_known_members(&call, group, &members)) {
        result = group_members_count(&members);
        free(members.tids);
    } else if (result == 0) {
        result = groups_ask_state(&call, GROUPS_SIZE, group, NULL);
    }
    return groups_call_end(&call, result);
}

int pvm_getinst(char *group, int tid)
{
    struct groups_call call;
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_instance(&call, group, tid);
    return groups_call_end(&call, result);
}

int pvm_gettid(char *group, int instance)
{
    struct groups_call call;
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_tid(&call, group, instance);
    return groups_call_end(&call, result);
}
