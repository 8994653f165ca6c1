/*
 * exchange.c - records of the members of a communicator.
 */
#include "mpi/communicators/exchange.h"

#include <stdlib.h>

#include "mpi/schedules/trees.h"

/* The first ranks of both groups exchange what their groups say, and tell it their groups. */
static void exchange_groups(struct schedule *schedule, const struct members *members)
{
    struct communicator *communicator = schedule->communicator;
    MPI_Count own = communicator->group->size * (MPI_Count)sizeof(struct member);
    MPI_Count others = communicator->remote->size * (MPI_Count)sizeof(struct member);
    if (communicator->rank == 0) {
        schedule_receive(schedule, communicator, 0, members->others, others, NULL);
        schedule_send(schedule, communicator, 0, members->own, own, NULL);
        schedule_wait(schedule);
    }
    struct items items = {members->others, others, NULL};
    tree_bcast(schedule, communicator->local, &items, 0);
}

struct members schedule_members(struct schedule *schedule, const struct member *mine)
{
    struct communicator *communicator = schedule->communicator;
    bool inter = communicator->remote != NULL;
    struct members members = {0};
    size_t size = sizeof(struct member);
    members.own = schedule_memory(schedule, (size_t)communicator->group->size * size);
    if (inter)
        members.others = schedule_memory(schedule, (size_t)communicator->remote->size * size);
    if (!members.own || (inter && !members.others))
        return (struct members){0};
    members.own[communicator->rank] = *mine;
    tree_exchange(schedule, inter ? communicator->local : communicator, members.own, size);
    if (inter)
        exchange_groups(schedule, &members);
    return members;
}

int exchange_bcast(struct communicator *communicator, int root, void *bytes, size_t size)
{
    struct schedule schedule;
    struct items items = {bytes, (MPI_Count)size, NULL};
    schedule_begin(&schedule, communicator);
    tree_bcast(&schedule, communicator, &items, root);
    int code = schedule_run(&schedule);
    schedule_end(&schedule);
    return code;
}

static int by_key(const void *a, const void *b)
{
    const struct member *first = *(const struct member *const *)a;
    const struct member *second = *(const struct member *const *)b;
    if (first->key != second->key)
        return first->key < second->key ? -1 : 1;
    return first < second ? -1 : first > second;
}

int members_select(const struct member *members, int count, int color, uint32_t own_tid,
                   struct group **group, uint32_t **contexts)
{
    const struct member **chosen = malloc(((size_t)count + 1) * sizeof *chosen);
    int size = 0;
    for (int i = 0; chosen && i < count; i++) {
        if (members[i].color == color)
            chosen[size++] = &members[i];
    }
    *group = chosen ? group_new(size) : NULL;
    *contexts = malloc(((size_t)size + 1) * sizeof **contexts);
    if (!*group || !*contexts) {
        group_drop(*group);
        free(*contexts);
        free(chosen);
        return MPI_ERR_NO_MEM;
    }
    qsort(chosen, (size_t)size, sizeof *chosen, by_key);
    for (int i = 0; i < size; i++) {
        (*group)->tids[i] = chosen[i]->tid;
        (*contexts)[i] = chosen[i]->context;
    }
    (*group)->rank = group_rank_of(*group, own_tid);
    free(chosen);
    return MPI_SUCCESS;
}
