/* posting.c - requests for messages. */
#include "mpi/calls/posting.h"

#include "mpi/datatypes/datatype.h"

/* The request has a reference of its own to the datatype. */
int posting_release(struct mpi_request *request)
{
    datatype_drop(request->posted.items.datatype);
    return MPI_SUCCESS;
}

int posting_begin(const struct form *form, const struct mpi_request_calls *calls,
                  const struct channel *channel, const struct items *items)
{
    if (!form->request)
        return MPI_ERR_ARG;
    struct mpi_request *request = mpi_request_new(REQUEST_MESSAGE, calls, channel->communicator);
    if (!request)
        return MPI_ERR_NO_MEM;
    datatype_keep(items->datatype);
    request->posted.channel = *channel;
    request->posted.items = *items;
    request->persistent = form->kind == FORM_PERSISTENT;
    request->active = false;
    int error = request->persistent ? MPI_SUCCESS : mpi_request_start(request);
    if (error == MPI_SUCCESS)
        *form->request = mpi_request_handle(request);
    else
        mpi_request_release(request);
    return error;
}
