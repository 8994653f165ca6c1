/*
 * inter.c - two groups become an inter-communicator, and one communicator.
 */
#include "mpi/communicators/inter.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/communicators/exchange.h"
#include "mpi/communicators/making.h"
#include "mpi/objects/deaths.h"
#include "mpi/objects/error_handler.h"
#include "mpi/schedules/trees.h"

/* What one group knows of the other. */
struct other_group {
    int32_t code; /* an error class */
    int32_t count;
    struct member *members; /* for the caller to free */
};

/* `size` bytes each with the other leader. */
static int with_leader(struct communicator *peer, int rank, int tag, const void *mine,
                       size_t mine_size, void *other, size_t other_size)
{
    struct schedule schedule;
    schedule_begin_tagged(&schedule, peer, tag);
    schedule_receive(&schedule, peer, rank, other, (MPI_Count)other_size, NULL);
    schedule_send(&schedule, peer, rank, mine, (MPI_Count)mine_size, NULL);
    int code = schedule_run(&schedule);
    schedule_end(&schedule);
    return code;
}

/* What the leader does: gets the members of the other group for those of its own. */
static void ask(struct communicator *peer, int rank, int tag, const struct member *own, int count,
                struct other_group *other)
{
    if (!peer || rank < 0 || rank >= communicator_peers(peer)->size) {
        other->code = peer ? MPI_ERR_RANK : MPI_ERR_COMM;
        return;
    }
    int32_t mine = count;
    other->code =
        with_leader(peer, rank, tag, &mine, sizeof mine, &other->count, sizeof other->count);
    if (other->code != MPI_SUCCESS)
        return;
    size_t size = (size_t)other->count * sizeof *other->members;
    other->members = malloc(size + 1);
    if (!other->members)
        other->code = MPI_ERR_NO_MEM;
    else
        other->code =
            with_leader(peer, rank, tag, own, (size_t)count * sizeof *own, other->members, size);
}

/* The leader tells its group of the other one. */
static void tell(struct communicator *local, int leader, struct other_group *other)
{
    int32_t words[2] = {other->code, other->count};
    int code = exchange_bcast(local, leader, words, sizeof words);
    other->code = code == MPI_SUCCESS ? words[0] : code;
    other->count = words[1];
    if (other->code != MPI_SUCCESS)
        return;
    size_t size = (size_t)other->count * sizeof *other->members;
    if (local->rank != leader)
        other->members = malloc(size + 1);
    if (!other->members)
        other->code = MPI_ERR_NO_MEM;
    else
        other->code = exchange_bcast(local, leader, other->members, size);
}

/* The inter-communicator of both groups, all of whose members have color 0. */
static int assemble(struct communicator *local, const struct member *own,
                    const struct other_group *other, struct communicator **result)
{
    struct group *remote;
    uint32_t *contexts;
    uint32_t tid = own[local->rank].tid;
    int code = members_select(other->members, other->count, 0, tid, &remote, &contexts);
    if (code != MPI_SUCCESS)
        return code;
    /* A task cannot be in both. */
    if (remote->rank != MPI_UNDEFINED) {
        group_drop(remote);
        free(contexts);
        return MPI_ERR_COMM;
    }
    int size = local->group->size;
    struct communicator *made =
        communicator_new(group_keep(local->group), remote, own[local->rank].context, contexts);
    uint32_t *inner = malloc((size_t)size * sizeof *inner);
    for (int rank = 0; inner && rank < size; rank++)
        inner[rank] = own[rank].context + CONTEXT_LOCAL;
    if (!made || !inner) {
        communicator_drop(made);
        free(inner);
        return MPI_ERR_NO_MEM;
    }
    code = communicator_set_local(made, inner);
    if (code != MPI_SUCCESS) {
        communicator_drop(made);
        return code;
    }
    made->handler = communicator_handler(local);
    deaths_watch(remote->tids, remote->size);
    *result = made;
    return MPI_SUCCESS;
}

