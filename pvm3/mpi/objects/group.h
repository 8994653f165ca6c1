/*
 * group.h - an ordered set of tasks. A group never changes after it was made.
 *
 * A task is named by its tid. Any thread may keep and drop, and read a group that it keeps.
 */
#ifndef MPI_OBJECTS_GROUP_H
#define MPI_OBJECTS_GROUP_H

#include <mpi.h>
#include <stdint.h>

#include "mpi/objects/object.h"

struct group {
    struct object object;
    int size;
    int rank; /* of this task, or MPI_UNDEFINED */
    uint32_t tids[];
};

/* A group of `size` with one reference, for the caller to fill. NULL without memory. */
struct group *group_new(int size);

/* MPI_GROUP_EMPTY, which is never freed. */
struct group *group_empty(void);

/* The group of a handle; NULL for MPI_GROUP_NULL and whatever is no group. */
struct group *group_of(MPI_Group handle);
MPI_Group group_handle(struct group *group);

/* A reference more, which is returned; and one less. */
struct group *group_keep(struct group *group);
void group_drop(struct group *group);

/* The rank of `tid`, or MPI_UNDEFINED. */
int group_rank_of(const struct group *group, uint32_t tid);

#endif
