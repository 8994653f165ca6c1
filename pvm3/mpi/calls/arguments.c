/* arguments.c - what is wrong with the arguments of sends and receives. */
#include "mpi/calls/arguments.h"

#include <limits.h>

#include "mpi/datatypes/datatype.h"
#include "mpi/objects/communicator.h"
#include "mpi/values/status.h"

int argument_items_for(const struct channel *channel, const void *buffer, MPI_Count count,
                       MPI_Datatype handle, struct items *items)
{
    bool nobody = channel->rank == MPI_PROC_NULL && handle == MPI_DATATYPE_NULL;
    return argument_items(buffer, count, nobody ? MPI_BYTE : handle, items);
}

int argument_items(const void *buffer, MPI_Count count, MPI_Datatype handle, struct items *items)
{
    if (count < 0)
        return MPI_ERR_COUNT;
    int error = datatype_for_use(handle, &items->datatype);
    if (error != MPI_SUCCESS)
        return error;
    items->buffer = (void *)(intptr_t)buffer;
    items->count = count;
    const struct datatype *datatype = items->datatype;
    bool nowhere = !buffer && count > 0 && datatype->size > 0 && datatype->true_lb == 0;
    return nowhere ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

/* The communicator and the rank; `other` is a rank that is allowed beside MPI_PROC_NULL. */
static int argument_channel(MPI_Comm comm, int rank, int other, struct channel *channel)
{
    channel->communicator = communicator_of(comm);
    channel->rank = rank;
    channel->which = CONTEXT_MESSAGES;
    if (!channel->communicator)
        return MPI_ERR_COMM;
    bool known = (rank >= 0 && rank < communicator_peers(channel->communicator)->size) ||
                 rank == MPI_PROC_NULL || rank == other;
    return known ? MPI_SUCCESS : MPI_ERR_RANK;
}

int argument_destination(MPI_Comm comm, int rank, int tag, struct channel *channel)
{
    int error = argument_channel(comm, rank, MPI_PROC_NULL, channel);
    channel->tag = tag;
    return error == MPI_SUCCESS && (tag < 0 || tag == INT_MAX) ? MPI_ERR_TAG : error;
}

int argument_source(MPI_Comm comm, int rank, int tag, struct channel *channel)
{
    int error = argument_channel(comm, rank, MPI_ANY_SOURCE, channel);
    channel->tag = tag;
    bool right = (tag >= 0 && tag < INT_MAX) || tag == MPI_ANY_TAG;
    return error == MPI_SUCCESS && !right ? MPI_ERR_TAG : error;
}

void argument_status(const struct arrival *arrival, MPI_Status *status)
{
    status_of_message(status, arrival->rank, arrival->tag, (MPI_Count)arrival->size);
}
