/*
 * everybody.c - allreduce, allgather and alltoall: the calls whose result all members get.
 *
 * Operands of allreduce meet in the order of pvm_reduce, with instance 0 as root: on each host by
 * rising tid, then the hosts, that of instance 0 first. Floating point numbers show the order. So
 * operands go up the tree as they are, and are combined at the first place of a host alone.
 *
 * If instances have holes, all members tell each other so. A member that just returned the error
 * would let those wait that have asked the server before the hole was there.
 */
#include <string.h>

#include <pvm3.h>

#include "groups/collective.h"
#include "groups/exchange.h"
#include "groups/members.h"
#include "groups/trace.h"
#include "groups/wide_items.h"

/* Of libpvm3, in no header of 3.4.6: notes an error and reports it as PvmAutoErr says. */
int lpvmerr(char *function, int code);

struct everybody {
    struct exchange exchange; /* first: what takes a block finds the rest by it */
    items_function *function; /* of allreduce */
    struct items result;      /* of the others */
    int taken;                /* blocks of the result that have come from others */
    bool any_instances;       /* they may have holes */
};

static int combine(struct exchange *exchange)
{
    struct items arrived = exchange->block;
    arrived.data = exchange->room;
    int result = wide_items_unpack(&arrived);
    return result < 0 ? result
                      : items_combine(((struct everybody *)exchange)->function, &exchange->block,
                                      &arrived);
}

/* The part of the members, by rising tid, that are on the host of `tid`. */
static struct stage host_of(const struct group_members *sorted, int tid)
{
    int first = 0;
    while (GROUPS_HOST_OF(sorted->tids[first]) != GROUPS_HOST_OF(tid))
        first++;
    int end = first;
    while (end < sorted->capacity && GROUPS_HOST_OF(sorted->tids[end]) == GROUPS_HOST_OF(tid))
        end++;
    return stage_of(sorted->tids + first, end - first, tid);
}

/* The lowest tid of each host, by rising tid, but that of root's host first. */
static struct stage hosts_of(const struct group_members *sorted, int root, int self, int *tids)
{
    int count = 0;
    tids[count++] = host_of(sorted, root).tids[0];
    for (int i = 0; i < sorted->capacity; i++) {
        int first = host_of(sorted, sorted->tids[i]).tids[0];
        if (sorted->tids[i] == first && first != tids[0])
            tids[count++] = first;
    }
    return stage_of(tids, count, self);
}

static int reduce_and_spread(struct exchange *exchange, const struct stage *host,
                             const struct stage *hosts)
{
    int result = exchange_collect(exchange, host);
    if (result == 0 && host->place == 0)
        result = exchange_collect(exchange, hosts);
    if (result == 0 && host->place == 0)
        result = exchange_spread(exchange, hosts, &exchange->block, 1);
    return result == 0 ? exchange_spread(exchange, host, &exchange->block, 1) : result;
}

static int run_allreduce(struct everybody *everybody)
{
    struct exchange *exchange = &everybody->exchange;
    const struct stage *all = &exchange->all;
    size_t bytes = (size_t)all->count * sizeof *all->tids;
    int *tids = groups_call_room(exchange->call, bytes), self = all->tids[all->place];
    int *coordinators = groups_call_room(exchange->call, bytes);
    struct group_members sorted = {.tids = tids, .capacity = all->count};
    int result = PvmNoMem;

    if (tids && coordinators) {
        memcpy(tids, all->tids, bytes);
        group_members_sort(&sorted);
        struct stage host = host_of(&sorted, self);
        struct stage hosts = hosts_of(&sorted, all->tids[0], self, coordinators);
        result = reduce_and_spread(exchange, &host, &hosts);
    }
    return result;
}

static int put_beside(struct exchange *exchange)
{
    struct everybody *everybody = (struct everybody *)exchange;
    struct items place = items_block(&everybody->result, ++everybody->taken);
    return wide_items_unpack(&place);
}

