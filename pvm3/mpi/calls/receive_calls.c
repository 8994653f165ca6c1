/* receive_calls.c - receives of the next message that matches, or of one that a probe has taken. */
#include "mpi/calls/arguments.h"
#include "mpi/calls/forms.h"
#include "mpi/calls/posting.h"
#include "mpi/messages/probe.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

static int receive_now(const struct form *form, const struct channel *channel,
                       const struct items *items)
{
    struct arrival arrival;
    int error = message_receive(channel, items, &arrival);
    if (argument_has_come(error))
        argument_status(&arrival, form->status);
    return error;
}

/* Channel and items stand in the request already. */
static int start_receive(struct mpi_request *request)
{
    struct posted *posted = &request->posted;
    return posted_receive(posted, &posted->channel, &posted->items);
}

int forms_recv(const struct form *form, void *buffer, MPI_Count count, MPI_Datatype datatype,
               int source, int tag)
{
    static const struct mpi_request_calls receive = {.start = start_receive,
                                                     .release = posting_release};
    struct channel channel;
    struct items items;
    int error = argument_source(form->comm, source, tag, &channel);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&channel, buffer, count, datatype, &items);
    if (error == MPI_SUCCESS)
        error = form->kind == FORM_BLOCKING ? receive_now(form, &channel, &items)
                                            : posting_begin(form, &receive, &channel, &items);
    return error == MPI_SUCCESS ? error
                                : communicator_error(channel.communicator, form->function, error);
}

/* Matched messages. ---------------------------------------------------------------------------- */

/*
 * Receives what the handle stands for, which is none then. *communicator is where errors are
 * raised, kept for the caller if it is not NULL.
 */
static int receive_matched(void *buffer, MPI_Count count, MPI_Datatype datatype,
                           MPI_Message *handle, struct arrival *arrival,
                           struct communicator **communicator)
{
    struct items items;
    struct matched *matched = handle ? matched_of(*handle) : NULL;
    *communicator = matched ? communicator_keep(matched->channel.communicator) : NULL;
    *arrival = (struct arrival){.rank = MPI_PROC_NULL, .tag = MPI_ANY_TAG};
    if (!matched && !(handle && *handle == MPI_MESSAGE_NO_PROC))
        return handle ? MPI_ERR_REQUEST : MPI_ERR_ARG;
    int error = argument_items(buffer, count, datatype, &items);
    if (error != MPI_SUCCESS)
        return error;
    *handle = MPI_MESSAGE_NULL;
    return matched ? matched_receive(matched, &items, arrival) : MPI_SUCCESS;
}

/* A request that is done already, with this arrival and error. */
static int request_received(const struct form *form, struct communicator *communicator,
                            const struct arrival *arrival, int error)
{
    struct mpi_request *request = mpi_request_new(REQUEST_MESSAGE, NULL, communicator);
    if (!request)
        return MPI_ERR_NO_MEM;
    request->posted.receives = true;
    request->posted.arrival = *arrival;
    request->posted.error = error;
    *form->request = mpi_request_handle(request);
    return MPI_SUCCESS;
}

int forms_mrecv(const struct form *form, void *buffer, MPI_Count count, MPI_Datatype datatype,
                MPI_Message *message)
{
    struct arrival arrival;
    struct communicator *communicator = NULL;
    bool starts = form->kind == FORM_STARTED;
    int error = MPI_ERR_ARG;
    if (!starts || form->request)
        error = receive_matched(buffer, count, datatype, message, &arrival, &communicator);
    if (argument_has_come(error) && starts)
        error = request_received(form, communicator, &arrival, error);
    else if (argument_has_come(error))
        argument_status(&arrival, form->status);
    if (error != MPI_SUCCESS)
        error = communicator_error(communicator, form->function, error);
    communicator_drop(communicator);
    return error;
}
