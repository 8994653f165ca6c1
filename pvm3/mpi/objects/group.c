/*
 * group.c - making groups, and counting who refers to them.
 */
#include "mpi/objects/group.h"

#include <stdlib.h>
#include <string.h>

static struct group empty = {.object = {.kind = OBJECT_GROUP, .users = 1, .predefined = true},
                             .size = 0,
                             .rank = MPI_UNDEFINED};

struct group *group_empty(void)
{
    return &empty;
}

struct group *group_new(int size)
{
    struct group *group = malloc(sizeof *group + (size_t)size * sizeof group->tids[0]);
    if (!group)
        return NULL;
    object_begin(&group->object, OBJECT_GROUP);
    group->size = size;
    group->rank = MPI_UNDEFINED;
    return group;
}

struct group *group_of(MPI_Group handle)
{
    if (handle == MPI_GROUP_EMPTY)
        return &empty;
    return object_at(handle, OBJECT_GROUP);
}

MPI_Group group_handle(struct group *group)
{
    return group == &empty ? MPI_GROUP_EMPTY : (MPI_Group)(void *)group;
}

struct group *group_keep(struct group *group)
{
    object_keep(&group->object);
    return group;
}

void group_drop(struct group *group)
{
    if (group && object_drop(&group->object))
        free(group);
}

int group_rank_of(const struct group *group, uint32_t tid)
{
    for (int rank = 0; rank < group->size; rank++) {
        if (group->tids[rank] == tid)
            return rank;
    }
    return MPI_UNDEFINED;
}
