/*
 * trees.h - binomial trees over the ranks of a communicator: the simple operations of which others
 * are built. `on` is an intra-communicator.
 */
#ifndef MPI_SCHEDULES_TREES_H
#define MPI_SCHEDULES_TREES_H

#include "mpi/schedules/schedule.h"

/* The items of `root` come to all. */
void tree_bcast(struct schedule *schedule, struct communicator *on, const struct items *items,
                int root);

/*
 * All get the records of all, of `size` bytes each. `records` has room for those of all ranks, the
 * own one is in its place. Ends with a wait.
 */
void tree_exchange(struct schedule *schedule, struct communicator *on, void *records, size_t size);

#endif
