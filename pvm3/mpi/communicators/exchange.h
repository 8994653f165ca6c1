/*
 * exchange.h - what members of a communicator tell each other when they make a new one.
 */
#ifndef MPI_COMMUNICATORS_EXCHANGE_H
#define MPI_COMMUNICATORS_EXCHANGE_H

#include "mpi/schedules/schedule.h"

struct member {
    uint32_t context; /* in which the member receives in the new communicator */
    uint32_t tid;
    int32_t color; /* MPI_UNDEFINED: the member is in none */
    int32_t key;
};

/* By rank, in memory of the schedule. */
struct members {
    struct member *own;    /* of the own group */
    struct member *others; /* of the remote group of an inter-communicator */
};

/* All members of the schedule's communicator get what all others say. Without memory `own` is NULL. */
struct members schedule_members(struct schedule *schedule, const struct member *mine);

/* The bytes of `root` come to all of an intra-communicator, at once. An error class. */
int exchange_bcast(struct communicator *communicator, int root, void *bytes, size_t size);

/*
 * The members of that color, in the order of their keys, as a group and their contexts; both are
 * the caller's. `count` members. MPI_ERR_NO_MEM. No members: an empty group.
 */
int members_select(const struct member *members, int count, int color, uint32_t own_tid,
                   struct group **group, uint32_t **contexts);

#endif
