/*
 * making.h - communicators made of one communicator.
 *
 * All return MPI_SUCCESS or an error class. *result has one reference; it is NULL if the calling
 * task is in no new communicator. The new communicator has the error handler of the old one.
 * Arguments are the own ones alone: others may have passed wrong ones.
 */
#ifndef MPI_COMMUNICATORS_MAKING_H
#define MPI_COMMUNICATORS_MAKING_H

#include "mpi/communicators/topology.h"
#include "mpi/objects/communicator.h"

struct info;

/* With the members, the topology, the attributes and the hints of the old one, or other hints. */
int communicator_dup(struct communicator *communicator, struct info *hints,
                     struct communicator **result);
/* *result is there at once, and of use when the request is done. */
int communicator_idup(struct communicator *communicator, struct info *hints,
                      struct communicator **result, MPI_Request *request);

/* Those with one color, in the order of keys and ranks. MPI_UNDEFINED: in none. */
int communicator_split(struct communicator *communicator, int color, int key,
                       struct communicator **result);
/* Those who live on one host. */
int communicator_split_hosts(struct communicator *communicator, bool wanted, int key,
                             struct communicator **result);

/* The members of the group, which all members of the communicator name, or those of the group. */
int communicator_create(struct communicator *communicator, struct group *group,
                        struct communicator **result);
int communicator_create_group(struct communicator *communicator, struct group *group, int tag,
                              struct communicator **result);

/* Of tasks that need have no communicator in common, and name the same text. */
int communicator_create_from_group(struct group *group, const char *text,
                                   struct communicator **result);

/* The first `count` members, with a topology, which is taken over. */
int communicator_with_topology(struct communicator *communicator, int count,
                               struct topology *topology, struct communicator **result);

/* Gives back the own reference after deleting the attributes, whose error is returned if any. */
int communicator_free(struct communicator *communicator);

#endif