static int run_allgather(struct everybody *everybody)
{
    struct exchange *exchange = &everybody->exchange;
    if (exchange->all.place == 0)
        memmove(everybody->result.data, exchange->block.data, items_bytes(&exchange->block));
    int result = exchange_collect(exchange, &exchange->all);
    return result < 0
               ? result
               : exchange_spread(exchange, &exchange->all, &everybody->result, exchange->all.count);
}

static int run_alltoall(struct everybody *everybody)
{
    return exchange_across(&everybody->exchange, &everybody->result, &everybody->exchange.block);
}

static int run_with_room(struct everybody *everybody, int (*run)(struct everybody *everybody))
{
    struct exchange *exchange = &everybody->exchange;
    exchange->room = groups_call_room(exchange->call, items_bytes(&exchange->block));
    int result = exchange->room ? run(everybody) : PvmNoMem;
    return result < 0 ? exchange_abandon(exchange, result) : exchange->error;
}

/* All members. Where instances have holes the server tells who they are by GROUPS_BCAST alone. */
static int members_find(struct everybody *everybody, struct groups_call *call, const char *group,
                        struct group_members *members)
{
    int result = PvmNoInst, *error = &everybody->exchange.error;
    if (!everybody->any_instances)
        *error = result = groups_members(call, GROUPS_MEMBERS, group, members);
    if (result == PvmNoInst)
        result = groups_members(call, GROUPS_BCAST, group, members);
    if (result == 0 && group_members_close_up(members) && !everybody->any_instances)
        *error = PvmNoInst;
    return result;
}

static int run_among(struct everybody *everybody, struct groups_call *call,
                     struct group_members *members, int (*run)(struct everybody *everybody))
{
    struct exchange *exchange = &everybody->exchange;
    exchange->call = call;
    exchange->all = stage_of(members->tids, members->capacity, call->tid);
    return exchange->all.place < 0 ? PvmNotInGroup : run_with_room(everybody, run);
}

/* The trace files of 3.4.6 have no event for these calls. */
static int everybody_call(char *name, struct everybody *everybody, const char *group,
                          int (*run)(struct everybody *everybody))
{
    struct groups_trace trace;
    struct groups_call call;
    struct group_members members;

    groups_trace_entry(&trace, GROUPS_NO_EVENT, group, 0, 0);
    int result = collective_begin(&call, group, &everybody->exchange.block);
    if (result == 0)
        result = members_find(everybody, &call, group, &members);
    if (result == 0)
        result = run_among(everybody, &call, &members, run);
    groups_call_end(&call, result);
    groups_trace_exit(&trace, TEV_DID_CC, result);
    return result < 0 ? lpvmerr(name, result) : 0;
}

int pvm_allreduce(items_function *function, void *data, int count, int type, int tag,
                  const char *group)
{
    struct everybody everybody = {
        .exchange = {.block = {.data = function ? data : NULL, .count = count, .type = type},
                     .tag = tag,
                     .take = combine},
        .function = function,
        .any_instances = true,
    };
    return everybody_call("pvm_allreduce", &everybody, group, run_allreduce);
}

/* Without a result these refuse the data. */
static struct everybody with_result(void *result, const void *data, int count, int type, int tag)
{
    void *read = result ? (void *)data : NULL; /* only read */
    return (struct everybody){
        .exchange = {.block = {.data = read, .count = count, .type = type},
                     .tag = tag,
                     .take = put_beside},
        .result = {.data = result, .count = count, .type = type},
    };
}

int pvm_allgather(void *result, const void *data, int count, int type, int tag, const char *group)
{
    struct everybody everybody = with_result(result, data, count, type, tag);
    return everybody_call("pvm_allgather", &everybody, group, run_allgather);
}

int pvm_alltoall(void *result, const void *data, int count, int type, int tag, const char *group)
{
    struct everybody everybody = with_result(result, data, count, type, tag);
    return everybody_call("pvm_alltoall", &everybody, group, run_alltoall);
}
