/*
 * inter.h - inter-communicators, made of two communicators, and back into one.
 *
 * Results are as in making.h.
 */
#ifndef MPI_COMMUNICATORS_INTER_H
#define MPI_COMMUNICATORS_INTER_H

#include "mpi/objects/communicator.h"

/*
 * The leaders of both groups know each other as ranks of `peer`, which is NULL at all others. If the
 * leader passes a wrong one, all members of its group get an error.
 */
int intercomm_create(struct communicator *local, int leader, struct communicator *peer,
                     int remote_leader, int tag, struct communicator **result);

/*
 * Without a communicator that both have in common. `other` is the other leader, and counts at the
 * leader alone; both leaders name the same text.
 */
int intercomm_of_leaders(struct communicator *local, int leader, uint32_t other, const char *text,
                         struct communicator **result);

/*
 * Without a communicator that both have in common; all name the same text. `remote` and its leader
 * count at the leader of `local` alone.
 */
int intercomm_create_from_groups(struct group *local, int leader, struct group *remote,
                                 int remote_leader, const char *text, struct communicator **result);

/* Both groups in one: the one that says `high` behind the other. */
int intercomm_merge(struct communicator *inter, bool high, struct communicator **result);

#endif
