/*
 * arguments.h - checks of what programs pass to the calls that send and receive.
 *
 * Each returns MPI_SUCCESS or the class of an error, which the caller raises at the communicator.
 */
#ifndef MPI_CALLS_ARGUMENTS_H
#define MPI_CALLS_ARGUMENTS_H

#include "mpi/messages/messages.h"

/* Items at `buffer`. */
int argument_items(const void *buffer, MPI_Count count, MPI_Datatype datatype, struct items *items);

/* Those of a message. Where nobody is at the other side, no datatype is needed. */
int argument_items_for(const struct channel *channel, const void *buffer, MPI_Count count,
                       MPI_Datatype datatype, struct items *items);

/* To whom a message goes: a rank or MPI_PROC_NULL, and a tag. */
int argument_destination(MPI_Comm comm, int rank, int tag, struct channel *channel);

/* From whom one is to come: also MPI_ANY_SOURCE and MPI_ANY_TAG. */
int argument_source(MPI_Comm comm, int rank, int tag, struct channel *channel);

/* Whether a receive that ends so has got something: what fits also of a message that was longer. */
static inline bool argument_has_come(int error)
{
    return error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE;
}

/* What was received, in a status or in MPI_STATUS_IGNORE. */
void argument_status(const struct arrival *arrival, MPI_Status *status);

#endif