int intercomm_create(struct communicator *local, int leader, struct communicator *peer,
                     int remote_leader, int tag, struct communicator **result)
{
    struct member mine = {.context = communicator_new_context(),
                          .tid = local->group->tids[local->rank]};
    struct schedule schedule;
    schedule_begin(&schedule, local);
    struct members members = schedule_members(&schedule, &mine);
    int code = schedule_run(&schedule);
    struct other_group other = {.code = code};
    if (code == MPI_SUCCESS) {
        if (local->rank == leader)
            ask(peer, remote_leader, tag, members.own, local->group->size, &other);
        tell(local, leader, &other);
        code = other.code;
    }
    if (code == MPI_SUCCESS)
        code = assemble(local, members.own, &other, result);
    free(other.members);
    schedule_end(&schedule);
    return code;
}

/* Both leaders, the one with the lower tid first; NULL without memory. */
static struct group *group_of_leaders(uint32_t own, uint32_t other)
{
    struct group *group = group_new(2);
    if (!group)
        return NULL;
    group->rank = own < other ? 0 : 1;
    group->tids[group->rank] = own;
    group->tids[1 - group->rank] = other;
    return group;
}

static int join_leaders(uint32_t own, uint32_t other, const char *text, struct communicator **peer)
{
    deaths_watch(&other, 1);
    struct group *leaders = group_of_leaders(own, other);
    if (!leaders)
        return MPI_ERR_NO_MEM;
    int code = communicator_create_from_group(leaders, text, peer);
    group_drop(leaders);
    return code;
}

int intercomm_of_leaders(struct communicator *local, int leader, uint32_t other, const char *text,
                         struct communicator **result)
{
    struct communicator *peer = NULL;
    /* Without a peer the others learn by intercomm_create that it has failed. */
    int failed = MPI_SUCCESS;
    if (local->rank == leader)
        failed = join_leaders(local->group->tids[leader], other, text, &peer);
    int rank = peer ? 1 - peer->rank : MPI_PROC_NULL;
    int code = intercomm_create(local, leader, peer, rank, 0, result);
    communicator_drop(peer);
    return failed != MPI_SUCCESS ? failed : code;
}

int intercomm_create_from_groups(struct group *local, int leader, struct group *remote,
                                 int remote_leader, const char *text, struct communicator **result)
{
    struct communicator *own = NULL;
    int code = communicator_create_from_group(local, text, &own);
    if (code != MPI_SUCCESS)
        return code;
    uint32_t other = own->rank == leader ? remote->tids[remote_leader] : 0;
    code = intercomm_of_leaders(own, leader, other, text, result);
    communicator_drop(own);
    return code;
}

/* Whether the own group comes first: as both say, and otherwise that with the lower first tid. */
static bool own_first(const struct members *members)
{
    bool own_high = members->own[0].color != 0;
    bool others_high = members->others[0].color != 0;
    if (own_high != others_high)
        return others_high;
    return members->own[0].tid < members->others[0].tid;
}

static int merged(struct communicator *inter, const struct members *members,
                  struct communicator **result)
{
    int size = inter->group->size + inter->remote->size;
    struct group *group = group_new(size);
    uint32_t *contexts = malloc((size_t)size * sizeof *contexts);
    if (!group || !contexts) {
        group_drop(group);
        free(contexts);
        return MPI_ERR_NO_MEM;
    }
    int own_start = own_first(members) ? 0 : inter->remote->size;
    int others_start = own_start == 0 ? inter->group->size : 0;
    for (int i = 0; i < inter->group->size; i++) {
        group->tids[own_start + i] = members->own[i].tid;
        contexts[own_start + i] = members->own[i].context;
    }
    for (int i = 0; i < inter->remote->size; i++) {
        group->tids[others_start + i] = members->others[i].tid;
        contexts[others_start + i] = members->others[i].context;
    }
    group->rank = own_start + inter->rank;
    struct communicator *made =
        communicator_new(group, NULL, members->own[inter->rank].context, contexts);
    if (!made)
        return MPI_ERR_NO_MEM;
    made->handler = communicator_handler(inter);
    *result = made;
    return MPI_SUCCESS;
}

int intercomm_merge(struct communicator *inter, bool high, struct communicator **result)
{
    struct member mine = {.context = communicator_new_context(),
                          .tid = inter->group->tids[inter->rank],
                          .color = high};
    struct schedule schedule;
    schedule_begin(&schedule, inter);
    struct members members = schedule_members(&schedule, &mine);
    int code = schedule_run(&schedule);
    if (code == MPI_SUCCESS)
        code = merged(inter, &members, result);
    schedule_end(&schedule);
    return code;
}
