/*
 * deaths.h - what becomes of communicators when a member dies: who waits for it gets an error.
 *
 * The pvmd tells each process of the ends of tasks that it has in communicators, behind all that
 * they have sent (kernel_watch). From then on, in each communicator that has the dead one, receives
 * from it or from any source end with MPI_ERR_PROC_ABORTED unless a message is there, and so do
 * sends to it. In a collective operation this goes on to all that wait for a part of the dead one
 * by way of others (message_send_failure). A communicator that only living members make
 * (MPI_Comm_create_group) is whole again.
 *
 * Threads: any thread may call anything.
 */
#ifndef MPI_OBJECTS_DEATHS_H
#define MPI_OBJECTS_DEATHS_H

#include <mpi.h>

#include "mpi/objects/communicator.h"

/* A new communicator is told of deaths, and of those that were before; and one goes. */
void deaths_enter(struct communicator *communicator);
void deaths_leave(struct communicator *communicator);

/* Asks the pvmd to tell of the ends of these tasks, unless it was asked. */
void deaths_watch(const uint32_t *tids, int count);

/*
 * This process needs to know of no death any more. Those of other worlds are told that it leaves,
 * as MPI_Finalize does not wait for them.
 */
void deaths_part(const struct group *world);

/* Whether a rank that is sent to or received from is dead, or, of MPI_ANY_SOURCE, any. */
bool deaths_concern_some(const struct communicator *communicator, int rank);

static inline bool deaths_concern(const struct communicator *communicator, int rank)
{
    return atomic_load_explicit(&communicator->deaths, memory_order_relaxed) &&
           deaths_concern_some(communicator, rank);
}

#endif
