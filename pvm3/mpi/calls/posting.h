/*
 * posting.h - requests for messages: started at once (MPI_Isend), or to be started by the program
 * (MPI_Send_init).
 */
#ifndef MPI_CALLS_POSTING_H
#define MPI_CALLS_POSTING_H

#include "mpi/calls/form.h"
#include "mpi/messages/request.h"

/*
 * Makes the request of a form that does not block. calls->start finds channel and items in the
 * request. MPI_SUCCESS, or the class of an error, which the caller raises.
 */
int posting_begin(const struct form *form, const struct mpi_request_calls *calls,
                  const struct channel *channel, const struct items *items);

/* For `release` of these calls. */
int posting_release(struct mpi_request *request);

#endif
