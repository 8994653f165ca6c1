/*
 * flush.h - a request that is done once all that was sent from a buffer is out.
 */
#ifndef MPI_MESSAGES_FLUSH_H
#define MPI_MESSAGES_FLUSH_H

#include <mpi.h>

struct communicator;
struct send_buffer;

/* MPI_SUCCESS and *request, or MPI_ERR_NO_MEM. The communicator, whose errors it raises, or NULL. */
int flush_begin(struct send_buffer *buffer, struct communicator *communicator,
                MPI_Request *request);

#endif
