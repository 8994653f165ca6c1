/* collective.c - barrier, broadcast, gather and scatter. */
#include <string.h>

#include <pvm3.h>

#include "groups/collective.h"
#include "groups/members.h"
#include "groups/trace.h"

/* Of libpvm3, in no header of 3.4.6: notes an error and reports it as PvmAutoErr says. */
int lpvmerr(char *function, int code);

int pvm_barrier(const char *group, int count)
{
    struct groups_trace trace;
    struct groups_call call;
    groups_trace_entry(&trace, TEV_BARRIER, group, TEV_DID_GBC, count);
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_ask(&call, GROUPS_BARRIER, group, &count);
    result = groups_call_end(&call, result > 0 ? 0 : result);
    return groups_trace_exit(&trace, TEV_DID_CC, result);
}

int pvm_bcast(const char *group, int tag)
{
    static const int nobody[1];
    struct groups_trace trace;
    struct groups_call call;
    struct group_members members = {0};
    int others = 0;

    groups_trace_entry(&trace, TEV_BCAST, group, TEV_DID_MC, tag);
    int result = groups_call_begin(&call, group);
    if (result == 0)
        result = groups_members(&call, GROUPS_BCAST, group, &members);
    if (result == 0) {
        for (int i = 0; i < members.capacity; i++)
            if (members.tids[i] != call.tid && members.tids[i] != GROUPS_NOBODY)
                members.tids[others++] = members.tids[i];
        /* What is sent is the caller's buffer, in the caller's context. */
        groups_call_restore(&call);
        result = others > 0 ? pvm_mcast(members.tids, others, tag) : PvmNoInst;
    }
    groups_call_restore(&call);
    groups_trace_exit_list(&trace, TEV_DID_CC, result, others > 0 ? members.tids : nobody, others);
    return groups_call_end(&call, result);
}

/* Root's side of gather: everybody's block, each to its place in `result`. */
static int gather_all(struct groups_call *call, const struct items *own, void *result, int tag,
                      const struct group_members *members)
{
    struct items all = {.data = result, .count = own->count, .type = own->type};
    int status = 0;
    for (int i = 0; status == 0 && i < members->capacity; i++) {
        struct items place = items_block(&all, i);
        if (members->tids[i] == call->tid)
            memmove(place.data, own->data, items_bytes(own));
        else
            status = items_receive(call, &place, members->tids[i], tag);
    }
    return status;
}

/* Root's side of scatter: to everybody its block of `data`; root's own goes to `own`. */
static int scatter_all(struct groups_call *call, const struct items *own, void *data, int tag,
                       const struct group_members *members)
{
    struct items all = {.data = data, .count = own->count, .type = own->type};
    int status = 0;
    for (int i = 0; status == 0 && i < members->capacity; i++) {
        struct items place = items_block(&all, i);
        if (members->tids[i] == call->tid)
            memmove(own->data, place.data, items_bytes(own));
        else
            status = items_send(&place, members->tids[i], tag);
    }
    return status;
}

/* The tid of root; an error when there is none or the caller is not a member. */
static int root_find(struct groups_call *call, const char *group, int root)
{
    int tid = groups_tid(call, group, root);
    int result = tid < 0 ? tid : groups_instance(call, group, call->tid);
    return result < 0 ? result : tid;
}

/* The members of a group without holes; in a static group they end where unused places begin. */
static int members_without_holes(struct groups_call *call, const char *group,
                                 struct group_members *members)
{
    int result = groups_members(call, GROUPS_MEMBERS, group, members);
    if (result < 0)
        return result;
    int count = group_members_count(members);
    for (int i = 0; i < count; i++)
        if (members->tids[i] == GROUPS_NOBODY)
            result = PvmNoInst;
    members->capacity = count;
    return result;
}

/* `own` is what each member gives or takes, `array` what root alone has: the blocks of all. */
static int root_exchange(struct groups_call *call, const struct items *own, void *array, int tag,
                         const char *group,
                         int (*all)(struct groups_call *call, const struct items *own, void *array,
                                    int tag, const struct group_members *members))
{
    struct group_members members;
    if (!array)
        return PvmBadParam;
    int result = members_without_holes(call, group, &members);
    if (result < 0)
        return result;
    return all(call, own, array, tag, &members);
}

int collective_begin(struct groups_call *call, const char *group, const struct items *own)
{
    *call = (struct groups_call){0};
    if (!own->data || own->count <= 0 || items_size(own->type) == 0)
        return PvmBadParam;
    return groups_call_begin(call, group);
}

int pvm_gather(void *result, const void *data, int count, int type, int tag, const char *group,
               int root)
{
    struct groups_trace trace;
    struct groups_call call;
    struct items own = {.data = (void *)data, /* only read */ .count = count, .type = type};

    groups_trace_entry(&trace, TEV_GATHER, group, TEV_DID_MC, tag);
    int status = collective_begin(&call, group, &own);
    if (status == 0)
        status = root_find(&call, group, root);
    if (status > 0 && status == call.tid)
        status = root_exchange(&call, &own, result, tag, group, gather_all);
    else if (status > 0)
        status = items_send(&own, status, tag);
    groups_call_end(&call, status);
    groups_trace_exit(&trace, TEV_DID_CC, status < 0 ? status : 0);
    return status < 0 ? lpvmerr("pvm_gather", status) : 0;
}

int pvm_scatter(void *result, const void *data, int count, int type, int tag, const char *group,
                int root)
{
    struct groups_trace trace;
    struct groups_call call;
    struct items own = {.data = result, .count = count, .type = type};

    groups_trace_entry(&trace, TEV_SCATTER, group, TEV_DID_MC, tag);
    int status = collective_begin(&call, group, &own);
    if (status == 0)
        status = root_find(&call, group, root);
    if (status > 0 && status == call.tid)
        status = root_exchange(&call, &own, (void *)data, tag, group, scatter_all);
    else if (status > 0)
        status = items_receive(&call, &own, status, tag);
    groups_call_end(&call, status);
    groups_trace_exit(&trace, TEV_DID_CC, status < 0 ? status : 0);
    return status < 0 ? lpvmerr("pvm_scatter", status) : 0;
}
