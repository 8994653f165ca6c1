/*
 * reduce.c - combining what all members have into one result at one of them.
 *
 * The data go the way that they go in 3.4.6: members send to the coordinator of their host,
 * coordinators to root, and root's coordinator hands root what its host has made. Unlike 3.4.6,
 * which takes messages from anyone, each sender's message is awaited in the order of tids. So the
 * result does not depend on who is fast, and a member that is already in the next reduce with the
 * same tag disturbs nobody.
 */
#include <pvm3.h>

#include "groups/items.h"
#include "groups/members.h"
#include "groups/trace.h"

/* Of libpvm3, in no header of 3.4.6: notes an error and reports it as PvmAutoErr says. */
int lpvmerr(char *function, int code);

struct reduction {
    struct groups_call *call;
    items_function *function;
    struct items own;     /* the caller's data, which become the result */
    struct items arrived; /* room for another's */
    int tag;
    int self;  /* tid */
    int root;  /* tid */
    int *tids; /* all members, rising: the members of one host stand together */
    int count;
};

/*
 * Who takes part. Members of 3.4.6 agree with us on the coordinators: the lowest tid of each host.
 */
static int reduction_find_members(struct reduction *reduction, const char *group, int root)
{
    struct groups_call *call = reduction->call;
    struct group_members members;
    int result = groups_members(call, GROUPS_BCAST, group, &members);
    if (result < 0)
        return result;
    group_members_close_up(&members);
    group_members_sort(&members);
    reduction->tids = members.tids;
    reduction->count = members.capacity;
    if (group_members_instance(&members, reduction->self) < 0)
        return PvmNotInGroup;
    reduction->root = groups_tid(call, group, root);
    return reduction->root < 0 ? reduction->root : 0;
}

static bool reduction_is_coordinator(const struct reduction *reduction, int place)
{
    return place == 0 ||
           GROUPS_HOST_OF(reduction->tids[place - 1]) != GROUPS_HOST_OF(reduction->tids[place]);
}

static int reduction_combine(struct reduction *reduction, int source)
{
    if (!reduction->function)
        return PvmBadParam;
    int result = items_receive(reduction->call, &reduction->arrived, source, reduction->tag);
    if (result < 0)
        return result;
    return items_combine(reduction->function, &reduction->own, &reduction->arrived);
}

/* Takes in the data of this host's members (`own_host`), or of the coordinators of the others. */
static int reduction_combine_all(struct reduction *reduction, bool own_host)
{
    int result = 0;
    for (int i = 0; result == 0 && i < reduction->count; i++) {
        int tid = reduction->tids[i];
        bool here = GROUPS_HOST_OF(tid) == GROUPS_HOST_OF(reduction->self);
        if (own_host ? here && tid != reduction->self
                     : !here && reduction_is_coordinator(reduction, i))
            result = reduction_combine(reduction, tid);
    }
    return result;
}

static int reduction_coordinator(const struct reduction *reduction)
{
    int place = 0;
    while (GROUPS_HOST_OF(reduction->tids[place]) != GROUPS_HOST_OF(reduction->self))
        place++;
    return reduction->tids[place];
}

/*
 * The coordinator sends root what its host has made. If that is an error, the message is empty: root
 * gets PvmNoData from it and does not wait for ever.
 */
static int reduction_hand_over(const struct reduction *reduction, int error)
{
    if (error == 0)
        return items_send(&reduction->own, reduction->root, reduction->tag);
    if (pvm_initsend(PvmDataDefault) >= 0)
        pvm_send(reduction->root, reduction->tag);
    return error;
}

static int reduction_run(struct reduction *reduction)
{
    int coordinator = reduction_coordinator(reduction), result;

    reduction->arrived.data = groups_call_room(reduction->call, items_bytes(&reduction->arrived));
    if (!reduction->arrived.data)
        return PvmNoMem;
    if (reduction->self == coordinator) {
        result = reduction_combine_all(reduction, true);
        if (reduction->self != reduction->root)
            result = reduction_hand_over(reduction, result);
    } else {
        result = items_send(&reduction->own, coordinator, reduction->tag);
        if (result == 0 && reduction->self == reduction->root)
            result = items_receive(reduction->call, &reduction->own, coordinator, reduction->tag);
    }
    if (result == 0 && reduction->self == reduction->root)
        result = reduction_combine_all(reduction, false);
    return result;
}

int pvm_reduce(items_function *function, void *data, int count, int type, int tag,
               const char *group, int root)
{
    struct groups_trace trace;
    struct groups_call call = {0};
    struct reduction reduction = {.call = &call,
                                  .function = function,
                                  .own = {.data = data, .count = count, .type = type},
                                  .arrived = {.count = count, .type = type},
                                  .tag = tag};

    groups_trace_entry(&trace, TEV_REDUCE, group, TEV_DID_MC, tag);
    /* The order in which 3.4.6 finds what is wrong. */
    int result = data && count > 0 ? groups_call_begin(&call, group) : PvmBadParam;
    reduction.self = call.tid;
    if (result == 0)
        result = reduction_find_members(&reduction, group, root);
    if (result == 0 && items_size(type) == 0)
        result = PvmBadParam;
    if (result == 0)
        result = reduction_run(&reduction);
    groups_call_end(&call, result);
    groups_trace_exit(&trace, TEV_DID_CC, result < 0 ? result : 0);
    return result < 0 ? lpvmerr("pvm_reduce", result) : 0;
}
