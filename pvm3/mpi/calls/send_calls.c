/* send_calls.c - sends of all modes. */
#include "mpi/calls/arguments.h"
#include "mpi/calls/forms.h"
#include "mpi/calls/posting.h"
#include "mpi/messages/buffer.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

/* The buffer that is attached to the communicator, or else that of the process. */
static int send_buffered(const struct channel *channel, const struct items *items)
{
    struct send_buffer *buffer = channel->communicator->send_buffer;
    return send_buffer_send(buffer ? buffer : send_buffer_of_process(), channel, items);
}

static int send_synchronous(const struct channel *channel, const struct items *items)
{
    struct posted posted;
    posted_send_synchronous(&posted, channel, items);
    return posted_wait(&posted);
}

/* Starting. Channel and items stand in the request already. ------------------------------------ */

static int start_standard(struct mpi_request *request)
{
    struct posted *posted = &request->posted;
    return posted_send(posted, &posted->channel, &posted->items);
}

static int start_synchronous(struct mpi_request *request)
{
    struct posted *posted = &request->posted;
    return posted_send_synchronous(posted, &posted->channel, &posted->items);
}

/* Done at once, whatever the buffer has to hold for longer. */
static int start_buffered(struct mpi_request *request)
{
    struct posted *posted = &request->posted;
    posted->post = NULL;
    posted->receives = false;
    posted->error = send_buffered(&posted->channel, &posted->items);
    return posted->error;
}

/* The calls. ----------------------------------------------------------------------------------- */

struct mode {
    int (*send)(const struct channel *channel, const struct items *items);
    struct mpi_request_calls request;
};

static const struct mode standard = {message_send,
                                     {.start = start_standard, .release = posting_release}};
static const struct mode buffered = {send_buffered,
                                     {.start = start_buffered, .release = posting_release}};
static const struct mode synchronous = {send_synchronous,
                                        {.start = start_synchronous, .release = posting_release}};

static int send_by(const struct form *form, const struct mode *mode, const void *buffer,
                   MPI_Count count, MPI_Datatype datatype, int rank, int tag)
{
    struct channel channel;
    struct items items;
    int error = argument_destination(form->comm, rank, tag, &channel);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&channel, buffer, count, datatype, &items);
    if (error == MPI_SUCCESS)
        error = form->kind == FORM_BLOCKING ? mode->send(&channel, &items)
                                            : posting_begin(form, &mode->request, &channel, &items);
    return error == MPI_SUCCESS ? error
                                : communicator_error(channel.communicator, form->function, error);
}

int forms_send(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
               int dest, int tag)
{
    return send_by(form, &standard, buffer, count, datatype, dest, tag);
}

int forms_bsend(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
                int dest, int tag)
{
    return send_by(form, &buffered, buffer, count, datatype, dest, tag);
}

/* A receiver need not be ready for a ready send: it is a standard one. */
int forms_rsend(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
                int dest, int tag)
{
    return send_by(form, &standard, buffer, count, datatype, dest, tag);
}

int forms_ssend(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
                int dest, int tag)
{
    return send_by(form, &synchronous, buffer, count, datatype, dest, tag);
}
