/* membership.c - joining, leaving, freezing a group, and who is in it. */
#include <pvm3.h>

#include "groups/members.h"
#include "groups/trace.h"

int pvm_joingroup(const char *group)
{
    struct groups_trace trace;
    struct groups_call call;
    groups_trace_entry(&trace, TEV_JOINGROUP, group, 0, 0);
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_ask(&call, GROUPS_JOIN, group, NULL);
    /*
     * A group that can be joined is not static: a static group of this name that we knew is gone.
     */
    if (result >= 0)
        groups_forget(&call, group);
    return groups_trace_exit(&trace, TEV_DID_CC, groups_call_end(&call, result));
}

int pvm_lvgroup(const char *group)
{
    struct groups_trace trace;
    struct groups_call call;
    groups_trace_entry(&trace, TEV_LVGROUP, group, 0, 0);
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_ask(&call, GROUPS_LEAVE, group, NULL);
    if (result >= 0)
        groups_forget(&call, group);
    return groups_trace_exit(&trace, TEV_DID_CC, groups_call_end(&call, result));
}

int pvm_freezegroup(const char *group, int size)
{
    struct groups_trace trace;
    struct groups_call call;
    groups_trace_entry(&trace, GROUPS_NO_EVENT, group, 0, 0);
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_ask_state(&call, GROUPS_FREEZE, group, &size);
    return groups_trace_exit(&trace, TEV_DID_CC, groups_call_end(&call, result));
}

/* Nothing else would be taken in by a call that asks nobody. */
static int knowledge_begin(struct groups_call *call, const char *group)
{
    int result = groups_call_begin(call, group);
    if (result == 0)
        groups_look();
    return result;
}

int pvm_gsize(const char *group)
{
    struct groups_trace trace;
    struct groups_call call;
    struct group_members members;
    groups_trace_entry(&trace, TEV_GSIZE, group, 0, 0);
    int result = knowledge_begin(&call, group);
    if (result == 0)
        result = groups_known_members(&call, group, &members)
                     ? group_members_count(&members)
                     : groups_ask_state(&call, GROUPS_SIZE, group, NULL);
    return groups_trace_exit(&trace, TEV_DID_GS, groups_call_end(&call, result));
}

int pvm_getinst(const char *group, int tid)
{
    struct groups_trace trace;
    struct groups_call call;
    groups_trace_entry(&trace, TEV_GETINST, group, TEV_DID_GT, tid);
    int result = knowledge_begin(&call, group);
    if (result == 0)
        result = groups_instance(&call, group, tid);
    return groups_trace_exit(&trace, TEV_DID_GI, groups_call_end(&call, result));
}

int pvm_gettid(const char *group, int instance)
{
    struct groups_trace trace;
    struct groups_call call;
    groups_trace_entry(&trace, TEV_GETTID, group, TEV_DID_GI, instance);
    int result = knowledge_begin(&call, group);
    if (result == 0)
        result = groups_tid(&call, group, instance);
    return groups_trace_exit(&trace, TEV_DID_GT, groups_call_end(&call, result));
}
